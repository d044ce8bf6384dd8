import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import type { StorageKey } from '../../../infra/objects/index.ts'
import { keyOfDeployment } from '../keys.ts'
import { type PagesDeploymentRow, pagesDeployments } from '../tables.ts'

export const { insert: insertDeployment, remove: deleteDeployment } = rows(pagesDeployments)

/** The deployment of a prefix of a project. */
export async function deploymentAt(db: Reader, projectId: number, prefix: string): Promise<PagesDeploymentRow | null> {
  const query = db.selectFrom('pages_deployments').selectAll().where('project_id', '=', projectId)
  return (await query.where('path_prefix', '=', prefix).executeTakeFirst()) ?? null
}

/** The deployments of a project that have not expired, the newest first. */
export async function deploymentsOf(
  db: Reader,
  projectId: number,
  moment: string,
  limit: number,
): Promise<PagesDeploymentRow[]> {
  return db
    .selectFrom('pages_deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', moment)]))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** What of a deployment says where its object is. */
export type PlacedDeployment = Pick<PagesDeploymentRow, 'id' | 'project_id' | 'secret'>

/** Deletes the deployments of a project. */
export async function deleteDeploymentsOf(tx: Tx, projectId: number): Promise<PlacedDeployment[]> {
  const query = tx.deleteFrom('pages_deployments').where('project_id', '=', projectId)
  return query.returning(['id', 'project_id', 'secret']).execute()
}

/** Where the objects of deployments are, by their ids; of those that there are. */
export async function siteKeys(db: Reader, ids: readonly number[]): Promise<Map<number, StorageKey>> {
  const query = db.selectFrom('pages_deployments').select(['id', 'project_id', 'secret'])
  const found = await query.where(within(db, 'id', ids)).execute()
  return new Map(found.map((row) => [row.id, keyOfDeployment(row)]))
}

/** The ids of the deployments of a project. */
export async function sitesOfProject(db: Reader, projectId: number): Promise<number[]> {
  const query = db.selectFrom('pages_deployments').select('id').where('project_id', '=', projectId)
  return (await query.execute()).map(({ id }) => id)
}

/** How many sites with a prefix the projects below a namespace have; more than `limit` are not counted. */
export async function countPrefixed(db: Reader, rootId: number, limit: number): Promise<number> {
  const query = db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('projects as p', 'p.namespace_id', 'a.namespace_id')
    .innerJoin('pages_deployments as d', 'd.project_id', 'p.id')
    .where('a.ancestor_id', '=', rootId)
    .select('d.id')
    .where('d.path_prefix', '<>', '')
    .limit(limit)
  return (await query.execute()).length
}

/** Deployments whose time is over, by id. */
export async function expiredDeployments(db: Reader, moment: string, limit: number): Promise<PagesDeploymentRow[]> {
  return db
    .selectFrom('pages_deployments')
    .selectAll()
    .where('expires_at', '<=', moment)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function deploymentsAfter(db: Reader, afterId: number, limit: number): Promise<PagesDeploymentRow[]> {
  return db.selectFrom('pages_deployments').selectAll().where('id', '>', afterId).orderBy('id').limit(limit).execute()
}

/** Those of these deployments that exist, by the random parts of their keys. */
export async function knownSecrets(db: Reader, secrets: readonly string[]) {
  return db
    .selectFrom('pages_deployments')
    .select(['project_id', 'secret'])
    .where(within(db, 'secret', secrets))
    .execute()
}

/** Bytes of the objects of all sites. It reads every deployment. */
export async function sizeOfSites(db: Reader): Promise<number> {
  const query = db.selectFrom('pages_deployments').select(({ fn }) => fn.sum<number | null>('object_bytes').as('bytes'))
  return Number((await query.executeTakeFirst())?.bytes ?? 0)
}
