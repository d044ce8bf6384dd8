import { conflict, dayOf, failure, forbidden, type Page, type PageRequest, recordNotFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, holdName, isUniqueViolation, now, type Reader, type Tx } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { role } from '../access/index.ts'
import { countNamed, type GivenEntry, granteeOf, levelEntry, problemsOf, type WantedList } from './grantees.ts'
import { type Claimant, isGranted } from './judging.ts'
import { type PresentedProtectedBranch, presentProtectedBranch } from './present.ts'
import { countingGroups } from './protection.ts'
import {
  branchLists,
  clearList,
  deleteEntries,
  describedEntriesOf,
  type Entry,
  entriesOf,
  type Grantee,
  insertEntries,
  updateEntry,
} from './store/entries.ts'
import {
  countRules,
  deleteRule,
  holdRule,
  insertRule,
  pageOfRules,
  type RulePlace,
  ruleNamed,
  updateRule,
} from './store/rules.ts'
import type { ProtectedBranchRow } from './tables.ts'

type BranchList = (typeof branchLists)[number]

type RuleFlags = { allow_force_push?: boolean; code_owner_approval_required?: boolean }
type GivenLists = { [K in BranchList as `allowed_to_${K}`]?: GivenEntry[] }

/** What a new rule is to be. */
export type NewRule = RuleFlags & GivenLists & { [K in BranchList as `${K}_access_level`]?: number } & { name: string }

/** What is to be changed of a rule. */
export type RuleChange = RuleFlags & GivenLists

/** The old way: one entry for developers or for maintainers (contract 01, x.branch_protect). */
export type LegacyRule = { developers_can_push?: boolean; developers_can_merge?: boolean }

/** The most rules that a place may have (contract 01, "Limits"). */
export const maximumRules = 5_000
const longestName = 255

const inherited = 'Protected branch is inherited from the group'

/** What is said against the name of a rule. */
export function nameProblems(name: string): string[] {
  if (name.trim() === '') return ["Name can't be blank"]
  return [...name].length > longestName ? [`Name is too long (maximum is ${longestName} characters)`] : []
}

/** The entries of a new list: the level that was given and the list that was, or else the level that is usual. */
export function initialEntries(
  level: number | undefined,
  given: readonly GivenEntry[] = [],
  usual: number = role.maintainer,
): Grantee[] {
  const listed = given.map(granteeOf)
  if (level === undefined && listed.length > 0) return listed
  return [levelEntry(level ?? usual), ...listed]
}

type Plan = WantedList & {
  kind: BranchList
  removed: readonly number[]
  changed: ReadonlyMap<number, Grantee>
  added: readonly Grantee[]
}

/**
 * What becomes of a list: entries without an id are added, others changed or removed.
 * @throws ApiError 404 for an id that is not of this list
 */
function planOf(kind: BranchList, current: readonly Entry[], given: readonly GivenEntry[]): Plan {
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
  const kept = current.filter(({ id }) => !removed.has(id)).map((entry) => changed.get(entry.id) ?? entry)
  const fresh = [...changed.values(), ...added]
  return { kind, removed: [...removed], changed, added, all: [...kept, ...added], fresh }
}

/** Rules that protect branches of projects and groups (contract 1.17–1.21, x.group_protected_branch_*). */
export function createBranchRules({ database, clock }: { database: Database; clock: Clock }) {
  const today = () => dayOf(clock.now())

  async function present(db: Reader, place: RulePlace, rows: readonly ProtectedBranchRow[]) {
    const ids = rows.map(({ id }) => id)
    const lists = await describedEntriesOf(db, branchLists, ids)
    return rows.map((row) => {
      const isInherited = place.kind === 'project' && row.project_id === null
      return presentProtectedBranch(row, lists.get(row.id), isInherited)
    })
  }

  async function presentOne(db: Reader, place: RulePlace, row: ProtectedBranchRow): Promise<PresentedProtectedBranch> {
    const [presented] = await present(db, place, [row])
    if (!presented) throw recordNotFound()
    return presented
  }

  /** @throws ApiError 422 */
  async function requireSound(tx: Tx, place: RulePlace, wanted: readonly WantedList[], others: string[] = []) {
    const problems = [...others, ...(await problemsOf(tx, place, wanted, today()))]
    if (problems.length > 0) throw failure(422, problems)
  }

  /** @throws ApiError 403 for whoever is not on the list of those who may change or remove the rule (contract 1.20) */
  async function requireChangeable(tx: Tx, place: RulePlace, row: ProtectedBranchRow, who: Claimant): Promise<void> {
    if (place.kind === 'project' && row.project_id === null) throw forbidden(inherited)
    const { unprotect = [] } = (await entriesOf(tx, ['unprotect'], [row.id])).get(row.id) ?? {}
    if (who.administrator || unprotect.length === 0) return
    const groups = await countingGroups(tx, place, unprotect, who.userId, today())
    const isInherited = place.kind === 'group'
    if (!isGranted(unprotect, { isInherited }, who, { groups, hasLiveKey: false })) throw forbidden()
  }

  async function insert(tx: Tx, place: RulePlace, rule: NewRule): Promise<ProtectedBranchRow> {
    const lists = branchLists.map((kind) => {
      const all = initialEntries(rule[`${kind}_access_level`], rule[`allowed_to_${kind}`])
      return { kind, all, fresh: all }
    })
    await holdName(tx, `protected_branches:${place.kind}:${place.id}`)
    const isFull = (await countRules(tx, place)) >= maximumRules
    const tooMany = isFull ? [`Protected branches is too long (maximum is ${maximumRules})`] : []
    await requireSound(tx, place, lists, [...nameProblems(rule.name), ...tooMany])
    const moment = now(clock)
    const row = await insertRule(tx, {
      project_id: place.kind === 'project' ? place.id : null,
      namespace_id: place.kind === 'group' ? place.id : null,
      name: rule.name,
      allow_force_push: rule.allow_force_push ?? false,
      code_owner_approval_required: rule.code_owner_approval_required ?? false,
      created_at: moment,
      updated_at: moment,
    })
    for (const { kind, all } of lists) await insertEntries(tx, kind, row.id, all)
    return row
  }

  const isOwn = (place: RulePlace, row: ProtectedBranchRow) => place.kind === 'group' || row.project_id !== null

  return {
    async list(
      place: RulePlace,
      search: string | undefined,
      page: PageRequest,
    ): Promise<Page<PresentedProtectedBranch>> {
      const found = await pageOfRules(database.read, place, search, page)
      return { ...found, items: await present(database.read, place, found.items) }
    },

    /** @throws ApiError 404 */
    async get(place: RulePlace, name: string): Promise<PresentedProtectedBranch> {
      const row = await ruleNamed(database.read, place, name)
      if (!row) throw recordNotFound()
      return presentOne(database.read, place, row)
    },

    /** @throws ApiError 409 when there is a rule of that name, 422 */
    async create(place: RulePlace, rule: NewRule): Promise<PresentedProtectedBranch> {
      const taken = () => conflict(`Protected branch '${rule.name}' already exists`)
      return database
        .write(async (tx) => {
          const existing = await ruleNamed(tx, place, rule.name)
          if (existing && isOwn(place, existing)) throw taken()
          return presentOne(tx, place, await insert(tx, place, rule))
        })
        .catch((error) => {
          throw isUniqueViolation(error) ? taken() : error
        })
    },

    /** @throws ApiError 404, 403, 422 */
    async update(place: RulePlace, who: Claimant, name: string, change: RuleChange): Promise<PresentedProtectedBranch> {
      return database.write(async (tx) => {
        const row = await holdRule(tx, place, name)
        if (!row) throw recordNotFound()
        await requireChangeable(tx, place, row, who)
        const current = (await entriesOf(tx, branchLists, [row.id])).get(row.id)
        const plans = branchLists.map((kind) => planOf(kind, current?.[kind] ?? [], change[`allowed_to_${kind}`] ?? []))
        await requireSound(tx, place, plans)
        for (const { kind, removed, changed, added } of plans) {
          await deleteEntries(tx, kind, removed)
          for (const [id, grantee] of changed) await updateEntry(tx, kind, id, grantee)
          await insertEntries(tx, kind, row.id, added)
        }
        const { allow_force_push = row.allow_force_push } = change
        const { code_owner_approval_required = row.code_owner_approval_required } = change
        const flags = { allow_force_push, code_owner_approval_required, updated_at: now(clock) }
        return presentOne(tx, place, await updateRule(tx, row.id, flags))
      })
    },

    /**
     * @param requireUnmodified throws when the rule is newer than the caller allows
     * @throws ApiError 404, 403, 412
     */
    async remove(
      place: RulePlace,
      who: Claimant,
      name: string,
      requireUnmodified: (updatedAt: string) => void,
    ): Promise<void> {
      await database.write(async (tx) => {
        const row = await holdRule(tx, place, name)
        if (!row) throw recordNotFound()
        await requireChangeable(tx, place, row, who)
        requireUnmodified(row.updated_at)
        await deleteRule(tx, row.id)
      })
    },

    /** Makes the rule of exactly this name, or changes what is told of it (contract 01, x.branch_protect). */
    async put(place: RulePlace, who: Claimant, name: string, wanted: LegacyRule): Promise<void> {
      const levelOf = (forDevelopers: boolean | undefined) =>
        forDevelopers === undefined ? undefined : forDevelopers ? role.developer : role.maintainer
      const levels = { push: levelOf(wanted.developers_can_push), merge: levelOf(wanted.developers_can_merge) }
      await database.write(async (tx) => {
        await holdName(tx, `protected_branches:${place.kind}:${place.id}`)
        const row = await holdRule(tx, place, name)
        if (!row || !isOwn(place, row)) {
          await insert(tx, place, { name, push_access_level: levels.push, merge_access_level: levels.merge })
          return
        }
        await requireChangeable(tx, place, row, who)
        for (const kind of ['push', 'merge'] as const) {
          const level = levels[kind]
          if (level === undefined) continue
          await clearList(tx, kind, row.id)
          await insertEntries(tx, kind, row.id, [levelEntry(level)])
        }
        await updateRule(tx, row.id, { updated_at: now(clock) })
      })
    },

    /** Removes the rule of exactly this name, if there is one (contract 01, x.branch_unprotect). */
    async drop(place: RulePlace, who: Claimant, name: string): Promise<void> {
      await database.write(async (tx) => {
        const row = await holdRule(tx, place, name)
        if (!row || !isOwn(place, row)) return
        await requireChangeable(tx, place, row, who)
        await deleteRule(tx, row.id)
      })
    },
  }
}

export type BranchRules = ReturnType<typeof createBranchRules>

/** Makes the rule of exactly this name, or changes what is told of it (contract 01, x.branch_protect). */
export const putRule = (platform: Platform, ...asked: Parameters<BranchRules['put']>): Promise<void> =>
  createBranchRules(platform).put(...asked)

/** Removes the rule of exactly this name, if there is one (contract 01, x.branch_unprotect). */
export const dropRule = (platform: Platform, ...asked: Parameters<BranchRules['drop']>): Promise<void> =>
  createBranchRules(platform).drop(...asked)
