/** Notices that are shown to users for a time (contract 06). */
import { type ChangesOf, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const broadcastMessages = table(
  'broadcast_messages',
  {
    id: t.id(),
    /** Markdown. */
    message: t.text(),
    starts_at: t.time(),
    ends_at: t.time(),
    font: t.text(),
    /** Roles that the message is for; empty: everyone. */
    target_access_levels: t.json<number[]>(),
    target_path: t.text().nullable(),
    broadcast_type: t.text(),
    theme: t.text(),
    dismissable: t.boolean(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    indexes: { end: ['ends_at', 'id'] },
  },
)

export type BroadcastMessageRow = RowOf<typeof broadcastMessages>
export type BroadcastMessageChanges = ChangesOf<typeof broadcastMessages>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof broadcastMessages> {}
}
