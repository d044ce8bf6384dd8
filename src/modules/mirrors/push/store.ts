import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { acquireLock, countRows, type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type RemoteMirrorRow, remoteMirrors } from '../tables.ts'

export const {
  insert: insertRemoteMirror,
  update: updateRemoteMirror,
  remove: deleteRemoteMirror,
} = rows(remoteMirrors)

/** A page of the push mirrors of a project, by id. */
export async function pageOfRemoteMirrors(
  db: Reader,
  projectId: number,
  page: PageRequest,
): Promise<Page<RemoteMirrorRow>> {
  const own = db.selectFrom('remote_mirrors').selectAll().where('project_id', '=', projectId)
  return pageOfRows(db, own.orderBy('id'), page)
}

/** The push mirror with an id, if it is of the project. */
export async function remoteMirrorOf(db: Reader, projectId: number, id: number): Promise<RemoteMirrorRow | null> {
  const query = db.selectFrom('remote_mirrors').selectAll().where('project_id', '=', projectId).where('id', '=', id)
  return (await query.executeTakeFirst()) ?? null
}

/** Prevents others from adding or changing a push mirror of a project until the transaction ends. */
export const holdRemoteMirrors = (tx: Tx, projectId: number): Promise<void> =>
  acquireLock(tx, `remote_mirrors:${projectId}`)

/** Counts the push mirrors of a project, and prevents others from adding one until the transaction ends. */
export async function countRemoteMirrors(tx: Tx, projectId: number): Promise<number> {
  await holdRemoteMirrors(tx, projectId)
  return countRows(tx.selectFrom('remote_mirrors').where('project_id', '=', projectId))
}

/** The enabled push mirrors of a repository's project. */
export async function remoteMirrorsOfRepository(db: Reader, repositoryId: number): Promise<RemoteMirrorRow[]> {
  return db
    .selectFrom('remote_mirrors')
    .innerJoin('repositories', 'repositories.project_id', 'remote_mirrors.project_id')
    .selectAll('remote_mirrors')
    .where('repositories.id', '=', repositoryId)
    .where('repositories.kind', '=', 'project')
    .where('remote_mirrors.enabled', '=', true)
    .orderBy('remote_mirrors.id')
    .execute()
}
