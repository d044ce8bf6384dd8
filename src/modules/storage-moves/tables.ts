import type { Generated, Selectable } from 'kysely'

/** The states of a move. `initial` is passed within the transaction that schedules it (contract 10, States). */
export const states = ['initial', 'scheduled', 'started', 'replicated', 'failed', 'finished', 'cleanup failed'] as const
export type MoveState = (typeof states)[number]

type StorageMovesTable = {
  id: Generated<number>
  /** The project, the snippet or the group. */
  container_id: number
  state: MoveState
  source_storage_name: string
  destination_storage_name: string
  created_at: string
}

export type MoveRow = Selectable<StorageMovesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    project_storage_moves: StorageMovesTable
    snippet_storage_moves: StorageMovesTable
    group_storage_moves: StorageMovesTable
  }
}
