import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { newGeneration } from '../../../platform/index.ts'
import { type FlagClientRow, featureFlagClients } from '../tables.ts'

const { insert, update } = rows(featureFlagClients)
export const updateClient = update

export function insertClient(tx: Tx, row: Omit<Parameters<typeof insert>[1], 'generation'>): Promise<FlagClientRow> {
  return insert(tx, { ...row, generation: newGeneration() })
}

export async function clientOfProject(db: Reader, projectId: number): Promise<FlagClientRow | null> {
  const query = db.selectFrom('feature_flag_clients').selectAll().where('project_id', '=', projectId)
  return (await query.executeTakeFirst()) ?? null
}

/** Notes that clients of a project have spoken. */
export async function markUsed(tx: Tx, projectId: number, moment: string): Promise<void> {
  const query = tx.updateTable('feature_flag_clients').set({ last_used_at: moment })
  await query.where('project_id', '=', projectId).execute()
}

/** Says that what clients of a project get has changed. */
export async function renewGeneration(tx: Tx, projectId: number): Promise<void> {
  const query = tx.updateTable('feature_flag_clients').set({ generation: newGeneration() })
  await query.where('project_id', '=', projectId).execute()
}
