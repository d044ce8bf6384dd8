import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { countRows, type Reader, rows, within } from '../../infra/database/index.ts'
import { ciSecureFiles, type SecureFileRow } from './tables.ts'

export const { byId: fileById, insert: insertFile, remove: deleteFile } = rows(ciSecureFiles)

/** A page of the files of a project, by id. */
export async function pageOfFiles(db: Reader, projectId: number, page: PageRequest): Promise<Page<SecureFileRow>> {
  const query = db.selectFrom('ci_secure_files').selectAll().where('project_id', '=', projectId)
  return pageOfRows(db, query.orderBy('id'), page)
}

export async function countFiles(db: Reader, projectId: number): Promise<number> {
  return countRows(db.selectFrom('ci_secure_files').where('project_id', '=', projectId))
}

/** Those of these secrets that files have, with the project of each. */
export async function knownSecrets(db: Reader, secrets: readonly string[]) {
  const query = db.selectFrom('ci_secure_files').select(['project_id', 'secret'])
  return query.where(within(db, 'secret', secrets)).execute()
}

/** Files after an id, for checks of all. */
export async function filesAfter(db: Reader, id: number, limit: number): Promise<SecureFileRow[]> {
  return db.selectFrom('ci_secure_files').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
}
