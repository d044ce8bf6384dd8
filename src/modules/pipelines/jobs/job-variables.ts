import { invalid } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import { SealError } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type JobVariable, requireShortValues } from '../../variables/index.ts'
import { variableProblems } from '../creation/pipeline-variables.ts'
import { insertJobVariables, jobVariablesOf } from './store.ts'

const contextOf = (key: string) => `ci_job_variables:${key}`

/**
 * Stores variables of a job: those with which it is played, or those that its `dotenv` report sets.
 * @throws ApiError 400 for invalid or repeated keys, and for values that are too long
 */
export async function storeJobVariables(
  { secrets }: Platform,
  tx: Tx,
  jobId: number,
  variables: readonly { key: string; value: string }[],
  isFromReport: boolean,
): Promise<void> {
  const problems = variableProblems(variables)
  if (problems.length > 0) throw invalid({ base: problems })
  requireShortValues(variables)
  const sealer = await secrets.sealer()
  const rows = variables.map(({ key, value }) => ({
    ...{ job_id: jobId, key, from_report: isFromReport },
    sealed_value: sealer.seal(value, contextOf(key)),
  }))
  await insertJobVariables(tx, rows)
}

/**
 * The variables of jobs, by kind: with which they were played, and that their `dotenv` reports set (contract 03, "Delivery
 * to jobs"). A later job of the list wins.
 */
export async function readJobVariables(
  { database, secrets, log }: Platform,
  jobIds: readonly number[],
): Promise<{ played: JobVariable[]; reports: JobVariable[] }> {
  const rows = await jobVariablesOf(database.read, jobIds)
  if (rows.length === 0) return { played: [], reports: [] }
  const sealer = await secrets.sealer()
  const order = new Map(jobIds.map((id, index) => [id, index]))
  const sorted = rows.toSorted((a, b) => (order.get(a.job_id) ?? 0) - (order.get(b.job_id) ?? 0))
  const opened = sorted.flatMap((row) => {
    try {
      const value = sealer.open(row.sealed_value, contextOf(row.key))
      return [{ row, variable: { key: row.key, value, raw: false, public: false, masked: false, file: false } }]
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      log.error({ job: row.job_id, key: row.key, err: error }, 'a variable of a job cannot be opened')
      return []
    }
  })
  const of = (isFromReport: boolean) =>
    opened.filter(({ row }) => row.from_report === isFromReport).map(({ variable }) => variable)
  return { played: of(false), reports: of(true) }
}
