import { type Actor, notFound } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { parseStorageKey } from '../../../infra/objects/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import { type Project, settingsOf } from '../../projects/index.ts'
import { requireJob } from '../jobs/jobs.ts'
import { presentJobs } from '../jobs/present.ts'
import { jobById } from '../processing/store/states.ts'
import { deleteArtifactsOf, findArtifact } from './artifacts.ts'
import * as store from './store.ts'

const batchSize = 200

/** Keeps the artifacts of a job for ever (contract 04, x.job_artifacts_keep). @throws ApiError 404 */
export async function keepArtifacts(platform: Platform, project: Project, actor: Actor, jobId: number) {
  const job = await requireJob(platform, project, jobId)
  if (!(await findArtifact(platform, job.id))) throw notFound()
  await platform.database.write((tx) => store.keepArtifacts(tx, job.id))
  const current = await jobById(platform.database.read, job.id)
  const [presented] = await presentJobs(platform, project, actor, current ? [current] : [])
  if (!presented) throw notFound()
  return presented
}

/** Deletes the artifacts of a job; its log stays (contract 04, x.job_artifacts_delete). @throws ApiError 404 */
export async function deleteArtifacts(platform: Platform, project: Project, jobId: number): Promise<void> {
  await deleteArtifactsOf(platform, (await requireJob(platform, project, jobId)).id)
}

async function remove({ database, objects }: Platform, ids: readonly number[]): Promise<void> {
  // Rows go first: a removed row cannot point to deleted bytes.
  const keys = await database.write((tx: Tx) => store.deleteArtifacts(tx, { ids }))
  for (const key of keys) await objects.delete(parseStorageKey(key))
}

/** Deletes the artifacts of a project, except those of the newest successful pipeline of each ref. */
export const deleteProjectArtifactsJob: Job<{ projectId: number }> = {
  kind: 'pipelines.delete_artifacts',
  queue: 'maintenance',
  async run(platform, { projectId }, { signal }) {
    for (let last = 0; ; ) {
      signal.throwIfAborted()
      const rows = await store.deletableArtifacts(platform.database.read, projectId, last, batchSize)
      const ids = rows.map(({ id }) => id)
      await remove(platform, ids)
      if (rows.length < batchSize) return
      last = ids.at(-1) ?? last
    }
  },
}

/** Has the artifacts of a project deleted (contract 04, x.project_artifacts_delete). */
export async function deleteProjectArtifacts(platform: Platform, { id }: Project): Promise<void> {
  const options = { uniqueKey: String(id) }
  await platform.database.write((tx) => enqueue(platform, tx, deleteProjectArtifactsJob, { projectId: id }, options))
}

/** Deletes artifacts that have expired; those of the newest successful pipeline of a ref stay if the project says so. */
export const expireArtifactsJob: Job<null> = {
  kind: 'pipelines.expire_artifacts',
  queue: 'maintenance',
  every: { seconds: 3600 },
  async run(platform, _, { signal }) {
    const moment = now(platform.clock)
    for (let last = 0; ; ) {
      signal.throwIfAborted()
      const rows = await store.expiredArtifacts(platform.database.read, moment, last, batchSize)
      const isKept = ({ is_latest, settings }: (typeof rows)[number]) =>
        Boolean(is_latest) && settingsOf({ settings }).keep_latest_artifact
      await remove(
        platform,
        rows.filter((row) => !isKept(row)).map(({ id }) => id),
      )
      if (rows.length < batchSize) return
      last = rows.at(-1)?.id ?? last
    }
  },
}
