import { type Events, enqueue, type Job, type Reaction } from '../../platform/index.ts'
import { removeFilesJob } from './files/removal.ts'
import { failJob } from './processing/job-changes.ts'
import { openJobsOfUser } from './processing/store/overdue.ts'

const batchSize = 200

/** Fails the jobs of a blocked user that a runner has or may take (contract 04, `user_blocked`). */
export const failJobsOfUserJob: Job<{ userId: number }> = {
  kind: 'pipelines.fail_jobs_of_user',
  queue: 'pipelines',
  async run(platform, { userId }, { signal }) {
    const { database } = platform
    for (;;) {
      signal.throwIfAborted()
      const jobs = await openJobsOfUser(database.read, userId, batchSize)
      for (const job of jobs) await failJob(platform, job, 'user_blocked')
      if (jobs.length < batchSize) return
    }
  },
}

/** Has the jobs of a blocked user failed after the transaction. */
export const failJobsOfBlocked: Reaction<Events['user.blocked']> = async (platform, tx, { userId }) => {
  await enqueue(platform, tx, failJobsOfUserJob, { userId })
}

/** Has the logs and artifacts of a removed project deleted after the transaction. */
export const removeFilesOfProject: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  await enqueue(platform, tx, removeFilesJob, { projectId, jobIds: null })
}
