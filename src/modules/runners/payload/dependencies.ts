import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { JobDefinition } from '../../ci-config/index.ts'
import { artifactsOfJobs, type CiJobArtifactRow, type CiJobRow, findArtifact } from '../../pipelines/index.ts'
import { type Prerequisite, successfulBefore } from './store.ts'

/** A job whose artifacts and report variables another job gets. */
export type Dependency = { id: number; name: string; archive: CiJobArtifactRow | null }

async function isGone(platform: Platform, { id, erased_at, artifacts_expire_at: expiry }: Prerequisite) {
  if (erased_at !== null) return true
  if (expiry === null || expiry > now(platform.clock)) return false
  return (await findArtifact(platform, id)) === null
}

/**
 * The jobs that a job depends on (contract 04, "Job payload"): those of `needs` or of earlier stages that succeeded,
 * restricted by `dependencies`.
 * @returns null when the artifacts of one have expired or were erased
 */
export async function dependenciesOf(
  platform: Platform,
  job: CiJobRow,
  { dependencies: named }: Pick<JobDefinition, 'dependencies'>,
): Promise<Dependency[] | null> {
  if (named?.length === 0) return []
  const db = platform.database.read
  const before = (await successfulBefore(db, job)).filter(({ name }) => !named || named.includes(name))
  for (const one of before) if (await isGone(platform, one)) return null
  const files = await artifactsOfJobs(
    db,
    before.map(({ id }) => id),
  )
  const archives = new Map(
    files.filter(({ file_type }) => file_type === 'archive').map((archive) => [archive.job_id, archive]),
  )
  return before.map(({ id, name }) => ({ id, name, archive: archives.get(id) ?? null }))
}
