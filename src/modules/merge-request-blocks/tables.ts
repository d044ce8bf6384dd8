/** Which merge requests must be merged before others (contract 26.5). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const mergeRequestBlocks = table(
  'merge_request_blocks',
  {
    id: t.id(),
    /** The one that must be merged first. */
    blocking_id: t.refers('merge_requests', 'cascade'),
    blocked_id: t.refers('merge_requests', 'cascade'),
    created_at: t.time(),
  },
  {
    unique: { both: ['blocked_id', 'blocking_id'] },
    indexes: { order: ['blocked_id', 'id'], blocking: ['blocking_id', 'id'] },
  },
)

export type BlockRow = RowOf<typeof mergeRequestBlocks>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof mergeRequestBlocks> {}
}
