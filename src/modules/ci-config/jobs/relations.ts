import type { Problems } from '../errors.ts'
import type { JobConfig } from './job.ts'

/** Whether needs lead from a job back to it. The walk has a stack of its own, since chains may be long. */
function hasCircle(jobs: readonly JobConfig[]): boolean {
  const byName = new Map(jobs.map((job) => [job.name, job]))
  const state = new Map<string, 'open' | 'done'>()
  const neededBy = (name: string) => (byName.get(name)?.needs ?? []).map(({ job }) => job)
  for (const { name: start } of jobs) {
    const path: { name: string; rest: string[] }[] = []
    const enter = (name: string) => {
      state.set(name, 'open')
      path.push({ name, rest: neededBy(name) })
    }
    if (!state.has(start)) enter(start)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.pop()
      if (next === undefined) {
        state.set(top.name, 'done')
        path.pop()
      } else if (state.get(next) === 'open') return true
      else if (!state.has(next)) enter(next)
    }
  }
  return false
}

/** Checks that the job which stops an environment exists, and stops the same one (contract 24, Environments in CI). */
function checkStopJob(
  { name, environment }: JobConfig,
  byName: ReadonlyMap<string, JobConfig>,
  problems: Problems,
): void {
  const stop = environment?.onStop
  if (!environment || stop === null || stop === undefined) return
  const add = (text: string) => problems.add(`${name} job:`, `on_stop job ${stop} ${text}`)
  const other = byName.get(stop)
  if (!other) add('is not defined')
  else if (other.environment?.action !== 'stop') add('needs to have action stop defined')
  else if (other.environment.name !== environment.name) add('have different environment name')
}

/** Checks stages, needs and dependencies of jobs against each other (contract 04, Errors). */
export function checkRelations(jobs: readonly JobConfig[], stages: readonly string[], problems: Problems): void {
  const position = new Map(stages.map((stage, index) => [stage, index]))
  const byName = new Map(jobs.map((job) => [job.name, job]))
  for (const job of jobs) {
    const own = position.get(job.stage)
    if (own === undefined) {
      problems.add(`${job.name} job:`, `chosen stage does not exist; available stages are ${stages.join(', ')}`)
      continue
    }
    const stageOf = (name: string) => position.get(byName.get(name)?.stage ?? '') ?? 0
    const needed = [...(job.needs ?? []), ...(job.rules ?? []).flatMap(({ needs }) => needs ?? [])]
    for (const { job: name, optional } of needed) {
      if (!byName.has(name)) {
        if (!optional) problems.add(`${job.name} job:`, `undefined need: ${name}`)
      } else if (stageOf(name) > own) {
        problems.add(`${job.name} job:`, `need ${name} is not defined in current or prior stages`)
      }
    }
    checkStopJob(job, byName, problems)
    for (const name of job.dependencies ?? []) {
      if (!byName.has(name)) problems.add(`${job.name} job:`, `undefined dependency: ${name}`)
      else if (stageOf(name) > own) {
        problems.add(`${job.name} job:`, `dependency ${name} is not defined in current or prior stages`)
      }
    }
  }
  if (hasCircle(jobs)) problems.messages.push('The pipeline has circular dependencies')
}
