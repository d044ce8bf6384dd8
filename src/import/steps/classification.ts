/** What classifies work, and who works: labels, milestones, members and variables, of groups and projects alike. */
import { NotBrought, Refused } from '../clients/errors.ts'
import { flagOf, type Item, numberOf, plainOf, requireNumber, requireText, textOf } from '../clients/values.ts'
import { bringEach, type ImportContext, type Place } from './context.ts'

/** The entry of a list of the target. */
async function entryOf({ target }: ImportContext, list: string, fits: (item: Item) => boolean): Promise<Item | null> {
  for await (const item of target.list(list)) if (fits(item)) return item
  return null
}

export async function bringLabels(context: ImportContext, place: Place): Promise<void> {
  const { target, state } = context
  const list = 'labels?include_ancestor_groups=false'
  await bringEach(context, place, { list, what: 'label', nameOf: (item) => textOf(item, 'name') }, async (label) => {
    // A project lists the labels of its groups as well.
    if (place.kind === 'projects' && flagOf(label, 'is_project_label') === false) return
    const name = requireText(label, 'name')
    await state.once(`label ${place.from} ${name}`, {
      find: () => entryOf(context, `${place.to}/${list}`, (one) => textOf(one, 'name') === name),
      make: () =>
        target.write('POST', `${place.to}/labels`, plainOf(label, ['name', 'color', 'description', 'priority'])),
    })
  })
}

export async function bringMilestones(context: ImportContext, place: Place): Promise<void> {
  const { target, state } = context
  const list = 'milestones?include_ancestors=false'
  await bringEach(context, place, { list, what: 'milestone', nameOf: (item) => textOf(item, 'title') }, async (one) => {
    const title = requireText(one, 'title')
    const id = requireNumber(one, 'id')
    const made = await state.once(`milestone ${id}`, {
      find: async () =>
        milestoneIdOf(await entryOf(context, `${place.to}/${list}`, (at) => textOf(at, 'title') === title)),
      make: async () => {
        const given = plainOf(one, ['title', 'description', 'due_date', 'start_date'])
        return requireNumber(await target.write('POST', `${place.to}/milestones`, given), 'id')
      },
    })
    if (textOf(one, 'state') !== 'closed' || state.value(`closed_milestone ${id}`) !== undefined) return
    await target.write('PUT', `${place.to}/milestones/${made}`, { state_event: 'close' })
    state.finish(`closed_milestone ${id}`, 1)
  })
}

const milestoneIdOf = (found: Item | null) => (found && numberOf(found, 'id')) ?? null

/** The id of a milestone here; undefined of one that was not brought. */
export function milestoneOf({ state }: ImportContext, milestone: Item | undefined): number | undefined {
  const id = milestone && numberOf(milestone, 'id')
  const known = id === undefined ? undefined : state.value(`milestone ${id}`)
  return typeof known === 'number' ? known : undefined
}

/** Members have the account here with the same e-mail address. */
export async function bringMembers(context: ImportContext, place: Place): Promise<void> {
  const { target, state, people, invites } = context
  const options = { list: 'members', what: 'member', nameOf: (item: Item) => textOf(item, 'username') }
  await bringEach(context, place, options, async (member) => {
    const key = `member ${place.from} ${requireNumber(member, 'id')}`
    if (typeof state.value(key) === 'number') return
    const access_level = requireNumber(member, 'access_level')
    const rights = { access_level, ...plainOf(member, ['expires_at']) }
    const person = await people.of(member)
    if (person) {
      await addMember(context, place, { user_id: person.id, ...rights })
    } else {
      const email = await people.addressOf(member)
      if (email === null) throw new NotBrought('the source does not show the e-mail address')
      if (!invites) throw new NotBrought('no account here has the e-mail address; --invite invites such members')
      await target.write('POST', `${place.to}/invitations`, { email, ...rights })
    }
    state.finish(key, access_level)
  })
}

/** Adds a member. One who belongs to a group above keeps a higher role from there. */
async function addMember({ target }: ImportContext, { to }: Place, member: { user_id: number; access_level: number }) {
  await target.write('POST', `${to}/members`, member).catch(async (error) => {
    if (!(error instanceof Refused) || error.status !== 409) throw error
    const { user_id, ...rights } = member
    const found = await target.find(`${to}/members/${user_id}`)
    // Who has brought the group is its owner.
    if (found && (numberOf(found, 'access_level') ?? 0) < member.access_level) {
      await target.write('PUT', `${to}/members/${user_id}`, rights)
    }
  })
}

const variableMembers = ['key', 'variable_type', 'protected', 'masked', 'raw', 'description', 'environment_scope']

export async function bringVariables(context: ImportContext, place: Place): Promise<void> {
  const { target, state } = context
  const nameOf = (item: Item) => {
    const [key = '?', scope = '*'] = [textOf(item, 'key'), textOf(item, 'environment_scope')]
    return scope === '*' ? key : `${key} (${scope})`
  }
  await bringEach(context, place, { list: 'variables', what: 'variable', nameOf }, async (variable) => {
    const key = requireText(variable, 'key')
    const scope = textOf(variable, 'environment_scope') ?? '*'
    const value = textOf(variable, 'value')
    if (value === undefined) throw new NotBrought('its value is hidden: the source does not show it')
    const isSame = (one: Item) => textOf(one, 'key') === key && (textOf(one, 'environment_scope') ?? '*') === scope
    await state.once(`variable ${place.from} ${key} ${scope}`, {
      find: async () => ((await entryOf(context, `${place.to}/variables`, isSame)) ? key : null),
      make: async () => {
        await target.write('POST', `${place.to}/variables`, { ...plainOf(variable, variableMembers), value })
        return key
      },
    })
  })
}
