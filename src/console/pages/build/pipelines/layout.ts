import type { PlannedJob } from '../../../operations.ts'

/** A job in the graph: in which column and row it stands, and the names of the jobs before it. */
export type Placed = { job: PlannedJob; column: number; row: number; before: readonly string[] }

/** The jobs before each: its needs, or those of the nearest earlier stage that has jobs. */
function jobsBefore(jobs: readonly PlannedJob[]): Map<string, string[]> {
  const stages = [...Map.groupBy(jobs, ({ stage }) => stage).values()]
  const before = new Map<string, string[]>()
  for (const [index, members] of stages.entries()) {
    const earlier = (stages[index - 1] ?? []).map(({ name }) => name)
    for (const { name, needs } of members) before.set(name, needs ?? earlier)
  }
  return before
}

/** Places the jobs: each in the column behind the last of the jobs before it. A job that needs itself, or an unknown one, does not wait. */
export function placeJobs(jobs: readonly PlannedJob[]): Placed[] {
  const before = jobsBefore(jobs)
  const columns = new Map<string, number>()
  function columnOf(name: string, below: ReadonlySet<string>): number {
    const known = columns.get(name)
    if (known !== undefined) return known
    const earlier = (before.get(name) ?? []).filter((one) => before.has(one) && !below.has(one))
    const column = Math.max(-1, ...earlier.map((one) => columnOf(one, new Set([...below, name])))) + 1
    columns.set(name, column)
    return column
  }
  const rows = new Map<number, number>()
  return jobs.map((job) => {
    const column = columnOf(job.name, new Set([job.name]))
    const row = rows.get(column) ?? 0
    rows.set(column, row + 1)
    return { job, column, row, before: before.get(job.name) ?? [] }
  })
}
