import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type CiJobRow, isTraceWatched, noteHeartbeat } from '../../pipelines/index.ts'

/** A heartbeat is written at most this often; silence counts in minutes. */
const repeatMs = 60_000

/** Records that the runner of a job is at work (contract 04, "Statuses": no trace or update for 60 min). */
export async function recordHeartbeat({ database, clock }: Platform, job: CiJobRow): Promise<void> {
  const { heartbeat_at: last } = job
  if (last !== null && clock.now().getTime() - Date.parse(last) < repeatMs) return
  await database.write((tx) => noteHeartbeat(tx, job.id, now(clock)))
}

/** A job begins with what its author waits for. */
const beginningMs = 60_000

/** How often the runner sends its log, in seconds: more often in the first minute of a job, and while the log is read. */
export async function updateInterval(platform: Platform, job: Pick<CiJobRow, 'id' | 'started_at'>): Promise<string> {
  const ageMs = job.started_at === null ? 0 : platform.clock.now().getTime() - Date.parse(job.started_at)
  return ageMs < beginningMs || (await isTraceWatched(platform, job.id)) ? '3' : '60'
}
