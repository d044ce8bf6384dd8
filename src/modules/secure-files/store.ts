import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { countRows, type Reader, rows, within } from '../../infra/database/index.ts'
import type { StorageKey } from '../../infra/objects/index.ts'
import { keyOfFile } from './keys.ts'
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

/** Where the contents of files are, by their ids; of those that there are. */
export async function secureFileKeys(db: Reader, ids: readonly number[]): Promise<Map<number, StorageKey>> {
  const query = db.selectFrom('ci_secure_files').select(['id', 'project_id', 'secret'])
  const found = await query.where(within(db, 'id', ids)).execute()
  return new Map(found.map((row) => [row.id, keyOfFile(row)]))
}

/** The ids of the files of a project. */
export async function secureFilesOfProject(db: Reader, projectId: number): Promise<number[]> {
  const query = db.selectFrom('ci_secure_files').select('id').where('project_id', '=', projectId)
  return (await query.execute()).map(({ id }) => id)
}
