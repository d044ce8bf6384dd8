import { notFound, type Page, type PageRequest } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ReplicaRow } from '../tables.ts'
import type { ReplicableType } from '../types.ts'
import type { PresentedFailure } from './present.ts'
import { type FailureType, failedProjects, failureTypes, replicasOfProjects } from './store.ts'

export type FailureFilter = { type?: 'repository' | 'wiki' | undefined; failure_type?: string | undefined }

const types = { repository: 'project_repositories', wiki: 'project_wiki_repositories' } as const
const isFailureType = (text: string): text is FailureType => (failureTypes as readonly string[]).includes(text)

function membersOf(prefix: 'repository' | 'wiki', replica: ReplicaRow | undefined) {
  return {
    [`last_${prefix}_synced_at`]: replica?.attempted_at ?? null,
    [`last_${prefix}_successful_sync_at`]: replica?.synced_at ?? null,
    [`${prefix}_retry_count`]: replica?.retry_count ?? null,
    [`last_${prefix}_sync_failure`]: replica?.failure ?? null,
    [`last_${prefix}_verification_failure`]: replica?.verification_failure ?? null,
    [`${prefix}_verification_checksum_sha`]: replica?.checksum ?? null,
    [`${prefix}_checksum_mismatch`]: replica?.checksum_mismatch ?? false,
  }
}

/** The projects of which something has failed (x.geo_failures). @throws ApiError 404 for an unknown kind of failure */
export async function listFailures(
  { database }: Platform,
  { type, failure_type: failureType = 'sync' }: FailureFilter,
  page: PageRequest,
): Promise<Page<PresentedFailure>> {
  if (!isFailureType(failureType)) throw notFound('Failure type unknown')
  const wanted: ReplicableType[] = type ? [types[type]] : Object.values(types)
  const found = await failedProjects(database.read, wanted, failureType, page)
  const ids = found.items.map(({ project_id: id }) => id)
  const replicas = await replicasOfProjects(database.read, ids)
  const of = (id: number, kind: ReplicableType) =>
    replicas.find((replica) => replica.project_id === id && replica.type === kind)
  const items = ids.map((id) => ({
    project_id: id,
    ...membersOf('repository', of(id, types.repository)),
    ...membersOf('wiki', of(id, types.wiki)),
  }))
  return { ...found, items: items as PresentedFailure[] }
}
