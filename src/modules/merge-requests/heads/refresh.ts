import type { Platform } from '../../../platform/index.ts'
import { openRepository, outsideGate, RepositoryMoving } from '../../../platform/repositories/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { mergeRequestById } from '../core/store.ts'
import type { MergeRequestRow } from '../tables.ts'
import { currentHeads } from './heads.ts'
import { observe, recordObservation } from './observe.ts'

/**
 * Compares an open merge request with its branches, and stores what is different. Pushes do that themselves; this finds what
 * they left: two pushes may be recorded in the other order than they were made.
 * @returns the row as it is then
 */
export async function refresh(platform: Platform, project: ProjectRow, row: MergeRequestRow): Promise<MergeRequestRow> {
  if (row.state !== 'opened') return row
  const { repository, row: stored } = await openRepository(platform, project)
  if (stored.read_only) return row
  const guard = (change: () => Promise<void>) => outsideGate(platform, stored, change)
  const seen = await observe(repository, row, await currentHeads(repository, row), { guard }).catch((error) => {
    // Reading goes on while the repository is moved to another storage.
    if (error instanceof RepositoryMoving) return null
    throw error
  })
  if (!seen) return row
  await platform.database.write((tx) => recordObservation(platform, tx, project, seen, null))
  return (await mergeRequestById(platform.database.read, row.id)) ?? row
}
