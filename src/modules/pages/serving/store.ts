import { prepareQuery, type Reader, within } from '../../../infra/database/index.ts'
import type { PagesDeploymentRow, PagesSiteRow } from '../tables.ts'

const byName = prepareQuery((db, { name }: { name: string }) =>
  db.selectFrom('pages_sites').selectAll().where('unique_name', '=', name),
)

/** The site whose host has this label. @param name in lower case */
export async function siteNamed(db: Reader, name: string): Promise<PagesSiteRow | null> {
  return (await byName(db, { name }))[0] ?? null
}

/** The deployments of these prefixes of a project that have not expired. */
export async function deploymentsAt(
  db: Reader,
  projectId: number,
  prefixes: readonly string[],
  moment: string,
): Promise<PagesDeploymentRow[]> {
  return db
    .selectFrom('pages_deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(within(db, 'path_prefix', prefixes))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', moment)]))
    .execute()
}
