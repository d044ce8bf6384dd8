import { sql } from 'kysely'
import { prepareQuery, type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import { type IntegrationRow, integrations } from '../tables.ts'

export const {
  byId: integrationById,
  insert: insertIntegration,
  update: updateIntegration,
  remove: removeIntegration,
} = rows(integrations)

/** A setting, with the distance of its group: -1 for that of the project, 0 for the nearest group. */
export type DistantRow = IntegrationRow & { depth: number }

const above = prepareQuery((db, { projectId, namespaceId }: { projectId: number; namespaceId: number }) => {
  const ofProject = db
    .selectFrom('integrations')
    .selectAll('integrations')
    .select(sql<number>`-1`.as('depth'))
    .where('project_id', '=', projectId)
  const ofGroups = db
    .selectFrom('integrations')
    .innerJoin('namespace_ancestors as above', 'above.ancestor_id', 'integrations.namespace_id')
    .selectAll('integrations')
    .select(sql<number>`above.depth`.as('depth'))
    .where('above.namespace_id', '=', namespaceId)
  return ofProject.unionAll(ofGroups)
})

/**
 * The settings of a project or group and of the groups above it, in one query. They are at most as many as the catalogue has entries, for
 * each level.
 */
export async function settingsAbove(db: Reader, { kind, id, namespaceId }: ProjectOrGroupRef): Promise<DistantRow[]> {
  return above(db, { projectId: kind === 'project' ? id : 0, namespaceId })
}

const ofProject = prepareQuery((db, { projectId }: { projectId: number }) => {
  const own = db
    .selectFrom('integrations')
    .selectAll('integrations')
    .select(sql<number>`-1`.as('depth'))
    .where('project_id', '=', projectId)
  const ofGroups = db
    .selectFrom('integrations')
    .innerJoin('namespace_ancestors as above', 'above.ancestor_id', 'integrations.namespace_id')
    .innerJoin('projects', 'projects.namespace_id', 'above.namespace_id')
    .selectAll('integrations')
    .select(sql<number>`above.depth`.as('depth'))
    .where('projects.id', '=', projectId)
  return own.unionAll(ofGroups)
})

/** The same for a project of which only the id is known. */
export async function settingsAboveProject(db: Reader, projectId: number): Promise<DistantRow[]> {
  return ofProject(db, { projectId })
}

/** The setting of a project or group itself, under a lock. */
export async function heldSetting(
  tx: Tx,
  { kind, id }: Pick<ProjectOrGroupRef, 'kind' | 'id'>,
  slug: string,
): Promise<IntegrationRow | null> {
  const query = tx.selectFrom('integrations').selectAll().where('slug', '=', slug)
  const own = kind === 'project' ? query.where('project_id', '=', id) : query.where('namespace_id', '=', id)
  return (await own.executeTakeFirst()) ?? null
}
