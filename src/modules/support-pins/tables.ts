/** PINs by which users identify themselves to the support of the server (contract 26.11). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const supportPins = table('support_pins', {
  user_id: t.refers('users', 'cascade').primaryKey(),
  sealed_pin: t.text(),
  expires_at: t.time(),
})

export type SupportPinRow = RowOf<typeof supportPins>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof supportPins> {}
}
