import type { CiJobRow } from '../tables.ts'
import { isFinished, type JobEvent } from './transitions.ts'

/** What is read of a job to decide what happens to it. */
export type JobState = Pick<
  CiJobRow,
  | 'id'
  | 'name'
  | 'status'
  | 'stage_index'
  | 'allow_failure'
  | 'run_when'
  | 'uses_needs'
  | 'resource_group'
  | 'start_in_seconds'
>

/** What follows from the jobs that one waits for. */
type Prerequisites = { areFinished: boolean; areSatisfied: boolean; haveFailed: boolean }

const nothing: Prerequisites = { areFinished: true, areSatisfied: true, haveFailed: false }

/** Whether later jobs need not wait for it: it has ended, or it need not be started. */
const isDone = ({ status, allow_failure }: JobState) => isFinished(status) || (status === 'manual' && allow_failure)

/**
 * Whether `on_success` goes on after a job. A job that was skipped does not stop later stages, for which the job that failed
 * counts as well; a job that needs it by name is stopped, unless it was skipped because nothing had failed.
 */
function satisfies({ status, allow_failure, run_when }: JobState, isNeeded: boolean): boolean {
  if (status === 'success') return true
  if (status === 'failed' || status === 'manual') return allow_failure
  return status === 'skipped' && (!isNeeded || run_when === 'on_failure')
}

function combine(jobs: readonly JobState[], isNeeded: boolean, start = nothing): Prerequisites {
  return {
    areFinished: start.areFinished && jobs.every(isDone),
    areSatisfied: start.areSatisfied && jobs.every((job) => satisfies(job, isNeeded)),
    haveFailed: start.haveFailed || jobs.some(({ status, allow_failure }) => status === 'failed' && !allow_failure),
  }
}

/** For each stage, what follows from all jobs of earlier stages. */
function byStage(jobs: readonly JobState[]): Map<number, Prerequisites> {
  const stages = Map.groupBy(jobs, ({ stage_index }) => stage_index)
  const found = new Map<number, Prerequisites>()
  let before = nothing
  for (const stage of [...stages.keys()].sort((a, b) => a - b)) {
    found.set(stage, before)
    before = combine(stages.get(stage) ?? [], false, before)
  }
  return found
}

/** What happens to a job whose prerequisites have ended (contract 04, `when`). */
function eventFor({ run_when: when, resource_group }: JobState, { areSatisfied, haveFailed }: Prerequisites): JobEvent {
  const isWanted = when === 'always' || (when === 'on_failure' ? haveFailed : areSatisfied)
  if (!isWanted) return 'skip'
  if (when === 'manual') return 'hold'
  if (when === 'delayed') return 'delay'
  return resource_group === null ? 'enqueue' : 'wait_for_resource'
}

/**
 * Decides about the created jobs of a pipeline. A skipped job may be what others wait for, so the decision is repeated until
 * nothing changes.
 * @param jobs the latest jobs, without the statuses of external systems
 * @param needs names of the needed jobs, by the id of the job that needs them. Needs without a job are optional ones
 * @returns the event of each job that changes
 */
export function decide(
  jobs: readonly JobState[],
  needs: ReadonlyMap<number, readonly string[]>,
): Map<number, { job: JobState; event: JobEvent }> {
  const decisions = new Map<number, { job: JobState; event: JobEvent }>()
  const current = new Map(jobs.map((job) => [job.name, job]))
  for (let isChanged = true; isChanged; ) {
    isChanged = false
    const stages = byStage([...current.values()])
    for (const job of [...current.values()]) {
      if (job.status !== 'created' || decisions.has(job.id)) continue
      const needed = (needs.get(job.id) ?? []).flatMap((name) => current.get(name) ?? [])
      const before = job.uses_needs ? combine(needed, true) : (stages.get(job.stage_index) ?? nothing)
      if (!before.areFinished) continue
      const event = eventFor(job, before)
      decisions.set(job.id, { job, event })
      if (event === 'enqueue') continue
      // Other jobs may go on at once: after a skipped job, and after a manual one that need not be started.
      const status = event === 'skip' ? 'skipped' : event === 'hold' ? 'manual' : job.status
      current.set(job.name, { ...job, status })
      isChanged = true
    }
  }
  return decisions
}
