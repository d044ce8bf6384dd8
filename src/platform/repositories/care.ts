import type { Database } from '../../infra/database/index.ts'
import { GitError } from '../../infra/git/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import type { Repositories } from './old-shape.ts'
import { repositoriesToPack, repositoryById, savePacked, saveSizes } from './store.ts'
import type { RepositoryRow } from './tables.ts'

export type CareNeeds = { database: Database; jobs: Jobs; repositories: Repositories }

/** Keeps repositories small and their sizes true (contract 22 R5; design §5). */
export type RepositoryCare = {
  /** Measures a repository, unless that has been done since its refs last moved; has it packed when it needs to be. */
  afterPush(repositoryId: number): Promise<void>
  /** Measures a repository anew. */
  measure(row: RepositoryRow): Promise<void>
  /** Packs a repository and measures it; does nothing while it is being moved. */
  pack(row: RepositoryRow, signal?: AbortSignal): Promise<void>
}

const packJob = 'repositories.pack'
const sweepJob = 'repositories.pack_all'
const daySeconds = 86_400
/** 03:00 UTC, when most people sleep. */
const offsetSeconds = 3 * 3600
const portion = 500

export function createRepositoryCare({ database, jobs, repositories }: CareNeeds): RepositoryCare {
  async function measure(row: RepositoryRow): Promise<void> {
    const repository = await repositories.open(row)
    const sizes = { sizeBytes: await repository.sizeBytes(), commitCount: await repository.commitCount() }
    await database.write((tx) => saveSizes(tx, row.id, { ...sizes, generation: row.generation }))
  }

  async function pack(row: RepositoryRow, signal?: AbortSignal): Promise<void> {
    if (row.read_only || row.generation === 0) return
    const repository = await repositories.open(row)
    await repository.optimize({ signal })
    await database.write((tx) => savePacked(tx, row.id, row.generation))
    await measure(row)
  }

  async function packLater(rows: readonly RepositoryRow[]): Promise<void> {
    await database.write(async (tx) => {
      for (const { id } of rows) await jobs.enqueue(tx, packJob, { repositoryId: id }, { uniqueKey: String(id) })
    })
  }

  jobs.define<{ repositoryId: number }>({
    kind: packJob,
    queue: 'maintenance',
    async run({ repositoryId }, { signal }) {
      const row = await repositoryById(database.read, repositoryId)
      if (!row) return
      await pack(row, signal).catch(async (error) => {
        if (!(await isGone(repositoryId, error))) throw error
      })
    },
  })
  jobs.define<null>({
    kind: sweepJob,
    queue: 'maintenance',
    async run(_, { signal }) {
      let rows = await repositoriesToPack(database.read, 0, portion)
      for (; rows.length > 0; rows = await repositoriesToPack(database.read, rows.at(-1)?.id ?? 0, portion)) {
        signal.throwIfAborted()
        await packLater(rows)
      }
    },
  })
  jobs.every(sweepJob, daySeconds, sweepJob, { offsetSeconds })

  /** Whether the repository has gone while it was looked after, which git may tell in any words: then there is nothing left to do. */
  async function isGone(repositoryId: number, error: unknown): Promise<boolean> {
    if (!(error instanceof GitError)) return false
    return (await repositoryById(database.read, repositoryId)) === null
  }

  async function careFor(row: RepositoryRow): Promise<void> {
    await measure(row)
    if (await (await repositories.open(row)).maintenanceNeeded()) await packLater([row])
  }

  return {
    async afterPush(repositoryId) {
      const row = await repositoryById(database.read, repositoryId)
      // Of a burst of pushes the first job measures what all have done.
      if (!row || row.read_only || row.measured_generation >= row.generation) return
      await careFor(row).catch(async (error) => {
        if (!(await isGone(repositoryId, error))) throw error
      })
    },
    measure,
    pack,
  }
}
