import { forms, type Static, Type } from '../../api/index.ts'
import type { BroadcastMessageRow } from './tables.ts'

/** A broadcast message (contract 06). */
export const BroadcastMessage = Type.Object(
  {
    id: forms.id,
    message: Type.String(),
    starts_at: forms.timestamp,
    ends_at: forms.timestamp,
    font: Type.String(),
    target_access_levels: Type.Array(Type.Integer()),
    target_path: forms.nullableString,
    broadcast_type: Type.String(),
    theme: Type.String(),
    dismissable: Type.Boolean(),
    active: Type.Boolean({ description: 'Whether now is between `starts_at` and `ends_at`, both included.' }),
  },
  { title: 'BroadcastMessage' },
)

/** Whether a message is shown at a moment. */
export function isActive({ starts_at, ends_at }: Pick<BroadcastMessageRow, 'starts_at' | 'ends_at'>, moment: string) {
  return starts_at <= moment && moment <= ends_at
}

export function presentMessage(row: BroadcastMessageRow, moment: string): Static<typeof BroadcastMessage> {
  const { created_at, updated_at, ...shown } = row
  return { ...shown, active: isActive(row, moment) }
}
