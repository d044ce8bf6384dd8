import { forms, type Static, Type } from '../../api/index.ts'
import { renderMarkdown } from '../../infra/markdown/index.ts'
import { textColorOf } from './colors.ts'
import type { LabelRow } from './tables.ts'

const basicMembers = {
  id: forms.id,
  name: Type.String(),
  description: forms.nullableString,
  description_html: Type.String(),
  text_color: Type.String({ examples: ['#FFFFFF'] }),
  color: Type.String({ examples: ['#6699cc'] }),
}

/** A label inside other objects: LabelBasic of contract 17, LabelDetail of contract 16. */
export const LabelBasic = Type.Object(basicMembers, { title: 'LabelBasic' })
export type PresentedLabelBasic = Static<typeof LabelBasic>

/** A label inside other objects. */
export function presentLabelBasic({ id, title, description, color }: LabelRow): PresentedLabelBasic {
  const description_html = description ? renderMarkdown(description) : ''
  return { id, name: title, description, description_html, text_color: textColorOf(color), color }
}
