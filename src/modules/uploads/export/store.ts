import type { Reader } from '../../../infra/database/index.ts'
import type { UploadOwner } from '../owner.ts'
import type { UploadRow } from '../tables.ts'

const rowsAtOnce = 500

/** Uploads of an owner after an id, in the order of the ids. */
export function ownUploadsAfter(db: Reader, { kind, id }: UploadOwner, afterId: number): Promise<UploadRow[]> {
  const column = kind === 'project' ? 'project_id' : 'namespace_id'
  const query = db.selectFrom('uploads').selectAll().where(column, '=', id).where('id', '>', afterId)
  return query.orderBy('id').limit(rowsAtOnce).execute()
}
