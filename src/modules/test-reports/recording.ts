import { now, type Tx } from '../../infra/database/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction } from '../../platform/index.ts'
import { type CiJobRow, findArtifact, jobById, pipelineById } from '../pipelines/index.ts'
import { defaultBranchName, projectById } from '../projects/index.ts'
import { mostRecentFailures, recentDays, suiteNameOf } from './reports.ts'
import { casesIn, digestOf, resultsOf } from './results.ts'
import { deleteFailuresBefore, insertFailures } from './store.ts'

async function isOnDefaultBranch(platform: Platform, job: CiJobRow): Promise<boolean> {
  const { read } = platform.database
  const [project, pipeline] = [await projectById(read, job.project_id), await pipelineById(read, job.pipeline_id)]
  return project !== null && pipeline?.tag === false && pipeline.ref === (await defaultBranchName(platform, project))
}

/** Reads the report of a job before it is asked for, and records what failed on the default branch. */
export const readReportJob: Job<{ jobId: number }> = {
  kind: 'test_reports.read',
  queue: 'maintenance',
  async run(platform, { jobId }) {
    const job = await jobById(platform.database.read, jobId)
    const report = job && (await findArtifact(platform, jobId, 'junit'))
    if (!job || !report) return
    const results = await resultsOf(platform, job, report)
    if (!(await isOnDefaultBranch(platform, job))) return
    const digests = new Set<string>()
    for await (const one of casesIn(platform, results)) {
      if (one.status === 'failed') digests.add(digestOf(suiteNameOf(job.name), one))
      if (digests.size >= mostRecentFailures) break
    }
    const place = { projectId: job.project_id, jobId, at: now(platform.clock) }
    await platform.database.write((tx) => insertFailures(tx, place, [...digests]))
  },
}

/** Has reports read that runners upload. */
export const readUploadedReport: Reaction<Events['job_artifact.stored']> = async (
  platform,
  tx: Tx,
  { jobId, fileType },
) => {
  if (fileType === 'junit') await enqueue(platform, tx, readReportJob, { jobId })
}

const portion = 1_000

/** Forgets failures that count no more. */
export const forgetFailuresJob: Job<null> = {
  kind: 'test_reports.forget_failures',
  queue: 'maintenance',
  every: { seconds: 86_400, offsetSeconds: 5.75 * 3600 },
  async run({ database, clock }, _, { signal }) {
    const before = new Date(clock.now().getTime() - recentDays * 86_400_000).toISOString()
    for (;;) {
      signal.throwIfAborted()
      if ((await database.write((tx) => deleteFailuresBefore(tx, before, portion))) < portion) return
    }
  },
}
