import type { Reader } from '../../../infra/database/index.ts'
import type { LfsObjectRow } from '../tables.ts'

const rowsAtOnce = 500

/** LFS objects of a project after an id, in the order of the ids. */
export function projectObjectsAfter(db: Reader, projectId: number, afterId: number): Promise<LfsObjectRow[]> {
  return db
    .selectFrom('lfs_objects_projects as l')
    .innerJoin('lfs_objects as o', 'o.id', 'l.object_id')
    .selectAll('o')
    .where('l.project_id', '=', projectId)
    .where('l.object_id', '>', afterId)
    .orderBy('l.object_id')
    .limit(rowsAtOnce)
    .execute()
}
