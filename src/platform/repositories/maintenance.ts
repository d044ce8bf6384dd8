import { portions } from '../../infra/database/index.ts'
import { enqueue, type Job } from '../jobs/jobs.ts'
import { requireWorker } from '../jobs/workers.ts'
import type { Platform } from '../platform.ts'
import { deferDuringBackup } from '../storage/during-backup.ts'
import { openRow } from './on-disk.ts'
import { RepositoryMoving } from './refusals.ts'
import { repositoriesToPack, repositoryById, savePacked, saveSizes } from './store/repositories.ts'
import type { RepositoryRow } from './tables.ts'

const daySeconds = 86_400
/** 03:00 UTC, when few people work. */
const offsetSeconds = 3 * 3600
const portion = 500

/** Measures a repository and stores its sizes (contract 22 R5). */
export async function measureRepository(platform: Platform, row: RepositoryRow): Promise<void> {
  const repository = await openRow(platform, row)
  const sizes = { sizeBytes: await repository.sizeBytes(), commitCount: await repository.commitCount() }
  await platform.database.write((tx) => saveSizes(tx, row.id, { ...sizes, generation: row.generation }))
}

/**
 * Packs a repository and measures it. Does nothing before it is on disk.
 * @throws RepositoryMoving while it is read-only; RunLater while a backup is made: packing replaces and deletes files
 */
export async function packRepository(platform: Platform, row: RepositoryRow, signal?: AbortSignal): Promise<void> {
  if (row.generation === 0) return
  if (row.read_only) throw new RepositoryMoving()
  await deferDuringBackup(platform)
  const repository = await openRow(platform, row)
  await repository.optimize({ signal })
  await platform.database.write((tx) => savePacked(tx, row.id, row.generation))
  await measureRepository(platform, row)
}

/** Measures a repository, unless that was done since its refs last moved, and enqueues its packing when it needs that. */
export async function maintainAfterPush(platform: Platform, repositoryId: number): Promise<void> {
  const row = await repositoryById(platform.database.read, repositoryId)
  // Of a burst of pushes, the first job measures the result of all.
  if (!row || row.measured_generation >= row.generation) return
  if (row.read_only) throw new RepositoryMoving()
  await unlessRemoved(platform, repositoryId, async () => {
    await measureRepository(platform, row)
    const repository = await openRow(platform, row)
    if (await repository.maintenanceNeeded()) await packLater(platform, [row])
  })
}

/** Packs one repository. */
export const packJob: Job<{ repositoryId: number }> = {
  kind: 'repositories.pack',
  queue: 'maintenance',
  async run(platform, { repositoryId }, { signal }) {
    const row = await repositoryById(platform.database.read, repositoryId)
    if (!row) return
    const about = { projectId: row.project_id, groupId: row.namespace_id }
    await requireWorker(platform, 'repository_maintenance_worker', about)
    await unlessRemoved(platform, repositoryId, () => packRepository(platform, row, signal))
  },
}

/** Enqueues the packing of every repository whose refs have moved since it was last packed. */
export const packAllJob: Job<null> = {
  kind: 'repositories.pack_all',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds },
  async run(platform, _, { signal }) {
    const { read } = platform.database
    for await (const rows of portions((afterId) => repositoriesToPack(read, afterId, portion))) {
      signal.throwIfAborted()
      await packLater(platform, rows)
    }
  },
}

async function packLater(platform: Platform, rows: readonly RepositoryRow[]): Promise<void> {
  await platform.database.write(async (tx) => {
    for (const { id } of rows) await enqueue(platform, tx, packJob, { repositoryId: id }, { uniqueKey: String(id) })
  })
}

/** Ignores the failure of work on a repository that was removed meanwhile: git and the file system report that in many ways. */
async function unlessRemoved({ database }: Platform, repositoryId: number, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if ((await repositoryById(database.read, repositoryId)) !== null) throw error
  }
}
