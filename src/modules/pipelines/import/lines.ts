import {
  booleanOf,
  type ImportedLine,
  type Importing,
  type ImportLine,
  integerOf,
  lineOf,
  linesOf,
  numberOf,
  requiredText,
  shaOf,
  textOf,
  timeOf,
  timesOf,
  userOf,
  wordOf,
} from '../../../platform/index.ts'
import { reserveInternalId } from '../../../platform/internal-ids/index.ts'
import { insertEndedJobs, insertPipeline, type NewJobRow } from '../creation/store.ts'
import { type CiState, ciStates } from '../tables.ts'

/** Under which a project numbers its pipelines. */
const numbered = 'pipelines'

/** The states in which nothing happens any more. What was under way at the other server has ended here. */
const ended: readonly CiState[] = ['success', 'failed', 'canceled', 'skipped']

const endedState = (line: ImportedLine): CiState => {
  const state = wordOf(line, 'status', ciStates, 'canceled')
  return ended.includes(state) ? state : 'canceled'
}

const jobStarts = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const
const mostStages = 2 ** 31 - 1

/** A job or status of a pipeline, which no runner takes. @throws BadLine */
function readJob(into: Importing, stage: string, sha: string, line: ImportedLine): Omit<NewJobRow, 'pipeline_id'> {
  return {
    ...{ project_id: into.id, external: line.type === 'GenericCommitStatus', sha, ref: requiredText(line, 'ref') },
    ...{ stage, stage_index: integerOf(line, 'stage_idx', { least: 0, most: mostStages }) ?? 0 },
    ...{ name: requiredText(line, 'name'), status: endedState(line) },
    failure_reason: textOf(line, 'failure_reason', 255),
    target_url: textOf(line, 'target_url', 2048),
    description: textOf(line, 'description', 2048),
    coverage: numberOf(line, 'coverage'),
    allow_failure: booleanOf(line, 'allow_failure', false),
    retried: booleanOf(line, 'retried', false),
    run_when: wordOf(line, 'when', jobStarts, 'on_success'),
    user_id: userOf(into, line, 'user_id'),
    ...{ queued_at: timeOf(line, 'queued_at'), started_at: timeOf(line, 'started_at') },
    ...{ finished_at: timeOf(line, 'finished_at') ?? timesOf(line).updated_at, ...timesOf(line) },
  }
}

/** Imports a pipeline as a record: it is not processed, and no runner takes its jobs (contract 25, What an import makes). */
export const importPipeline: ImportLine = async (_platform, into, line) => {
  const sha = shaOf(line, 'sha') ?? ''
  const iid = integerOf(line, 'iid', { least: 1, most: 2 ** 31 - 1 }) ?? 1
  const metadata = lineOf(line, 'pipeline_metadata')
  const row = {
    ...{ project_id: into.id, iid, sha, before_sha: shaOf(line, 'before_sha'), ref: requiredText(line, 'ref') },
    ...{ tag: booleanOf(line, 'tag', false), status: endedState(line), source: requiredText(line, 'source', 64) },
    ...{ name: metadata && textOf(metadata, 'name', 255), yaml_errors: null, schedule_id: null, schedule_run: null },
    ...{ push_id: null, user_id: userOf(into, line, 'user_id'), started_at: timeOf(line, 'started_at') },
    ...{ finished_at: timeOf(line, 'finished_at') ?? timesOf(line).updated_at, ...timesOf(line) },
    committed_at: timeOf(line, 'committed_at'),
  }
  const jobs = linesOf(line, 'stages').flatMap((stage) => {
    const name = requiredText(stage, 'name')
    return ['builds', 'statuses', 'generic_commit_statuses', 'bridges'].flatMap((member) =>
      linesOf(stage, member).map((job) => readJob(into, name, sha, job)),
    )
  })
  return async (tx) => {
    await reserveInternalId(tx, { projectId: into.id }, numbered, iid)
    const { id } = await insertPipeline(tx, row)
    await insertEndedJobs(
      tx,
      jobs.map((job) => ({ ...job, pipeline_id: id })),
    )
  }
}
