import { now, rows as rowsOf } from '../../../infra/database/index.ts'
import type { ExportedLine, ExportedLines } from '../../../platform/index.ts'
import { coveredSeconds } from '../core/facts.ts'
import { type CiJobRow, pipelines } from '../tables.ts'
import { jobsOfPipelines } from './store.ts'

function jobLine(job: CiJobRow): ExportedLine {
  const { name, status, ref, stage_index, allow_failure, retried, coverage, description, target_url } = job
  const { failure_reason, run_when, user_id, created_at, updated_at, started_at, finished_at, queued_at } = job
  return {
    type: job.external ? 'GenericCommitStatus' : 'Ci::Build',
    ...{ name, status, ref, stage_idx: stage_index, allow_failure, retried, coverage, description, target_url },
    ...{ failure_reason, when: run_when, user_id, created_at, updated_at, started_at, finished_at, queued_at },
  }
}

/** The stages of jobs, in their order, each with its jobs. */
function stagesOf(jobs: readonly CiJobRow[]): ExportedLine[] {
  const byStage = Map.groupBy(jobs, ({ stage_index, stage }) => JSON.stringify([stage_index, stage]))
  return [...byStage.values()]
    .map((own) => {
      const { stage, stage_index } = own[0] as CiJobRow
      return { name: stage, position: stage_index, builds: own.map(jobLine) }
    })
    .sort((a, b) => a.position - b.position)
}

/** Each has its jobs with it. */
const pipelinesAtOnce = 50

/** The pipelines of a project, without their variables (contract 14). */
export const exportedPipelines: ExportedLines = async function* ({ clock }, db, { id: projectId }) {
  const moment = now(clock)
  for await (const rows of rowsOf(pipelines).portions(db, { project_id: projectId }, pipelinesAtOnce)) {
    const jobs = await jobsOfPipelines(
      db,
      rows.map(({ id }) => id),
    )
    yield rows.map((row) => {
      const { ref, sha, before_sha, tag, status, source, iid, started_at, finished_at, user_id } = row
      const { created_at, updated_at, committed_at, name } = row
      const own = jobs.get(row.id) ?? []
      return {
        ...{ ref, sha, before_sha, tag, status, source, iid, started_at, finished_at },
        ...{ duration: coveredSeconds(own, moment), user_id, created_at, updated_at, committed_at },
        stages: stagesOf(own),
        pipeline_metadata: name === null ? null : { name },
      }
    })
  }
}
