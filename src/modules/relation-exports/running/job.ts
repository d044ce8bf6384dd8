import { anonymous } from '../../../api/index.ts'
import { acquireLock, now, type Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { enqueue, type Job, type Platform, type Portable } from '../../../platform/index.ts'
import { requireWorker } from '../../features/index.ts'
import { projectById } from '../../projects/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { removeRun, removeRunJob } from '../cleaning/removal.ts'
import { lockOf, type Owner, ownerOf, prefixOfRun } from '../core/portable.ts'
import * as store from '../core/store.ts'
import { contributions, relationNamed } from '../relations.ts'
import type { ExportRow } from '../tables.ts'
import type { Written } from './content.ts'
import { type Running, Superseded, writeFiles } from './writing.ts'

export type ExportPayload = { exportId: number; ticket: string }

const attempts = 4

/** What users learn about a failure (contract 14: without internals). */
const failureText = 'Export failed'

/** Exports of one project or group that run at once (contract 14, Background work). */
const atOnce = 5

/** Enqueues exports, so that only some of a project or group run at once. */
export async function enqueueExports(
  platform: Platform,
  tx: Tx,
  { kind, id }: Owner,
  exportIds: readonly number[],
  ticket: string,
): Promise<void> {
  for (const [index, exportId] of exportIds.entries()) {
    const orderKey = `relation_exports:${kind}:${id}:${index % atOnce}`
    await enqueue(platform, tx, exportRelationJob, { exportId, ticket }, { orderKey })
  }
}

/** Exports the users once all other exports of a project or group have ended. The caller holds their lock. */
export async function followEnd(platform: Platform, tx: Tx, owner: Owner): Promise<void> {
  const unfinished = (await store.exportsOf(tx, owner)).filter(({ status }) => status === 0)
  const [last] = unfinished
  if (unfinished.length !== 1 || last?.relation !== contributions) return
  const payload = { exportId: last.id, ticket: last.ticket }
  await enqueue(platform, tx, exportRelationJob, payload, { uniqueKey: `${last.id}:${last.ticket}` })
}

async function portableOf(platform: Platform, row: ExportRow): Promise<Portable | null> {
  const { database } = platform
  const owner = ownerOf(row)
  const namespaceId = owner.kind === 'group' ? owner.id : (await projectById(database.read, owner.id))?.namespace_id
  if (namespaceId === undefined) return null
  const user = row.user_id === null ? null : await userById(database.read, row.user_id)
  return { ...owner, namespaceId, actor: user ? actingUser(platform, user) : anonymous }
}

/** Begins a run; files of a former one are deleted. Null when there is nothing to do. */
async function begin(platform: Platform, { exportId, ticket }: ExportPayload): Promise<[ExportRow, store.Run] | null> {
  const run: store.Run = { id: exportId, ticket, run: randomHex(16) }
  const row = await platform.database.write(async (tx) => {
    const former = await store.beginRun(tx, { ...run, at: now(platform.clock) })
    if (former?.run) await enqueue(platform, tx, removeRunJob, { ...ownerOf(former), run: former.run })
    return former
  })
  return row && [row, run]
}

async function finish(platform: Platform, { row, run }: Running, { objects, users }: Written): Promise<void> {
  const owner = ownerOf(row)
  await platform.database.write(async (tx) => {
    await acquireLock(tx, lockOf(owner))
    const changes = { status: 1 as const, objects_count: objects, updated_at: now(platform.clock) }
    if (!(await store.updateRun(tx, run, changes))) throw new Superseded()
    await store.insertUsers(tx, run.id, users)
    if (row.relation !== contributions) await followEnd(platform, tx, owner)
  })
}

async function fail(platform: Platform, { row, run }: Running): Promise<void> {
  const owner = ownerOf(row)
  const at = now(platform.clock)
  await platform.database.write(async (tx) => {
    await acquireLock(tx, lockOf(owner))
    const changes = { status: -1 as const, error: failureText, objects_count: 0, updated_at: at, run: null }
    if (!(await store.updateRun(tx, run, changes))) return
    await store.failFiles(tx, run.id, failureText, at)
    await enqueue(platform, tx, removeRunJob, { ...owner, run: run.run })
    if (row.relation !== contributions) await followEnd(platform, tx, owner)
  })
}

/** @throws RunLater while exports of the project or group are switched off; they do not stall meanwhile */
async function requireExports(platform: Platform, { exportId }: ExportPayload): Promise<void> {
  const { database, clock } = platform
  const row = await store.exportById(database.read, exportId)
  if (!row) return
  const about = { projectId: row.project_id, groupId: row.namespace_id }
  await requireWorker(platform, 'relation_export_worker', about).catch(async (paused) => {
    await database.write((tx) => store.keepWaiting(tx, exportId, now(clock)))
    throw paused
  })
}

/**
 * Exports one relation. The files of a run become visible together when it is finished; a run that is killed leaves files that
 * the next one deletes.
 */
export const exportRelationJob: Job<ExportPayload> = {
  kind: 'relation_exports.export',
  queue: 'exports',
  maxAttempts: attempts,
  async run(platform, payload, { attempt, signal }) {
    await requireExports(platform, payload)
    const begun = await begin(platform, payload)
    if (!begun) return
    const [row, run] = begun
    const portable = await portableOf(platform, row)
    const relation = relationNamed(ownerOf(row).kind, row.relation)
    if (!portable || !relation) return
    const running: Running = { row, run, portable, signal }
    try {
      await finish(platform, running, await writeFiles(platform, relation, running))
    } catch (error) {
      // When this fails as well, the removal that the next run or the failure enqueues deletes them.
      await removeRun(platform, prefixOfRun(ownerOf(row), run.run)).catch((problem) => {
        platform.log.warn({ err: problem, export: row.id }, 'the files of an export could not be deleted')
      })
      if (error instanceof Superseded) return
      if (signal.aborted || attempt < attempts) throw error
      platform.log.error({ err: error, export: row.id, relation: row.relation }, 'a relation could not be exported')
      await fail(platform, running)
    }
  },
}
