import { atLeastOneMissing, failure, recordNotFound } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import type { Counting } from '../access/counting.ts'
import type { GivenEntry } from './params.ts'
import { type Entry, entryRows, type Grantee } from './store.ts'

/** The two lists of a protected environment: who may deploy, and who has to approve. */
export type ListKind = keyof typeof entryRows

/** Names of the lists in requests and errors, and how long they may be (contract 24, Limits). */
export const lists = {
  deploy: { parameter: 'deploy_access_levels', title: 'Deploy access levels', maximum: 100 },
  approval: { parameter: 'approval_rules', title: 'Approval rules', maximum: 20 },
} as const satisfies Record<ListKind, object>

const naming = ['access_level', 'user_id', 'group_id'] as const

/** @throws ApiError 422 */
export function refuseList(kind: ListKind, problem: string): never {
  throw failure(422, [`${lists[kind].title} ${problem}`])
}

/** The role, user or group that an element names. */
export function granteeOf({ access_level, user_id, group_id }: GivenEntry): Grantee {
  return { access_level: access_level ?? null, user_id: user_id ?? null, group_id: group_id ?? null }
}

const countNamed = (grantee: Grantee) => naming.filter((column) => grantee[column] !== null).length

/**
 * Requires that each new element names exactly one, and that there are not too many.
 * @throws ApiError 400 for an element that names none; 422
 */
export function requireNaming(kind: ListKind, given: readonly GivenEntry[]): void {
  const { parameter, maximum } = lists[kind]
  given.forEach((element, index) => {
    const named = countNamed(granteeOf(element))
    if (named === 0 && element.id === undefined && element._destroy !== true) {
      throw atLeastOneMissing(naming.map((name) => `${parameter}[${index}][${name}]`))
    }
    if (named > 1) refuseList(kind, 'must set exactly one of access_level, user_id or group_id')
  })
  if (given.length > 2 * maximum) refuseList(kind, `is too long (maximum is ${maximum})`)
}

/** What an element says beside whom it names. */
const detailsOf = (kind: ListKind, { group_inheritance_type, required_approvals }: GivenEntry) => ({
  ...(group_inheritance_type === undefined ? {} : { group_inheritance_type }),
  ...(kind === 'deploy' || required_approvals === undefined ? {} : { required_approvals }),
})

type Columns = Grantee & { group_inheritance_type?: number; required_approvals?: number }

/** What becomes of a list. */
export type ListChanges = { removed: number[]; changed: Map<number, Partial<Columns>>; added: Columns[] }

/**
 * Works out the changes of a list. An element that names a user or group without access changes nothing.
 * @throws ApiError 404 for the id of no entry of the list
 */
export function listChanges(
  kind: ListKind,
  current: readonly Entry[],
  given: readonly GivenEntry[],
  counts: Counting,
): ListChanges {
  const changes: ListChanges = { removed: [], changed: new Map(), added: [] }
  for (const element of given) {
    const [grantee, details] = [granteeOf(element), detailsOf(kind, element)]
    const isNamed = countNamed(grantee) > 0
    if (element.id === undefined) {
      if (element._destroy !== true && counts(grantee)) changes.added.push({ ...grantee, ...details })
      continue
    }
    if (!current.some(({ id }) => id === element.id)) throw recordNotFound()
    if (element._destroy === true) changes.removed.push(element.id)
    else if (counts(grantee)) changes.changed.set(element.id, { ...(isNamed && grantee), ...details })
  }
  for (const id of changes.removed) changes.changed.delete(id)
  return changes
}

/** Requires that the list which remains is neither too long nor, of those who may deploy, empty. @throws ApiError 422 */
export function requireLength(kind: ListKind, length: number): void {
  const { maximum } = lists[kind]
  if (kind === 'deploy' && length === 0) refuseList(kind, 'is too short (minimum is 1 character)')
  if (length > maximum) refuseList(kind, `is too long (maximum is ${maximum})`)
}

/** Carries out the changes of a list. */
export async function storeList(tx: Tx, kind: ListKind, environmentId: number, changes: ListChanges): Promise<void> {
  const { removed, changed, added } = changes
  const rows = entryRows[kind]
  if (removed.length > 0) await rows.remove(tx, removed)
  for (const [id, columns] of changed) if (Object.keys(columns).length > 0) await rows.update(tx, id, columns)
  const fresh = added.map(({ required_approvals = 1, group_inheritance_type = 0, ...grantee }) => ({
    entry: { protected_environment_id: environmentId, ...grantee, group_inheritance_type },
    required_approvals,
  }))
  if (kind === 'deploy')
    await entryRows.deploy.insertAll(
      tx,
      fresh.map(({ entry }) => entry),
    )
  else
    await entryRows.approval.insertAll(
      tx,
      fresh.map(({ entry, ...rest }) => ({ ...entry, ...rest })),
    )
}
