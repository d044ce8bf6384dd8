/** Moves of repositories between storages (contract 10). The ids of each kind are a sequence of their own. */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** The states of a move. `initial` is passed within the transaction that schedules it (contract 10, States). */
export const states = ['initial', 'scheduled', 'started', 'replicated', 'failed', 'finished', 'cleanup failed'] as const
export type MoveState = (typeof states)[number]

/** The moves of projects, snippets or groups. */
const movesOf = <Name extends string>(name: Name, container: string) =>
  table(
    name,
    {
      id: t.id(),
      /** The project, the snippet or the group. */
      container_id: t.refers(container, 'cascade'),
      state: t.text<MoveState>(),
      source_storage_name: t.text(),
      destination_storage_name: t.text(),
      created_at: t.time(),
    },
    {
      unique: { active: { on: ['container_id'], where: "state in ('scheduled', 'started')" } },
      indexes: { container: ['container_id', 'created_at', 'id'], created: ['created_at', 'id'] },
    },
  )

export const projectStorageMoves = movesOf('project_storage_moves', 'projects')
export const snippetStorageMoves = movesOf('snippet_storage_moves', 'snippets')
export const groupStorageMoves = movesOf('group_storage_moves', 'namespaces')

export type MoveRow = RowOf<typeof projectStorageMoves>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<typeof projectStorageMoves | typeof snippetStorageMoves | typeof groupStorageMoves> {}
}
