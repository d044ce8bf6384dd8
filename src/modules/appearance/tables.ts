/** How the instance looks (contract 25, Appearance). */
import { type ChangesOf, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** One row, which the first change makes. Images are names of files (`users/avatars`). */
export const appearances = table('appearances', {
  id: t.integer().primaryKey(),
  title: t.text().default(''),
  description: t.text().default(''),
  pwa_name: t.text().default(''),
  pwa_short_name: t.text().default(''),
  pwa_description: t.text().default(''),
  pwa_icon: t.text().nullable(),
  logo: t.text().nullable(),
  header_logo: t.text().nullable(),
  favicon: t.text().nullable(),
  member_guidelines: t.text().default(''),
  new_project_guidelines: t.text().default(''),
  profile_image_guidelines: t.text().default(''),
  header_message: t.text().default(''),
  footer_message: t.text().default(''),
  message_background_color: t.text().default('#E75E40'),
  message_font_color: t.text().default('#FFFFFF'),
  email_header_and_footer_enabled: t.boolean().default(false),
  updated_at: t.time(),
})
export type AppearanceRow = RowOf<typeof appearances>
export type AppearanceChanges = ChangesOf<typeof appearances>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof appearances> {}
}
