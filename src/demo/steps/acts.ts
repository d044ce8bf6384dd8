import type { Method } from '../clients/client.ts'
import type { Act, Label, Milestone, Role } from '../world-types.ts'
import { idOf, type StepContext } from './step-context.ts'

const levels: Record<Role, number> = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 }

/** What groups and projects have alike: members, labels and milestones. */
type Common = {
  by: string
  path: string
  members?: Record<string, Role>
  labels?: readonly Label[]
  milestones?: readonly Milestone[]
}

/** Makes what groups and projects have alike. @param base path of the API @param path the full one of the group or project */
export async function makeCommon(context: StepContext, base: string, path: string, common: Common): Promise<void> {
  const { ask, ids, moments } = context
  const { by, members = {}, labels = [], milestones = [] } = common
  for (const [username, role] of Object.entries(members)) {
    const member = { user_id: idOf(context, `user ${username}`), access_level: levels[role] }
    await ask(by, 'POST', `${base}/members`, member)
  }
  for (const [name, color, description] of labels) await ask(by, 'POST', `${base}/labels`, { name, color, description })
  for (const { title, text, start, due } of milestones) {
    const dates = moments.dated({ start_date: start, due_date: due })
    const { id } = await ask(by, 'POST', `${base}/milestones`, { title, description: text, ...dates })
    ids.set(`milestone ${path} ${title}`, id)
  }
}

/** Plans when milestones are closed. @param base as in `planActs` */
export function planClosings(
  context: StepContext,
  path: string,
  base: () => string,
  { by, milestones = [] }: Common,
): void {
  for (const { title, closed } of milestones) {
    if (!closed) continue
    context.plan(closed, 'milestones', async () => {
      const id = idOf(context, `milestone ${path} ${title}`)
      await context.ask(by, 'PUT', `${base()}/milestones/${id}`, { state_event: 'close' })
    })
  }
}

/** Replaces `{user mara}` by the id of the user. */
function withIds(context: StepContext, body: object): object {
  return JSON.parse(JSON.stringify(body), (_, value) => {
    const [, name] = (typeof value === 'string' && /^\{(user \w+)\}$/.exec(value)) || []
    return name === undefined ? value : idOf(context, name)
  })
}

/** Plans plain requests. @param base path of the API that theirs are below; read when they are sent */
export function planActs(context: StepContext, acts: readonly Act[], what: string, base: () => string): void {
  for (const { by, at, to, body } of acts) {
    context.plan(at, what, async () => {
      const [, method = 'POST', path] = /^(?:([A-Z]+) )?(.*)$/.exec(to) ?? []
      const dated = withIds(context, context.moments.dated(body))
      await context.ask(by, method as Method, `${base()}/${path}`, dated)
      await context.settle()
    })
  }
}
