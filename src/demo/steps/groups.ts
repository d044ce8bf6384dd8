import type { Group } from '../world-types.ts'
import { makeCommon, planActs, planClosings } from './acts.ts'
import { idOf, type StepContext } from './step-context.ts'

/** The path of a group with those above it. */
export const pathOf = ({ path, parent }: Group) => (parent === undefined ? path : `${parent}/${path}`)

/** Plans a group: itself, who belongs to it, and how its work is classified and planned. */
export function planGroup(context: StepContext, group: Group): void {
  const { ask, ids, moments } = context
  const { by, name, path, parent, text, visibility, at, iterations = [], epics = [], acts = [] } = group
  const full = pathOf(group)
  const base = () => `/groups/${idOf(context, `group ${full}`)}`
  context.plan(at, 'groups', async () => {
    const parent_id = parent === undefined ? undefined : idOf(context, `group ${parent}`)
    const { id } = await ask(by, 'POST', '/groups', { name, path, parent_id, description: text, visibility })
    ids.set(`group ${full}`, id)
    await makeCommon(context, base(), full, { ...group, path: full })
    for (const { title, start, due } of iterations) {
      const dates = moments.dated({ start_date: start, due_date: due })
      ids.set(`iteration ${title}`, (await ask(by, 'POST', `${base()}/iterations`, { title, ...dates })).id)
    }
  })
  for (const epic of epics) {
    context.plan(epic.at, 'epics', async () => {
      const [start_date_fixed, due_date_fixed] = moments.dated([epic.start, epic.end])
      const dates = { start_date_is_fixed: true, start_date_fixed, due_date_is_fixed: true, due_date_fixed }
      const made = await ask(epic.by, 'POST', `${base()}/epics`, {
        title: epic.title,
        description: epic.text,
        ...dates,
      })
      ids.set(`epic ${epic.title}`, made.id)
      ids.set(`number of epic ${epic.title}`, made.iid)
    })
    if (!epic.closed) continue
    context.plan(epic.closed, 'epics', async () => {
      const iid = idOf(context, `number of epic ${epic.title}`)
      await ask(epic.by, 'PUT', `${base()}/epics/${iid}`, { state_event: 'close' })
    })
  }
  planClosings(context, full, base, group)
  planActs(context, acts, name, base)
}
