import { computed, forms, object, of, Type } from '../../api/index.ts'
import { avatarFile } from '../namespaces/index.ts'
import type { ImageName } from './params.ts'
import type { AppearanceRow } from './tables.ts'

const text = Type.String()

/** The path of an image on this server. */
export function imagePath(row: Pick<AppearanceRow, ImageName>, name: ImageName): string | null {
  const stored = row[name]
  return stored === null ? null : `/uploads/-/system/appearance/${name}/1/${avatarFile(stored)}`
}

const image = (name: ImageName) =>
  computed(forms.nullableString, (row: Pick<AppearanceRow, ImageName>) => imagePath(row, name))

/** How the instance looks (contract 25, Appearance). */
export const Appearance = object('Appearance', of<AppearanceRow>(), {
  title: text,
  description: text,
  pwa_name: text,
  pwa_short_name: text,
  pwa_description: text,
  pwa_icon: image('pwa_icon'),
  logo: image('logo'),
  header_logo: image('header_logo'),
  favicon: image('favicon'),
  member_guidelines: text,
  new_project_guidelines: text,
  profile_image_guidelines: text,
  header_message: text,
  footer_message: text,
  message_background_color: text,
  message_font_color: text,
  email_header_and_footer_enabled: Type.Boolean(),
})
