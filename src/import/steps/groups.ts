import { NotBrought } from '../clients/errors.ts'
import { type Item, itemOf, plainOf, requireNumber, requireText, textOf } from '../clients/values.ts'
import { bringAttributes } from './attributes.ts'
import { bringLabels, bringMembers, bringMilestones, bringVariables } from './classification.ts'
import { attempt, type ImportContext, type Place, placeOf } from './context.ts'
import { bringWiki } from './repository.ts'
import { createVisible, writeSettings } from './settings.ts'

const segment = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?$/

/** A full path, as it may stand in an address. @throws NotBrought */
export function requirePath(item: Item, name: string): string {
  const path = requireText(item, name)
  if (!path.split('/').every((part) => segment.test(part)))
    throw new NotBrought(`its path is none: ${path.slice(0, 100)}`)
  return path
}

/** A source decides what is in the groups that it was asked for, and nothing else. */
const isDirectlyBelow = (path: string, found = '') => found.slice(0, found.lastIndexOf('/')) === path

/** The groups to be brought, each before those below it. */
export async function* groupsToBring(context: ImportContext, names: readonly string[]): AsyncGenerator<Item> {
  for (const name of names) {
    const report = { key: `group ${name}`, place: name, what: 'group' }
    const group = await attempt(context, report, async () => {
      const found = await context.source.get(`/groups/${encodeURIComponent(name)}`)
      if (textOf(found, 'full_path')?.toLowerCase() === name.toLowerCase()) return found
      throw new NotBrought(`the source answers with another group: ${textOf(found, 'full_path') ?? '?'}`)
    })
    if (group) yield* withSubgroups(context, group)
  }
  if (names.length > 0) return
  const scope = context.seesAll ? '' : '&all_available=false'
  for await (const group of context.source.list(`/groups?top_level_only=true&order_by=path${scope}`)) {
    yield* withSubgroups(context, group)
  }
}

/** More levels have no groups of a server that is one. */
const deepest = 30

async function* withSubgroups(context: ImportContext, group: Item, depth = 0): AsyncGenerator<Item> {
  yield group
  const path = textOf(group, 'full_path') ?? '?'
  const below: Item[] = []
  await attempt(context, { key: `subgroups ${path}`, place: path, what: 'subgroups' }, async () => {
    if (depth > deepest) throw new NotBrought('they are nested too deeply')
    for await (const one of context.source.list(`/groups/${requireNumber(group, 'id')}/subgroups`)) {
      if (isDirectlyBelow(path, textOf(one, 'full_path'))) below.push(one)
    }
  })
  for (const one of below) yield* withSubgroups(context, one, depth + 1)
}

const groupMembers = [
  ...['description', 'project_creation_level', 'subgroup_creation_level', 'request_access_enabled'],
  ...['share_with_group_lock', 'lfs_enabled', 'emails_enabled', 'mentions_disabled', 'wiki_access_level'],
]

/** Brings a group, or takes the one that is there. @returns null where it cannot be brought */
export async function bringGroup(context: ImportContext, group: Item): Promise<Place | null> {
  const { target, state } = context
  const shown = textOf(group, 'full_path') ?? '?'
  return attempt(context, { key: `group ${shown}`, place: shown, what: 'group' }, async () => {
    const path = requirePath(group, 'full_path')
    const id = requireNumber(group, 'id')
    const find = async () => {
      const found = await target.find(`/groups/${encodeURIComponent(path)}`)
      return found && requireNumber(found, 'id')
    }
    const settled = `group_settings ${id}`
    if (state.value(`group ${id}`) === undefined) {
      // People may have made it before, for example with its members.
      const found = await find()
      if (found !== null) state.finish(settled, found)
    }
    const made = await state.once(`group ${id}`, {
      find,
      make: async () => (await find()) ?? createGroup(context, group, path),
    })
    const place = placeOf('groups', path, id, made)
    if (state.value(settled) === undefined) {
      await writeSettings(context, place, plainOf(group, groupMembers))
      state.finish(settled, made)
    }
    return place
  })
}

async function createGroup(context: ImportContext, group: Item, path: string): Promise<number> {
  const parent = path.split('/').slice(0, -1).join('/')
  const above = parent === '' ? undefined : await context.target.find(`/groups/${encodeURIComponent(parent)}`)
  if (above === null) throw new NotBrought(`the group ${parent} is not here: bring it, or create it`)
  const parent_id = above && requireNumber(above, 'id')
  return createVisible(context, { place: path, what: 'group' }, plainOf(group, ['visibility']), (visibility) =>
    context.target.write('POST', '/groups', { ...plainOf(group, ['name', 'path']), parent_id, ...visibility }),
  )
}

/** What a group has besides its projects and subgroups. */
export async function bringGroupContents(context: ImportContext, place: Place): Promise<void> {
  await bringLabels(context, place)
  await bringMilestones(context, place)
  await bringMembers(context, place)
  await bringVariables(context, place)
  await bringAttributes(context, place)
  await bringWiki(context, place)
}

/** The projects of a group, without those of groups below it, and those that are shared with it. */
export async function* projectsOf({ source }: ImportContext, place: Place): AsyncGenerator<Item> {
  const query = 'include_subgroups=false&with_shared=false&order_by=id&sort=asc'
  for await (const project of source.list(`${place.from}/projects?${query}`)) {
    if (isDirectlyBelow(place.path, textOf(project, 'path_with_namespace'))) yield project
  }
}

/** The projects of users, in their own namespaces. */
export async function* projectsOfUsers(context: ImportContext): AsyncGenerator<Item> {
  const scope = context.seesAll ? '' : '&membership=true'
  for await (const project of context.source.list(`/projects?pagination=keyset&order_by=id&sort=asc${scope}`)) {
    if (textOf(itemOf(project, 'namespace') ?? {}, 'kind') === 'user') yield project
  }
}
