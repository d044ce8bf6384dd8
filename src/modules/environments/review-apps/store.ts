import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { EnvironmentRow } from '../tables.ts'

/** The stopped review apps of a project that were created before a moment and are not scheduled for deletion, the oldest first. */
export function oldReviewApps(
  db: Reader,
  projectId: number,
  { before, limit }: { before: string; limit: number },
): Promise<EnvironmentRow[]> {
  return db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('state', '=', 'stopped')
    .where(sql<boolean>`name like 'review/%'`)
    .where('created_at', '<', before)
    .where('delete_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Sets when these environments are deleted. */
export async function scheduleDeletion(tx: Tx, ids: readonly number[], delete_at: string): Promise<void> {
  await tx
    .updateTable('environments')
    .set({ delete_at })
    .where(within(tx, 'id', ids))
    .execute()
}
