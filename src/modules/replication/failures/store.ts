import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, within } from '../../../infra/database/index.ts'
import type { ReplicaRow } from '../tables.ts'
import type { ReplicableType } from '../types.ts'

/** What can fail of a copy (x.geo_failures). */
export const failureTypes = ['sync', 'verification', 'checksum_mismatch'] as const
export type FailureType = (typeof failureTypes)[number]

/** A page of the projects of which a copy has failed, by id. */
export async function failedProjects(
  db: Reader,
  types: readonly ReplicableType[],
  failureType: FailureType,
  page: PageRequest,
): Promise<Page<{ project_id: number }>> {
  const ofTypes = db
    .selectFrom('geo_replicas')
    .select('project_id')
    .distinct()
    .where('project_id', 'is not', null)
    .where(within(db, 'type', types))
  const failed = {
    sync: () => ofTypes.where('state', '=', 'failed'),
    verification: () => ofTypes.where('verification', '=', 'failed'),
    checksum_mismatch: () => ofTypes.where('checksum_mismatch', '=', true),
  }[failureType]()
  return pageOfRows(db, failed.orderBy('project_id').$castTo<{ project_id: number }>(), page)
}

/** The copies of the repositories of projects. */
export async function replicasOfProjects(db: Reader, projectIds: readonly number[]): Promise<ReplicaRow[]> {
  return db
    .selectFrom('geo_replicas')
    .selectAll()
    .where(within(db, 'project_id', projectIds))
    .where('type', 'in', ['project_repositories', 'project_wiki_repositories'])
    .execute()
}
