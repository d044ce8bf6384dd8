import { now } from '../../infra/database/index.ts'
import { countQueues, type JobState } from '../../infra/jobs/index.ts'
import type { Measure, Platform } from '../../platform/index.ts'

const states: readonly JobState[] = ['pending', 'running', 'failed']

const queuesOf = ({ database, jobs, clock }: Platform) =>
  countQueues(database.read, jobs.queues().toSorted(), now(clock))

/** What waits for the server, and since when: of the database, so the same on all nodes. */
export const jobMeasures: readonly Measure[] = [
  {
    name: 'fennec_jobs',
    help: 'Background jobs by queue and state, of each at most 10001.',
    type: 'gauge',
    labels: ['queue', 'state'],
    async value(platform) {
      const queues = await queuesOf(platform)
      return queues.flatMap((counts) =>
        states.map((state) => ({ labels: { queue: counts.name, state }, value: counts[state] })),
      )
    },
  },
  {
    name: 'fennec_jobs_overdue_seconds',
    help: 'Time since the background job became due that has waited longest in a queue; 0 when none is due.',
    type: 'gauge',
    labels: ['queue'],
    async value(platform) {
      const nowMs = platform.clock.now().getTime()
      const queues = await queuesOf(platform)
      return queues.map(({ name, due_since }) => {
        const overdueMs = due_since === null ? 0 : Math.max(0, nowMs - Date.parse(due_since))
        return { labels: { queue: name }, value: overdueMs / 1000 }
      })
    },
  },
]
