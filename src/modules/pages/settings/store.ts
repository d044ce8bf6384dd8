import { type ChangesOf, type NewRowOf, prepareQuery, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { PagesSiteRow, pagesSites } from '../tables.ts'

const ofProject = prepareQuery((db, { id }: { id: number }) =>
  db.selectFrom('pages_sites').selectAll().where('project_id', '=', id),
)

export async function siteOfProject(db: Reader, projectId: number): Promise<PagesSiteRow | null> {
  return (await ofProject(db, { id: projectId }))[0] ?? null
}

/** Stores a site, unless the project has one, or the name is taken. */
export async function insertSite(tx: Tx, row: NewRowOf<typeof pagesSites>): Promise<void> {
  await tx
    .insertInto('pages_sites')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function updateSite(tx: Tx, projectId: number, changes: ChangesOf<typeof pagesSites>): Promise<void> {
  await tx.updateTable('pages_sites').set(changes).where('project_id', '=', projectId).execute()
}
