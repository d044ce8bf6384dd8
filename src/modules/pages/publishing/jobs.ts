import type { Tx } from '../../../infra/database/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction } from '../../../platform/index.ts'
import { jobWithDefinition, recordOutcome, successfulWithDefinition } from '../../pipelines/index.ts'
import { projectById } from '../../projects/index.ts'
import { PublishProblem } from './problem.ts'
import { publish } from './publish.ts'

/** The status of a commit that says whether its site was published (contract 24, Pages: what is published). */
const statusName = 'pages:deploy'

const maxAttempts = 4

/** Publishes the site of a job. What fails for a reason of its own is not tried again. */
export const publishJob: Job<{ jobId: number }> = {
  kind: 'pages.publish',
  queue: 'pages',
  slots: 1,
  maxAttempts,
  async run(platform, { jobId }, { attempt }) {
    const { database } = platform
    const found = await jobWithDefinition(database.read, jobId)
    const project = found && (await projectById(database.read, found.job.project_id))
    const given = found?.definition.pages
    if (!found || !given || !project || project.pending_delete) return
    const record = (isSuccess: boolean, description: string) => (tx: Tx) =>
      recordOutcome(platform, tx, found.job.pipeline_id, { name: statusName, isSuccess, description })
    try {
      await publish(platform, project, found.job, given, record(true, 'published'))
    } catch (error) {
      const isFinal = error instanceof PublishProblem || attempt >= maxAttempts
      if (isFinal) await database.write(record(false, error instanceof PublishProblem ? error.message : 'system error'))
      if (!(error instanceof PublishProblem)) throw error
    }
  },
}

/** Has the sites published of those jobs that were successful and publish one. */
export const publishSites: Reaction<Events['ci_jobs.changed']> = async (platform: Platform, tx, { jobIds }) => {
  if (!platform.config.pagesEnabled) return
  for (const { id, definition } of await successfulWithDefinition(tx, jobIds)) {
    if (definition.pages) await enqueue(platform, tx, publishJob, { jobId: id }, { uniqueKey: String(id) })
  }
}
