import {
  conflict,
  dayOf,
  failure,
  forbidden,
  type PageRequest,
  parameterError,
  recordNotFound,
  type Unmodified,
} from '../../../api/index.ts'
import { acquireLock, isUniqueViolation, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { branchRef, type RefName } from '../../../infra/git/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { countingGroups, isGranted } from '../access/grants.ts'
import type { Principal } from '../access/principal.ts'
import {
  branchLists,
  deleteEntries,
  describedEntriesOf,
  type Entry,
  entriesOf,
  type Grantee,
  insertEntries,
  updateEntry,
} from '../store/entries.ts'
import type { RuleOwner } from '../store/rules.ts'
import * as store from '../store/rules.ts'
import type { ProtectedBranchRow } from '../tables.ts'
import { countNamed, type GivenEntry, granteeOf, initialEntries, problemsOf, type WantedList } from './entries.ts'
import type { NewRule, RuleChanges } from './params.ts'
import { ProtectedBranch } from './present.ts'

type BranchList = (typeof branchLists)[number]

/** The maximal number of rules of a project or group (contract 01, "Limits"). */
export const maximumRules = 5_000
const longestName = 255

const inherited = 'Protected branch is inherited from the group'

/**
 * Validates the name of a rule for branches or tags. @returns one sentence for each problem
 * @param refOf the ref of a legal name, null for an illegal one (contract 01, "Names")
 */
export function nameProblems(name: string, refOf: (name: string) => RefName | null): string[] {
  if (name.trim() === '') return ["Name can't be blank"]
  if ([...name].length > longestName) return [`Name is too long (maximum is ${longestName} characters)`]
  // Some legal name must match; `*` may match a single letter.
  return refOf(name.replaceAll('*', 'x')) !== null ? [] : ['Name is invalid']
}

async function present(db: Reader, owner: RuleOwner, row: ProtectedBranchRow) {
  const lists = await describedEntriesOf(db, branchLists, [row.id])
  return ProtectedBranch.present({ ...row, lists: lists.get(row.id), isInherited: !isOwn(owner, row) })
}

/** Whether a rule that applies to an owner also belongs to it; otherwise it is inherited. */
export const isOwn = (owner: RuleOwner, row: ProtectedBranchRow): boolean =>
  owner.kind === 'group' || row.project_id !== null

/** @throws ApiError 422 */
async function requireValid(
  { clock }: Platform,
  tx: Tx,
  owner: RuleOwner,
  wanted: readonly WantedList[],
  others: readonly string[] = [],
): Promise<void> {
  const problems = [...others, ...(await problemsOf(tx, owner, wanted, dayOf(clock.now())))]
  if (problems.length > 0) throw failure(422, problems)
}

/** Finds and locks a rule to change it. @throws ApiError 404; 403 unless its unprotect list grants it (contract 1.20) */
async function lockChangeable(platform: Platform, tx: Tx, owner: RuleOwner, principal: Principal, name: string) {
  const row = await store.lockRule(tx, owner, name)
  if (!row) throw recordNotFound()
  await requireChangeable(platform, tx, owner, principal, row)
  return row
}

/** @throws ApiError 403 for an inherited rule, or unless the rule's unprotect list grants it (contract 1.20) */
export async function requireChangeable(
  { clock }: Platform,
  tx: Tx,
  owner: RuleOwner,
  principal: Principal,
  row: ProtectedBranchRow,
): Promise<void> {
  if (!isOwn(owner, row)) throw forbidden(inherited)
  const { unprotect = [] } = (await entriesOf(tx, ['unprotect'], [row.id])).get(row.id) ?? {}
  if (principal.administrator || unprotect.length === 0) return
  const groups = await countingGroups(tx, owner, unprotect, principal.userId, dayOf(clock.now()))
  const isInherited = owner.kind === 'group'
  if (!isGranted(unprotect, { isInherited }, principal, { groups, hasLiveKey: false })) throw forbidden()
}

/** Serialises what creates rules of an owner, until the transaction ends. */
export async function lockRulesOf(tx: Tx, owner: RuleOwner): Promise<void> {
  await acquireLock(tx, `protected_branches:${owner.kind}:${owner.id}`)
}

/** Inserts a rule with its lists. @throws ApiError 422 */
export async function insertRule(platform: Platform, tx: Tx, owner: RuleOwner, rule: NewRule) {
  const lists = branchLists.map((kind) => {
    const all = initialEntries(rule[`${kind}_access_level`], rule[`allowed_to_${kind}`])
    return { kind, all, fresh: all }
  })
  await lockRulesOf(tx, owner)
  const isFull = (await store.countRules(tx, owner)) >= maximumRules
  const tooMany = isFull ? [`Protected branches is too long (maximum is ${maximumRules})`] : []
  await requireValid(platform, tx, owner, lists, [...nameProblems(rule.name, branchRef), ...tooMany])
  const moment = now(platform.clock)
  const row = await store.insertRule(tx, {
    project_id: owner.kind === 'project' ? owner.id : null,
    namespace_id: owner.kind === 'group' ? owner.id : null,
    name: rule.name,
    allow_force_push: rule.allow_force_push ?? false,
    code_owner_approval_required: rule.code_owner_approval_required ?? false,
    created_at: moment,
    updated_at: moment,
  })
  for (const { kind, all } of lists) await insertEntries(tx, kind, row.id, all)
  return row
}

/** A page of the rules that apply to an owner (contract 1.17). */
export async function listRules(
  { database: { read } }: Platform,
  owner: RuleOwner,
  search: string | undefined,
  page: PageRequest,
) {
  const found = await store.pageOfRules(read, owner, search, page)
  const ids = found.items.map(({ id }) => id)
  const lists = await describedEntriesOf(read, branchLists, ids)
  const items = found.items.map((row) =>
    ProtectedBranch.present({ ...row, lists: lists.get(row.id), isInherited: !isOwn(owner, row) }),
  )
  return { ...found, items }
}

/** The rules that apply to an owner and have one of these names, presented; all without names. */
export async function presentedRules({ database: { read } }: Platform, owner: RuleOwner, names?: readonly string[]) {
  const found = await store.rulesFor(read, owner, names)
  const rows = names ? found.filter(({ name }) => names.includes(name)) : found
  const ids = rows.map(({ id }) => id)
  const lists = await describedEntriesOf(read, branchLists, ids)
  return rows.map((row) =>
    ProtectedBranch.present({ ...row, lists: lists.get(row.id), isInherited: !isOwn(owner, row) }),
  )
}

/** Gets the rule with exactly this name (contract 1.18). @throws ApiError 404 */
export async function getRule({ database: { read } }: Platform, owner: RuleOwner, name: string) {
  const row = await store.ruleNamed(read, owner, name)
  if (!row) throw recordNotFound()
  return present(read, owner, row)
}

/** Creates a rule (contract 1.19). @throws ApiError 409 when the owner has a rule with this name, 422 */
export async function createRule(platform: Platform, owner: RuleOwner, rule: NewRule, act: Act) {
  const taken = () => conflict(`Protected branch '${rule.name}' already exists`)
  return platform.database
    .write(async (tx) => {
      const existing = await store.ruleNamed(tx, owner, rule.name)
      if (existing && isOwn(owner, existing)) throw taken()
      const row = await insertRule(platform, tx, owner, rule)
      await act(tx, row.name)
      return present(tx, owner, row)
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? taken() : error
    })
}

type ListChanges = WantedList & {
  kind: BranchList
  removed: readonly number[]
  changed: ReadonlyMap<number, Grantee>
  added: readonly Grantee[]
}

/** Works out the changes of a list (contract 1.21). @throws ApiError 404 for the id of no entry of the list */
function listChanges(kind: BranchList, current: readonly Entry[], given: readonly GivenEntry[]): ListChanges {
  const removed = new Set<number>()
  const changed = new Map<number, Grantee>()
  const added: Grantee[] = []
  for (const entry of given) {
    const grantee = granteeOf(entry)
    if (entry.id === undefined) {
      if (entry._destroy !== true) added.push(grantee)
      continue
    }
    if (!current.some(({ id }) => id === entry.id)) throw recordNotFound()
    if (entry._destroy === true) removed.add(entry.id)
    else if (countNamed(grantee) > 0) changed.set(entry.id, grantee)
  }
  for (const id of removed) changed.delete(id)
  const staying = current.filter(({ id }) => !removed.has(id)).map((entry) => changed.get(entry.id) ?? entry)
  const fresh = [...changed.values(), ...added]
  return { kind, removed: [...removed], changed, added, all: [...staying, ...added], fresh }
}

/** Changes a rule (contract 1.21). @throws ApiError 400, 404, 403, 422 */
export async function updateRule(
  platform: Platform,
  owner: RuleOwner,
  principal: Principal,
  { name, changes, act }: { name: string; changes: RuleChanges; act: Act },
) {
  if (changes.allow_force_push === null) throw parameterError('allow_force_push', 'is empty')
  const { allow_force_push, code_owner_approval_required } = changes
  return platform.database.write(async (tx) => {
    const row = await lockChangeable(platform, tx, owner, principal, name)
    const current = (await entriesOf(tx, branchLists, [row.id])).get(row.id)
    const lists = branchLists.map((kind) =>
      listChanges(kind, current?.[kind] ?? [], changes[`allowed_to_${kind}`] ?? []),
    )
    await requireValid(platform, tx, owner, lists)
    for (const { kind, removed, changed, added } of lists) {
      await deleteEntries(tx, kind, removed)
      for (const [id, grantee] of changed) await updateEntry(tx, kind, id, grantee)
      await insertEntries(tx, kind, row.id, added)
    }
    const updated = await store.updateRule(tx, row.id, {
      ...(allow_force_push === undefined ? {} : { allow_force_push }),
      ...(code_owner_approval_required === undefined ? {} : { code_owner_approval_required }),
      updated_at: now(platform.clock),
    })
    await act(tx, row.name)
    return present(tx, owner, updated)
  })
}

/** Deletes a rule; the branches stay (contract 1.20). @throws ApiError 404, 403; 412 by `unmodified` */
export async function deleteRule(
  platform: Platform,
  owner: RuleOwner,
  principal: Principal,
  { name, unmodified, act }: { name: string; unmodified: Unmodified; act: Act },
): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await lockChangeable(platform, tx, owner, principal, name)
    unmodified(row.updated_at)
    await store.deleteRule(tx, row.id)
    await act(tx, row.name)
  })
}
