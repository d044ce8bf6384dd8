import { forms, type Static, Type } from '../../../api/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import { renderMarkdownOf, uploadOwnerOf } from '../../uploads/index.ts'
import { textColorOf } from '../colors/colors.ts'
import type { LabelRow } from '../tables.ts'

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

const count = Type.Optional(Type.Integer())
const groupMembers = {
  ...basicMembers,
  open_issues_count: count,
  closed_issues_count: count,
  open_merge_requests_count: count,
  subscribed: Type.Boolean({ description: 'Whether the caller is subscribed.' }),
}

/** A label on the routes of groups (contract 17, Label). */
export const GroupLabel = Type.Object(groupMembers, { title: 'GroupLabel' })

/** A label on the routes of projects. */
export const Label = Type.Object(
  { ...groupMembers, priority: forms.nullableInteger, is_project_label: Type.Boolean() },
  { title: 'Label' },
)
export type PresentedLabel = Static<typeof Label>

/** A label inside other objects. */
export function presentLabelBasic(row: LabelRow): PresentedLabelBasic {
  const { id, title, description, color } = row
  const description_html = description ? renderMarkdownOf(uploadOwnerOf(row), description) : ''
  return { id, name: title, description, description_html, text_color: textColorOf(color), color }
}

type LabelCounts = { open_issues_count: number; closed_issues_count: number; open_merge_requests_count: number }

/** What the object of a label shows besides its row. */
export type LabelFacts = { counts?: LabelCounts; subscribed: boolean; priority: number | null }

/** A label; the routes of groups drop the members that only those of projects have. */
export function presentLabel(row: LabelRow, { counts, subscribed, priority }: LabelFacts): PresentedLabel {
  return { ...presentLabelBasic(row), ...counts, subscribed, priority, is_project_label: row.project_id !== null }
}

/** The project or group of a label in the columns of its row. */
export const parentColumns = ({ kind, id }: Pick<ProjectOrGroupRef, 'kind' | 'id'>) => ({
  project_id: kind === 'project' ? id : null,
  namespace_id: kind === 'group' ? id : null,
})
