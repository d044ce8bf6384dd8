import { t, takenIn } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { role } from '../../access/index.ts'
import type { Grantee, ListKind } from '../store/entries.ts'
import { groupsWithAccess, membersAmong, pushingKeys } from '../store/grantees.ts'
import type { RuleOwner } from '../store/rules.ts'

/** An entry in a request: its grantee, and the existing entry that it changes or removes. */
export type GivenEntry = Partial<Grantee> & { id?: number; _destroy?: boolean }

/** The maximal number of entries in a list (contract 01, "Limits"). */
const maximumEntries = 100

const names: readonly [keyof Grantee, string][] = [
  ['access_level', 'access level'],
  ['user_id', 'user'],
  ['group_id', 'group'],
  ['deploy_key_id', 'deploy key'],
]

const listNames: Record<ListKind, string> = { push: 'Push', merge: 'Merge', unprotect: 'Unprotect', create: 'Create' }

/** A level of access; administrators (60) are not named on the hosted offering (contract 1.19). */
export function levelParam(levels: readonly number[], description?: string) {
  const documented = description === undefined ? {} : { description }
  const others = levels.filter((level) => level !== role.administrator)
  const everywhere = t.integerOf(others, documented)
  return takenIn({ offerings: ['self-managed', 'dedicated'] }, t.integerOf(levels, documented), everywhere)
}

/**
 * Declares the parameter for a list of entries.
 * @param levels the allowed values of `access_level`
 * @param named whether entries may name deploy keys, and whether existing entries may be changed
 */
export function entriesParam(levels: readonly number[], named: { keys?: boolean; changes?: boolean } = {}) {
  const members = {
    access_level: levelParam(levels),
    user_id: t.integer(),
    group_id: t.integer(),
    ...(named.keys ? { deploy_key_id: t.integer() } : {}),
    ...(named.changes ? { id: t.integer(), _destroy: t.boolean() } : {}),
  }
  return t.array(t.object(members), { description: 'Each entry names exactly one.' })
}

/** The grantee of an entry; members that are not given are null. */
export function granteeOf(given: GivenEntry): Grantee {
  const { access_level = null, user_id = null, group_id = null, deploy_key_id = null } = given
  return { access_level, user_id, group_id, deploy_key_id }
}

export const levelEntry = (access_level: number): Grantee => granteeOf({ access_level })

/** How many of the four an entry names. */
export function countNamed(grantee: Grantee): number {
  return names.filter(([column]) => grantee[column] !== null).length
}

/** The entries of a new list: the given level, if any, and the given entries. Without both, Maintainer. */
export function initialEntries(level: number | undefined, given: readonly GivenEntry[] = []): Grantee[] {
  const listed = given.map(granteeOf)
  if (level === undefined && listed.length > 0) return listed
  return [levelEntry(level ?? role.maintainer), ...listed]
}

const column = (grantees: readonly Grantee[], name: keyof Grantee): number[] =>
  grantees.flatMap((grantee) => grantee[name] ?? [])

/** Which of the named grantees are members, groups with access, and keys with push access. */
async function knownIn(db: Reader, owner: RuleOwner, grantees: readonly Grantee[], today: string) {
  const [users, groups, keys] = [
    column(grantees, 'user_id'),
    column(grantees, 'group_id'),
    column(grantees, 'deploy_key_id'),
  ]
  const open = await groupsWithAccess(db, owner, groups, today)
  const hasAccess = (group: (typeof open)[number]) =>
    group.isInvited || (owner.kind === 'project' ? group.isAbove : group.isBelow)
  return {
    users: await membersAmong(db, owner, users, today),
    groups: new Set(open.filter(hasAccess).map(({ id }) => id)),
    keys: owner.kind === 'project' ? await pushingKeys(db, owner.id, keys) : new Set<number>(),
  }
}

function repeated(grantees: readonly Grantee[]): string[] {
  return names.flatMap(([name, word]) => {
    const ids = column(grantees, name)
    return new Set(ids).size < ids.length ? [`${word} has already been taken`] : []
  })
}

/** The wanted content of a list: all its entries, and the new ones of them. */
export type WantedList = { kind: ListKind; all: readonly Grantee[]; fresh: readonly Grantee[] }

/** Validates lists (contract 1.19). @returns one sentence for each problem */
export async function problemsOf(
  db: Reader,
  owner: RuleOwner,
  wanted: readonly WantedList[],
  today: string,
): Promise<string[]> {
  const known = await knownIn(
    db,
    owner,
    wanted.flatMap(({ fresh }) => fresh.slice(0, maximumEntries + 1)),
    today,
  )
  const isUnknown = (id: number | null, those: ReadonlySet<number>) => id !== null && !those.has(id)
  return wanted.flatMap(({ kind, all, fresh }) => {
    const start = `${listNames[kind]} access levels`
    if (all.length > maximumEntries) return [`${start} is too long (maximum is ${maximumEntries})`]
    const problems = fresh.flatMap((grantee) => {
      if (countNamed(grantee) !== 1) return ['must set exactly one of access_level, user_id, group_id or deploy_key_id']
      if (isUnknown(grantee.user_id, known.users)) return [`user is not a member of the ${owner.kind}`]
      if (isUnknown(grantee.group_id, known.groups)) return [`group does not have access to the ${owner.kind}`]
      if (isUnknown(grantee.deploy_key_id, known.keys)) return ['deploy key is not enabled for this project']
      return []
    })
    return [...new Set([...problems, ...repeated(all)])].map((text) => `${start} ${text}`)
  })
}
