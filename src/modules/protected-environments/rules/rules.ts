import {
  blank,
  conflict,
  dayOf,
  failure,
  lengthProblems,
  type PageRequest,
  recordNotFound,
  type Unmodified,
} from '../../../api/index.ts'
import { acquireLock, claim, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { deploymentTiers } from '../../ci-config/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import { asTheyCount, countingIn } from '../access/counting.ts'
import { removeUncounted } from '../ends/removal.ts'
import type { ProtectedEnvironmentRow } from '../tables.ts'
import {
  granteeOf,
  type ListChanges,
  type ListKind,
  listChanges,
  lists,
  requireLength,
  requireNaming,
  storeList,
} from './entries.ts'
import type { GivenEntry, NewProtection, ProtectionChanges } from './params.ts'
import { presentProtections } from './present.ts'
import * as store from './store.ts'

/** Protected environments of one project, as many as environments (contract 24, Limits). */
const mostProtections = 10_000
const longestName = 255

const deprecated = "Parameter 'required_approval_count' is deprecated and shouldn't be used."
const noTier = `Name must be one of environment tiers: ${deploymentTiers.join(', ')}.`

/** @throws ApiError 422 */
function requireName({ kind }: ProjectOrGroupRef, name: string): void {
  if (kind === 'group' && !deploymentTiers.some((tier) => tier === name)) throw failure(422, [noTier])
  const problems = [...(name.trim() === '' ? [blank] : []), ...lengthProblems(name, longestName)]
  if (problems.length > 0)
    throw failure(
      422,
      problems.map((problem) => `Name ${problem}`),
    )
}

/** @throws ApiError 400, 422 */
function requireValid(given: ProtectionChanges): void {
  if ((given.required_approval_count ?? 0) > 0) throw failure(422, deprecated)
  for (const kind of kinds) requireNaming(kind, given[lists[kind].parameter] ?? [])
}

const kinds = Object.keys(lists) as ListKind[]

const todayOf = ({ clock }: Platform) => dayOf(clock.now())

/** Presents what one project or group protects, with the entries that count. */
async function present(
  platform: Platform,
  db: Reader,
  owner: ProjectOrGroupRef,
  rows: readonly ProtectedEnvironmentRow[],
) {
  const entries = await store.entriesOf(
    db,
    rows.map(({ id }) => id),
  )
  const all = rows.flatMap(({ id }) => Object.values(entries(id)).flat())
  const counts = await countingIn(db, owner, all, todayOf(platform))
  return presentProtections(db, rows, (id) => asTheyCount(entries(id), counts))
}

async function presentOne(
  platform: Platform,
  db: Reader,
  owner: ProjectOrGroupRef,
  row: ProtectedEnvironmentRow | null,
) {
  const [shown] = row ? await present(platform, db, owner, [row]) : []
  if (!shown) throw recordNotFound()
  return shown
}

/** A page of what a project or group protects, by name (contract 24, x.protected_environments_list). */
export async function listProtections(platform: Platform, owner: ProjectOrGroupRef, page: PageRequest) {
  const { read } = platform.database
  const found = await store.pageOfProtections(read, owner, page)
  return { ...found, items: await present(platform, read, owner, found.items) }
}

/** One protected environment (contract 24, x.protected_environments_get). @throws ApiError 404 */
export async function getProtection(platform: Platform, owner: ProjectOrGroupRef, name: string) {
  const { read } = platform.database
  return presentOne(platform, read, owner, await store.protectionNamed(read, owner, name))
}

/** What a request changes in both lists. @throws ApiError 404, 422 */
async function changesOf(
  platform: Platform,
  tx: Tx,
  owner: ProjectOrGroupRef,
  given: ProtectionChanges,
  current: store.Entries,
) {
  const elements = (kind: ListKind): readonly GivenEntry[] => given[lists[kind].parameter] ?? []
  const grantees = kinds.flatMap((kind) => elements(kind).map(granteeOf))
  const counts = await countingIn(tx, owner, grantees, todayOf(platform))
  return kinds.map((kind): [ListKind, ListChanges] => {
    const changes = listChanges(kind, current[kind], elements(kind), counts)
    const length = current[kind].length - new Set(changes.removed).size + changes.added.length
    if (given[lists[kind].parameter] !== undefined) requireLength(kind, length)
    return [kind, changes]
  })
}

const taken = ({ kind }: ProjectOrGroupRef, name: string) =>
  conflict(
    kind === 'project'
      ? `Environment '${name}' is already protected`
      : `Protected environment '${name}' already exists`,
  )

/** Protects an environment, or a tier below a group (contract 24, x.protected_environments_create). @throws ApiError 400, 409, 422 */
export async function createProtection(platform: Platform, owner: ProjectOrGroupRef, given: NewProtection, act: Act) {
  const { name } = given
  requireValid(given)
  requireName(owner, name)
  const moment = now(platform.clock)
  return platform.database.write(async (tx) => {
    await acquireLock(tx, `protected_environments:${owner.kind}:${owner.id}`)
    if (await store.protectionNamed(tx, owner, name)) throw taken(owner, name)
    if ((await store.countProtections(tx, owner)) >= mostProtections) {
      throw failure(422, [`Protected environments are too many (maximum is ${mostProtections})`])
    }
    const changes = await changesOf(platform, tx, owner, given, { deploy: [], approval: [] })
    const row = await store.insertProtection(tx, {
      project_id: owner.kind === 'project' ? owner.id : null,
      namespace_id: owner.kind === 'group' ? owner.id : null,
      ...{ name, created_at: moment, updated_at: moment },
    })
    for (const [kind, ofList] of changes) await storeList(tx, kind, row.id, ofList)
    await act(tx, name)
    return presentOne(platform, tx, owner, row)
  })
}

/** The row, which others cannot change until the transaction ends. @throws ApiError 404 */
async function claimNamed(tx: Tx, owner: ProjectOrGroupRef, name: string): Promise<ProtectedEnvironmentRow> {
  const row = await claim(tx, 'protected_environments', () => store.protectionNamed(tx, owner, name))
  if (!row) throw recordNotFound()
  return row
}

/** Changes who may deploy and who has to approve (contract 24, x.protected_environments_update). @throws ApiError 400, 404, 422 */
export async function updateProtection(
  platform: Platform,
  owner: ProjectOrGroupRef,
  { name, changes: given, act }: { name: string; changes: ProtectionChanges; act: Act },
) {
  requireValid(given)
  return platform.database.write(async (tx) => {
    const row = await claimNamed(tx, owner, name)
    await removeUncounted(tx, owner, [row.id], todayOf(platform))
    const current = (await store.entriesOf(tx, [row.id]))(row.id)
    for (const [kind, changes] of await changesOf(platform, tx, owner, given, current)) {
      await storeList(tx, kind, row.id, changes)
    }
    const updated = await store.updateProtection(tx, row.id, { updated_at: now(platform.clock) })
    await act(tx, name)
    return presentOne(platform, tx, owner, updated)
  })
}

/** Ends a protection (contract 24, x.protected_environments_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteProtection(
  platform: Platform,
  owner: ProjectOrGroupRef,
  { name, unmodified, act }: { name: string; unmodified: Unmodified; act: Act },
): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await claimNamed(tx, owner, name)
    unmodified(row.updated_at)
    await store.removeProtection(tx, row.id)
    await act(tx, name)
  })
}
