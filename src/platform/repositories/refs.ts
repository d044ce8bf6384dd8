import { type RefSnapshot, type Repository, refName } from '../../infra/git/index.ts'
import type { Platform } from '../platform.ts'
import { openRow } from './on-disk.ts'
import { openIntentsOf } from './store/intents.ts'
import type { RepositoryRow } from './tables.ts'

/**
 * Reads the refs of a repository as of its row's generation. Refs that are changed by a push which is not recorded yet are read from
 * git: its process may have ended before it could record them.
 */
export async function refsAt(platform: Platform, row: RepositoryRow, repository: Repository): Promise<RefSnapshot> {
  if (!row.is_changing) return repository.refs(row.generation)
  const intents = await openIntentsOf(platform.database.read, row.id)
  const names = intents.flatMap(({ updates }) => updates.flatMap(({ ref }) => refName(ref) ?? []))
  return repository.currentRefs(row.generation, names)
}

/** As `refsAt`; creates the repository on disk when its row is new. */
export async function refsOf(platform: Platform, row: RepositoryRow): Promise<RefSnapshot> {
  return refsAt(platform, row, await openRow(platform, row))
}
