import { SealError } from '../../infra/secrets/index.ts'
import { mapInTurns } from '../../infra/turns/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { VariableOwner } from './owner.ts'
import type { VariableRow } from './tables.ts'

/** Values open only for the owner and key for which they were sealed. */
const contextOf = ({ kind, id }: VariableOwner, key: string) => `ci_variables:${kind}:${id ?? ''}:${key}`

const ownerOfRow = ({ project_id, namespace_id }: VariableRow): VariableOwner => {
  if (project_id !== null) return { kind: 'project', id: project_id }
  return namespace_id === null ? { kind: 'instance', id: null } : { kind: 'group', id: namespace_id }
}

export async function sealValue({ secrets }: Platform, owner: VariableOwner, key: string, value: string) {
  return (await secrets.sealer()).seal(value, contextOf(owner, key))
}

/**
 * Opens the values of variables, in their order. A value that was sealed with a lost key is null, and its id is logged
 * (contract 03, "At rest").
 */
export async function openValues({ secrets, log }: Platform, rows: readonly VariableRow[]): Promise<(string | null)[]> {
  if (rows.length === 0) return []
  const sealer = await secrets.sealer()
  const open = (row: VariableRow) => {
    try {
      return sealer.open(row.sealed_value, contextOf(ownerOfRow(row), row.key))
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      log.error({ variable: row.id, err: error }, 'the value of a variable cannot be opened')
      return null
    }
  }
  return mapInTurns(rows, ({ sealed_value: sealed }) => sealed.length, open)
}
