import { type Page, type PageRequest, recordNotFound } from '../../../api/index.ts'
import { acquireLock, jsonText, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { recordNodeChange } from '../feed/feed.ts'
import type { NodeRow } from '../tables.ts'
import { makeCredentials, noCredentials } from './credentials.ts'
import { ownName } from './own-node.ts'
import type { GivenNode } from './params.ts'
import { type Naming, type NodeContext, presentNode } from './present.ts'
import { forgetRole } from './role.ts'
import { type Candidate, requireValid, withSlash } from './rules.ts'
import * as store from './store.ts'
import { type NodeCaller, refusedToNode } from './subject.ts'

/** Keeps two changes of records apart: names and the one primary are checked before they are written. */
const lockName = 'geo_nodes'

type Presented = ReturnType<typeof presentNode>

/** Address of the primary, which has the pages and the API of all records; that of this server without one. */
export async function primaryUrlOf({ externalUrl }: Platform, db: Reader): Promise<string> {
  return (await store.primaryNode(db))?.url ?? `${externalUrl}/`
}

async function contextOf(platform: Platform, db: Reader, naming: Naming) {
  const shared = { naming, primaryUrl: await primaryUrlOf(platform, db), ownName: ownName(platform) }
  return (namespaceIds: readonly number[]): NodeContext => ({ ...shared, namespaceIds })
}

/** Records as they are shown, in order. */
export async function presentNodes(
  platform: Platform,
  db: Reader,
  rows: readonly NodeRow[],
  naming: Naming = 'geo_nodes',
): Promise<Presented[]> {
  const context = await contextOf(platform, db, naming)
  const ids = rows.map(({ id }) => id)
  const namespaces = await store.namespaceIdsOf(db, ids)
  return rows.map((row) => presentNode(row, context(namespaces.get(row.id) ?? [])))
}

async function presentOne(platform: Platform, row: NodeRow, naming: Naming): Promise<Presented> {
  return (await presentNodes(platform, platform.database.read, [row], naming))[0] as Presented
}

/** The members that are set. */
function withoutUndefined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never
}

/** The columns of the given parameters. @param url of the node after the change: an equal internal one counts as unset */
function columnsOf(given: GivenNode, url: string) {
  const { name, url: _, primary, selective_sync_namespace_ids: _ids, ...others } = given
  const { internal_url: internal, selective_sync_type: type, selective_sync_shards: shards, ...same } = others
  const own = internal?.trim() ? withSlash(internal.trim()) : null
  return withoutUndefined({
    ...same,
    name: name?.trim(),
    url: given.url === undefined ? undefined : url,
    is_primary: primary,
    internal_url: internal === undefined ? undefined : own === url ? null : own,
    selective_sync_type: type === undefined ? undefined : type?.trim() || null,
    shards: shards && [...new Set(shards.filter((shard) => shard !== ''))],
  })
}

const defaults = {
  internal_url: null,
  is_primary: false,
  enabled: true,
  files_max_capacity: 10,
  repos_max_capacity: 25,
  verification_max_capacity: 100,
  container_repositories_max_capacity: 10,
  sync_object_storage: false,
  selective_sync_type: null,
  shards: [] as string[],
  minimum_reverification_interval: 7,
}

type Valid = { selective_sync_type: NodeRow['selective_sync_type'] }

/** @throws ApiError 404 when a group does not exist */
async function limitTo(tx: Tx, nodeId: number, ids: readonly number[] | undefined): Promise<void> {
  if (ids && !(await store.setNamespaces(tx, nodeId, ids))) throw recordNotFound()
}

/** What follows a change of records, when it is committed. */
async function followChange(platform: Platform, tx: Tx, nodeId: number): Promise<void> {
  tx.afterCommit(() => forgetRole(platform))
  await recordNodeChange(platform, tx, nodeId)
}

/** Adds a node (contract 3.40). @throws ApiError 400, 404 */
export async function createNode(
  platform: Platform,
  given: GivenNode & { name: string; url: string },
  naming: Naming,
  act: Act,
): Promise<Presented> {
  const { database, clock } = platform
  const moment = now(clock)
  const { columns: credentials } = await makeCredentials(platform)
  const row = await database.write(async (tx) => {
    await acquireLock(tx, lockName)
    const url = withSlash(given.url.trim())
    const { shards, ...columns } = { ...defaults, name: given.name.trim(), url, ...columnsOf(given, url) }
    await requireValid(tx, { id: null, ...columns }, ownName(platform))
    const made = await store.insertNode(tx, {
      ...(columns as typeof columns & Valid),
      ...(columns.is_primary ? noCredentials : credentials),
      name_key: store.nameKey(columns.name),
      selective_sync_shards: jsonText(shards),
      ...{ created_at: moment, updated_at: moment },
    })
    await limitTo(tx, made.id, given.selective_sync_namespace_ids)
    await followChange(platform, tx, made.id)
    await act(tx, made.id)
    return made
  })
  return presentOne(platform, row, naming)
}

/** A node may change only whether it is enabled, and only its own record. @throws ApiError 400 */
function requireOwn(caller: NodeCaller, given: GivenNode): void {
  const isOther = Object.entries(given).some(([name, value]) => name !== 'enabled' && value !== undefined)
  if (caller.kind === 'node' && isOther) throw refusedToNode()
}

/** Changes the given members of a node (contract 3.42). @throws ApiError 400, 404 */
export async function updateNode(
  platform: Platform,
  caller: NodeCaller,
  id: number,
  given: GivenNode,
  { naming, act }: { naming: Naming; act: Act },
): Promise<Presented> {
  requireOwn(caller, given)
  const { database, clock } = platform
  const { columns: fresh } = await makeCredentials(platform)
  const row = await database.write(async (tx) => {
    await acquireLock(tx, lockName)
    const before = await store.holdNode(tx, id)
    if (!before) throw recordNotFound()
    const url = given.url === undefined ? before.url : withSlash(given.url.trim())
    const { shards, ...columns } = columnsOf(given, url)
    const candidate: Candidate = { ...before, ...columns }
    await requireValid(tx, candidate, ownName(platform))
    const turned = columns.is_primary !== undefined && columns.is_primary !== before.is_primary
    const changed = await store.updateNode(tx, id, {
      ...(columns as typeof columns & Partial<Valid>),
      ...(candidate.internal_url === url ? { internal_url: null } : {}),
      ...(turned ? (columns.is_primary ? noCredentials : fresh) : {}),
      ...(columns.name === undefined ? {} : { name_key: store.nameKey(columns.name) }),
      ...(shards === undefined ? {} : { selective_sync_shards: jsonText(shards) }),
      updated_at: now(clock),
    })
    await limitTo(tx, id, given.selective_sync_namespace_ids)
    await followChange(platform, tx, id)
    await act(tx, id)
    return changed
  })
  return presentOne(platform, row, naming)
}

/** A page of all nodes (contract 3.41). */
export async function listNodes(platform: Platform, page: PageRequest, naming: Naming): Promise<Page<Presented>> {
  const { read } = platform.database
  const found = await store.pageOfNodes(read, page)
  return { ...found, items: await presentNodes(platform, read, found.items, naming) }
}

/** @throws ApiError 404 */
export async function requireNodeRow(db: Reader, id: number): Promise<NodeRow> {
  const row = await store.nodeById(db, id)
  if (!row) throw recordNotFound()
  return row
}

/** One node (contract 3.41b). @throws ApiError 404 */
export async function getNode(platform: Platform, id: number, naming: Naming): Promise<Presented> {
  return presentOne(platform, await requireNodeRow(platform.database.read, id), naming)
}

/** Removes a node with its credentials and its status (contract 3.43). @throws ApiError 404 */
export async function deleteNode(platform: Platform, id: number, act: Act): Promise<void> {
  await platform.database.write(async (tx) => {
    await acquireLock(tx, lockName)
    if (!(await store.deleteNodeRow(tx, id))) throw recordNotFound()
    await followChange(platform, tx, id)
    await act(tx, id)
  })
}
