import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'

export type BroadcastMessagesTable = {
  id: Generated<number>
  /** Markdown. */
  message: string
  starts_at: string
  ends_at: string
  font: string
  /** Roles that the message is for; empty: everyone. */
  target_access_levels: Json<number[]>
  target_path: string | null
  broadcast_type: string
  theme: string
  dismissable: boolean
  created_at: string
  updated_at: string
}

export type BroadcastMessageRow = Selectable<BroadcastMessagesTable>
export type NewBroadcastMessage = Insertable<BroadcastMessagesTable>
export type BroadcastMessageChanges = Updateable<BroadcastMessagesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    broadcast_messages: BroadcastMessagesTable
  }
}
