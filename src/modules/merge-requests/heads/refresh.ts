import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
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
  const { repository } = await openRepository(platform, project)
  const seen = await observe(repository, row, await currentHeads(repository, row))
  if (!seen) return row
  await platform.database.write((tx) => recordObservation(platform, tx, project, seen, null))
  return (await mergeRequestById(platform.database.read, row.id)) ?? row
}
