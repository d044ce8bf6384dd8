import { t } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Grantee, ListKind } from './store/entries.ts'
import { groupsWithAccess, membersAmong, pushingKeys, type RulePlace } from './store/rules.ts'

/** An entry as a request gives it: whom it names, and which one it changes or removes. */
export type GivenEntry = Partial<Grantee> & { id?: number; _destroy?: boolean }

/** The most entries that a list may have (contract 01, "Limits"). */
export const maximumEntries = 100

const names: readonly [keyof Grantee, string][] = [
  ['access_level', 'access level'],
  ['user_id', 'user'],
  ['group_id', 'group'],
  ['deploy_key_id', 'deploy key'],
]

const listNames: Record<ListKind, string> = { push: 'Push', merge: 'Merge', unprotect: 'Unprotect', create: 'Create' }

/**
 * The parameter for a list of entries.
 * @param levels what `access_level` may be
 * @param named whether deploy keys may be named, and whether entries that are there may be changed
 */
export function entriesParam(levels: readonly number[], named: { keys?: boolean; changes?: boolean } = {}) {
  const members = {
    access_level: t.integerOf(levels),
    user_id: t.integer(),
    group_id: t.integer(),
    ...(named.keys ? { deploy_key_id: t.integer() } : {}),
    ...(named.changes ? { id: t.integer(), _destroy: t.boolean() } : {}),
  }
  return t.array(t.object(members), { description: 'Each entry names exactly one.' })
}

/** Whom an entry names; null members for what it does not. */
export function granteeOf(given: GivenEntry): Grantee {
  const { access_level = null, user_id = null, group_id = null, deploy_key_id = null } = given
  return { access_level, user_id, group_id, deploy_key_id }
}

export const levelEntry = (access_level: number): Grantee => granteeOf({ access_level })

/** How many of the four an entry sets. */
export function countNamed(grantee: Grantee): number {
  return names.filter(([column]) => grantee[column] !== null).length
}

const column = (grantees: readonly Grantee[], name: keyof Grantee): number[] =>
  grantees.flatMap((grantee) => grantee[name] ?? [])

/** Whom of those named a place knows: its members, the groups with access, the keys that may push. */
async function knownIn(db: Reader, place: RulePlace, grantees: readonly Grantee[], today: string) {
  const [users, groups, keys] = [
    column(grantees, 'user_id'),
    column(grantees, 'group_id'),
    column(grantees, 'deploy_key_id'),
  ]
  const open = await groupsWithAccess(db, place, groups, today)
  const hasAccess = (group: (typeof open)[number]) =>
    group.isInvited || (place.kind === 'project' ? group.isAbove : group.isBelow)
  return {
    users: await membersAmong(db, place, users, today),
    groups: new Set(open.filter(hasAccess).map(({ id }) => id)),
    keys: place.kind === 'project' ? await pushingKeys(db, place.id, keys) : new Set<number>(),
  }
}

function repeated(grantees: readonly Grantee[]): string[] {
  return names.flatMap(([name, word]) => {
    const ids = column(grantees, name)
    return new Set(ids).size < ids.length ? [`${word} has already been taken`] : []
  })
}

/** A list as it is to be: everybody in it, and those who are new to it. */
export type WantedList = { kind: ListKind; all: readonly Grantee[]; fresh: readonly Grantee[] }

/** What the rules of contract 1.19 say against lists, as sentences; looked up for all of them at once. */
export async function problemsOf(
  db: Reader,
  place: RulePlace,
  wanted: readonly WantedList[],
  today: string,
): Promise<string[]> {
  const known = await knownIn(
    db,
    place,
    wanted.flatMap(({ fresh }) => fresh.slice(0, maximumEntries + 1)),
    today,
  )
  const isStranger = (id: number | null, those: ReadonlySet<number>) => id !== null && !those.has(id)
  return wanted.flatMap(({ kind, all, fresh }) => {
    const start = `${listNames[kind]} access levels`
    if (all.length > maximumEntries) return [`${start} is too long (maximum is ${maximumEntries})`]
    const problems = fresh.flatMap((grantee) => {
      if (countNamed(grantee) !== 1) return ['must set exactly one of access_level, user_id, group_id or deploy_key_id']
      if (isStranger(grantee.user_id, known.users)) return [`user is not a member of the ${place.kind}`]
      if (isStranger(grantee.group_id, known.groups)) return [`group does not have access to the ${place.kind}`]
      if (isStranger(grantee.deploy_key_id, known.keys)) return ['deploy key is not enabled for this project']
      return []
    })
    return [...new Set([...problems, ...repeated(all)])].map((text) => `${start} ${text}`)
  })
}
