import type { Reader } from '../../../infra/database/index.ts'
import { type JobTimes, jobCoverages } from './store.ts'

/** The number of whole seconds in which at least one job ran; null when none has started (contract 04, `duration`). */
export function coveredSeconds(times: readonly JobTimes[], now: string): number | null {
  const intervals = times
    .flatMap(({ started_at: start, finished_at: end }): [number, number][] =>
      start === null ? [] : [[Date.parse(start), Date.parse(end ?? now)]],
    )
    .sort(([a], [b]) => a - b)
  if (intervals.length === 0) return null
  let covered = 0
  let until = Number.NEGATIVE_INFINITY
  for (const [start, end] of intervals) {
    covered += Math.max(0, end - Math.max(start, until))
    until = Math.max(until, end)
  }
  return Math.floor(covered / 1000)
}

/** The mean of the coverages, with two decimals; null without any. */
export function meanCoverage(coverages: readonly (number | null)[]): number | null {
  const known = coverages.flatMap((coverage) => coverage ?? [])
  if (known.length === 0) return null
  return Math.round((known.reduce((sum, coverage) => sum + coverage, 0) / known.length) * 100) / 100
}

/** The coverage of each of these pipelines that has one, as the pipeline shows it (contract 04). */
export async function coverageOfPipelines(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const byPipeline = Map.groupBy(await jobCoverages(db, ids), ({ pipeline_id }) => pipeline_id)
  return new Map(
    [...byPipeline].flatMap(([id, jobs]): [number, number][] => {
      const mean = meanCoverage(jobs.map(({ coverage }) => coverage))
      return mean === null ? [] : [[id, mean]]
    }),
  )
}
