import type { Sealer } from '../../../infra/secrets/index.ts'
import { SealError } from '../../../infra/secrets/index.ts'
import { mapInTurns } from '../../../infra/turns/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { JobVariable } from '../../variables/index.ts'
import type { PipelineVariableRow } from '../tables.ts'

/** A variable of a request, a trigger or a schedule. */
export type NewVariable = {
  key: string
  value: string
  /** Default `env_var`. */
  variable_type?: 'env_var' | 'file' | undefined
  raw?: boolean | undefined
}

const validKey = /^[A-Za-z0-9_]{1,255}$/

/** Why variables cannot be set; none when they can (contract 04, x.pipelines_create). */
export function variableProblems(variables: readonly NewVariable[]): string[] {
  if (!variables.every(({ key }) => validKey.test(key))) {
    return ["Variables key can contain only letters, digits and '_'."]
  }
  const known = new Set<string>()
  const repeated = new Set<string>()
  for (const { key } of variables) (known.has(key) ? repeated : known).add(key)
  return [...repeated].map((key) => `Duplicate variable name: ${key}`)
}

const contextOf = (pipelineId: number, key: string) => `pipeline_variables:${pipelineId}:${key}`

/** A variable as it is stored. */
export function sealedVariable(sealer: Sealer, pipelineId: number, { key, value, variable_type, raw }: NewVariable) {
  return {
    ...{ pipeline_id: pipelineId, key, variable_type: variable_type ?? 'env_var', raw: raw ?? false },
    sealed_value: sealer.seal(value, contextOf(pipelineId, key)),
  }
}

/** The values of stored variables; one that was sealed with a lost key is empty, and is logged. */
export async function openVariables({ secrets, log }: Platform, rows: readonly PipelineVariableRow[]) {
  if (rows.length === 0) return []
  const sealer = await secrets.sealer()
  const open = (row: PipelineVariableRow) => {
    try {
      return { ...row, value: sealer.open(row.sealed_value, contextOf(row.pipeline_id, row.key)) }
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      log.error({ pipeline: row.pipeline_id, variable: row.id, err: error }, 'a pipeline variable cannot be opened')
      return { ...row, value: '' }
    }
  }
  return mapInTurns(rows, ({ sealed_value: sealed }) => sealed.length, open)
}

/** A variable of a pipeline as jobs get it. */
export function asJobVariable({ key, value, variable_type, raw = false }: NewVariable): JobVariable {
  return { key, value, raw, public: false, masked: false, file: variable_type === 'file' }
}
