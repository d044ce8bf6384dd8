import { ApiError, parameterErrors } from '../../api/index.ts'
import { type Act, enqueue, type Job, type Platform } from '../../platform/index.ts'
import { ownersIn } from '../../platform/repositories/index.ts'
import { kindNamed, type MoveKind } from './kinds.ts'
import type { BulkMove } from './params.ts'
import { scheduleMove } from './schedule.ts'

type Bulk = { kind: MoveKind['name']; source: string; destination: string | null }

const portion = 200

/** Schedules a move of one container, unless it was moved or is being moved. */
async function scheduleOne(
  platform: Platform,
  kind: MoveKind,
  id: number,
  { source, destination }: Bulk,
): Promise<void> {
  await scheduleMove(platform, kind, id, { source, destination: destination ?? undefined }).catch((error) => {
    if (!(error instanceof ApiError)) throw error
    platform.log.warn({ container: id, kind: kind.name, reason: error.body }, 'the move of a repository was skipped')
  })
}

/** Schedules a move for each container in a storage, in the order of ids (contract 10, Bulk). It may run again. */
export const bulkJob: Job<Bulk> = {
  kind: 'storage_moves.bulk',
  queue: 'storage_moves_bulk',
  async run(platform, bulk, { signal }) {
    const kind = kindNamed(bulk.kind)
    const { read } = platform.database
    const { source: storage } = bulk
    for (let afterId = 0; ; ) {
      const ids = await ownersIn(read, kind.main, { storage, afterId, limit: portion })
      for (const id of ids) {
        signal.throwIfAborted()
        await scheduleOne(platform, kind, id, bulk)
      }
      const last = ids.at(-1)
      if (last === undefined) return
      afterId = last
    }
  },
}

/** Enqueues the moves of all containers in a storage (contract 10, 3.17). @throws ApiError 400 for unknown storages */
export async function scheduleAll(platform: Platform, kind: MoveKind, params: BulkMove, act: Act): Promise<void> {
  const names = ['source_storage_name', 'destination_storage_name'] as const
  const problems = names.flatMap((name) => {
    const value = params[name]
    const isKnown = value === undefined || Object.hasOwn(platform.config.storages, value)
    return isKnown ? [] : [{ name, missing: false, text: 'does not have a valid value' }]
  })
  if (problems.length > 0) throw parameterErrors(problems)
  const { source_storage_name: source, destination_storage_name: destination = null } = params
  await platform.database.write(async (tx) => {
    await enqueue(platform, tx, bulkJob, { kind: kind.name, source, destination })
    await act(tx, source)
  })
}
