import { prepareQuery, type Reader } from '../../../infra/database/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { IntegrationRow, IntegrationType } from '../tables.ts'

const byPath = prepareQuery((db, { key }: { key: string }) =>
  db
    .selectFrom('routes')
    .innerJoin('projects', 'projects.id', 'routes.project_id')
    .selectAll('projects')
    .where('routes.path_key', '=', key)
    .where('routes.redirect', '=', false)
    .where('projects.pending_delete', '=', false),
)

/** The project with this path; former paths lead nowhere (contract 2.22). */
export async function projectAtPath(db: Reader, path: string): Promise<ProjectRow | null> {
  return (await byPath(db, { key: path.toLowerCase() }))[0] ?? null
}

const byIdentifier = prepareQuery((db, { projectId, identifier }: { projectId: number; identifier: string }) =>
  db
    .selectFrom('alert_integrations')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('endpoint_identifier', '=', identifier),
)

export async function integrationAt(db: Reader, projectId: number, identifier: string): Promise<IntegrationRow | null> {
  return (await byIdentifier(db, { projectId, identifier }))[0] ?? null
}

/** Whether a project has an active integration with a key. */
export async function hasActiveKey(db: Reader, projectId: number): Promise<boolean> {
  const query = db.selectFrom('alert_integrations').select('id').where('project_id', '=', projectId)
  const active = query.where('active', '=', true).where('token_digest', 'is not', null)
  return (await active.limit(1).executeTakeFirst()) !== undefined
}

/** The active integration of a project with the digest of this key; `preferred` when there are two. */
export async function integrationWithKey(
  db: Reader,
  projectId: number,
  digest: string,
  preferred: IntegrationType,
): Promise<IntegrationRow | null> {
  const query = db.selectFrom('alert_integrations').selectAll().where('project_id', '=', projectId)
  const active = query.where('active', '=', true).where('token_digest', '=', digest)
  const found = await active.orderBy((eb) => eb.case().when('type', '=', preferred).then(0).else(1).end()).limit(1)
  return (await found.executeTakeFirst()) ?? null
}
