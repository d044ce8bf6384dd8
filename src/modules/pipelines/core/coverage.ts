import type { Reader } from '../../../infra/database/index.ts'
import { meanCoverage } from './facts.ts'
import { jobCoverages } from './store.ts'

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
