import { computed, forms, object, of, type Static, Type } from '../../api/index.ts'
import type { BroadcastMessageRow } from './tables.ts'

/** Whether a message is shown at a moment. */
export function isActive({ starts_at, ends_at }: Pick<BroadcastMessageRow, 'starts_at' | 'ends_at'>, moment: string) {
  return starts_at <= moment && moment <= ends_at
}

/** A broadcast message at a moment (contract 06). */
export const BroadcastMessage = object('BroadcastMessage', of<BroadcastMessageRow, string>(), {
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
  active: computed(
    Type.Boolean({ description: 'Whether now is between `starts_at` and `ends_at`, both included.' }),
    isActive,
  ),
})
export type PresentedMessage = Static<typeof BroadcastMessage>
