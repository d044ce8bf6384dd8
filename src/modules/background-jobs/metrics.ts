import { nullable, Type } from '../../api/index.ts'
import { now } from '../../infra/database/index.ts'
import { busyProcesses, countDue, countQueues, endedRuns } from '../../infra/jobs/index.ts'
import type { Platform } from '../../platform/index.ts'

const count = Type.Integer()

const Queue = Type.Object({
  backlog: Type.Integer({ description: 'Jobs that are due and do not run; at most 10001.' }),
  latency: Type.Integer({ description: 'Seconds for which the oldest of them waits.' }),
})

const Process = Type.Object({
  hostname: Type.String(),
  pid: count,
  tag: Type.String(),
  started_at: nullable(
    Type.String({ format: 'date-time', description: 'Of the process that answers; null of others.' }),
  ),
  queues: Type.Array(Type.String()),
  labels: Type.Array(Type.String()),
  concurrency: Type.Integer({ description: 'Jobs that it runs at once, in all queues.' }),
  busy: count,
})

const queues = { queues: Type.Record(Type.String(), Queue) }
const processes = { processes: Type.Array(Process) }
const jobs = { jobs: Type.Object({ processed: count, failed: count, enqueued: count, dead: count }) }

/** The numbers of contract 25, Job metrics. */
export const QueueMetrics = Type.Object(queues, { title: 'QueueMetrics' })
export const ProcessMetrics = Type.Object(processes, { title: 'ProcessMetrics' })
export const JobStats = Type.Object(jobs, { title: 'JobStats' })
export const JobMetrics = Type.Object({ ...queues, ...processes, ...jobs }, { title: 'JobMetrics' })

const namesOf = (platform: Platform) => [...new Set(['default', ...platform.jobs.queues()])].toSorted()

/** What waits in each queue (contract 25, x.sidekiq_queues). */
export async function queueMetrics(platform: Platform) {
  const { database, clock } = platform
  const nowMs = clock.now().getTime()
  const found = await countDue(database.read, namesOf(platform), now(clock))
  const entries = found.map(({ name, backlog, due_since: since }) => {
    const latency = since === null ? 0 : Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1000))
    return [name, { backlog, latency }]
  })
  return { queues: Object.fromEntries(entries) as Record<string, { backlog: number; latency: number }> }
}

/** This process, and the others that hold leases of jobs: they renew these while they live (contract 25, x.sidekiq_processes). */
export async function processMetrics(platform: Platform) {
  const { database, clock, jobs } = platform
  const names = namesOf(platform)
  const busy = await busyProcesses(database.read, names, now(clock))
  const { owner: own, startedAt, concurrency } = jobs.process()
  const owners = [own, ...[...busy.keys()].filter((owner) => owner !== own).toSorted()]
  const shown = owners.map((owner) => {
    const [, hostname = owner, pid = '0'] = /^(.*):(\d+)$/.exec(owner) ?? []
    return {
      ...{ hostname, pid: Number(pid), tag: 'fennec' },
      started_at: owner === own ? startedAt.toISOString() : null,
      ...{ queues: names, labels: [], concurrency, busy: busy.get(owner) ?? 0 },
    }
  })
  return { processes: shown }
}

/** Counts of jobs and of their runs (contract 25, x.sidekiq_jobs). */
export async function jobStats(platform: Platform) {
  const db = platform.database.read
  const counts = await countQueues(db, namesOf(platform), now(platform.clock))
  const sum = (state: 'pending' | 'failed') => counts.reduce((total, row) => total + row[state], 0)
  return { jobs: { ...(await endedRuns(db)), enqueued: sum('pending'), dead: sum('failed') } }
}

/** All of these (contract 25, x.sidekiq_compound). */
export async function jobMetrics(platform: Platform) {
  return { ...(await queueMetrics(platform)), ...(await processMetrics(platform)), ...(await jobStats(platform)) }
}
