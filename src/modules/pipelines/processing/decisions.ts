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
  | 'environment'
  | 'user_id'
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

/**
 * The jobs of one stage, each after those of the stage that it needs. The walk has a stack of its own, since chains may be long.
 */
function inOrder(jobs: readonly JobState[], neededBy: (job: JobState) => readonly string[]): JobState[] {
  const rest = new Map(jobs.map((job) => [job.name, job]))
  const ordered: JobState[] = []
  for (const start of jobs) {
    const path: { job: JobState; open: string[] }[] = []
    const enter = (name: string) => {
      const job = rest.get(name)
      if (!job) return
      rest.delete(name)
      path.push({ job, open: [...neededBy(job)] })
    }
    enter(start.name)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.open.pop()
      if (next !== undefined) enter(next)
      else {
        ordered.push(top.job)
        path.pop()
      }
    }
  }
  return ordered
}

/** What happens to a job whose prerequisites have ended (contract 04, `when`). */
function eventFor({ run_when: when, resource_group }: JobState, { areSatisfied, haveFailed }: Prerequisites): JobEvent {
  const isWanted = when === 'always' || (when === 'on_failure' ? haveFailed : areSatisfied)
  if (!isWanted) return 'skip'
  if (when === 'manual') return 'hold'
  if (when === 'delayed') return 'delay'
  return resource_group === null ? 'enqueue' : 'wait_for_resource'
}

/** The status of a job after an event that lets other jobs go on at once: a manual job may not have to be started. */
const followed: Partial<Record<JobEvent, JobState['status']>> = { skip: 'skipped', hold: 'manual' }

/**
 * Decides about the created jobs of a pipeline. Each job is looked at once, after those that it waits for: one that is skipped
 * now may be what others wait for.
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
  const neededBy = ({ id }: JobState) => needs.get(id) ?? []
  const decideOne = (job: JobState, earlier: Prerequisites) => {
    if (job.status !== 'created') return
    const needed = neededBy(job).flatMap((name) => current.get(name) ?? [])
    const before = job.uses_needs ? combine(needed, true) : earlier
    if (!before.areFinished) return
    const event = eventFor(job, before)
    decisions.set(job.id, { job, event })
    current.set(job.name, { ...job, status: followed[event] ?? job.status })
  }
  const stages = Map.groupBy(jobs, ({ stage_index }) => stage_index)
  let earlier = nothing
  for (const stage of [...stages.keys()].sort((a, b) => a - b)) {
    const ofStage = stages.get(stage) ?? []
    for (const job of inOrder(ofStage, neededBy)) decideOne(job, earlier)
    const decided = ofStage.map((job) => current.get(job.name) ?? job)
    earlier = combine(decided, false, earlier)
  }
  return decisions
}
