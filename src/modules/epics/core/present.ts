import { forms, oneOf, type Static, Type } from '../../../api/index.ts'
import { importMembers } from '../../../platform/index.ts'
import { LabelBasic, textColorOf } from '../../labels/index.ts'

import { UserBasic } from '../../users/index.ts'
import type { EpicRow } from '../tables.ts'
import { dateOf, type InheritedDates } from './dates.ts'

const links = Type.Object({
  self: Type.String(),
  epic_issues: Type.String(),
  group: Type.String(),
  parent: forms.nullableString,
})

/** An epic (contract 17). */
export const Epic = Type.Object(
  {
    id: forms.id,
    work_item_id: forms.id,
    iid: forms.id,
    color: Type.String({ examples: ['#1068bf'] }),
    text_color: Type.String({ examples: ['#FFFFFF'] }),
    group_id: forms.id,
    parent_id: forms.nullableInteger,
    parent_iid: forms.nullableInteger,
    imported: Type.Boolean(),
    imported_from: Type.String(),
    title: Type.String(),
    description: forms.nullableString,
    confidential: Type.Boolean(),
    author: UserBasic,
    start_date: forms.nullableDay,
    start_date_is_fixed: Type.Boolean(),
    start_date_fixed: forms.nullableDay,
    start_date_from_inherited_source: forms.nullableDay,
    start_date_from_milestones: forms.nullableDay,
    end_date: forms.nullableDay,
    due_date: forms.nullableDay,
    due_date_is_fixed: Type.Boolean(),
    due_date_fixed: forms.nullableDay,
    due_date_from_inherited_source: forms.nullableDay,
    due_date_from_milestones: forms.nullableDay,
    state: oneOf(['opened', 'closed']),
    web_edit_url: Type.String(),
    web_url: Type.String(),
    references: Type.Object({ short: Type.String(), relative: Type.String(), full: Type.String() }),
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    closed_at: forms.nullableTimestamp,
    labels: Type.Array(Type.Union([Type.String(), LabelBasic])),
    upvotes: Type.Integer(),
    downvotes: Type.Integer(),
    subscribed: Type.Optional(Type.Boolean()),
    _links: links,
  },
  { title: 'Epic' },
)
export type PresentedEpic = Static<typeof Epic>

/** The dates of an epic in all of their members. */
export function presentDates(row: EpicRow, inherited: InheritedDates) {
  const due = dateOf('due', row, inherited)
  return {
    start_date: dateOf('start', row, inherited),
    start_date_is_fixed: row.start_date_is_fixed,
    start_date_fixed: row.start_date_fixed,
    start_date_from_inherited_source: inherited.start,
    start_date_from_milestones: inherited.start,
    end_date: due,
    due_date: due,
    due_date_is_fixed: row.due_date_is_fixed,
    due_date_fixed: row.due_date_fixed,
    due_date_from_inherited_source: inherited.due,
    due_date_from_milestones: inherited.due,
  }
}

/** The path of an epic's page, without the host. */
export const epicPath = ({ group_path, iid }: Pick<EpicRow, 'group_path' | 'iid'>) =>
  `/groups/${group_path}/-/epics/${iid}`

/** @param from full path of the group whose list shows the epic */
function references({ group_path, iid }: EpicRow, from: string) {
  const short = `&${iid}`
  const full = `${group_path}${short}`
  if (from === group_path) return { short, relative: short, full }
  return { short, relative: group_path.startsWith(`${from}/`) ? full.slice(from.length + 1) : full, full }
}

/** The members that follow from the rows of an epic and of its parent. @param parent undefined when the caller cannot read it */
export function presentRow(externalUrl: string, row: EpicRow, parent: EpicRow | undefined, from: string) {
  const { id, iid, color, group_id, title, description, confidential, state, created_at, updated_at, closed_at } = row
  const api = `${externalUrl}/api/v4/groups`
  const path = epicPath(row)
  return {
    ...{ id, work_item_id: id, iid, color, text_color: textColorOf(color), group_id },
    ...{ parent_id: parent?.id ?? null, parent_iid: parent?.iid ?? null, ...importMembers(row) },
    ...{ title, description, confidential, state, created_at, updated_at, closed_at },
    web_edit_url: `${path}/edit`,
    web_url: `${externalUrl}${path}`,
    references: references(row, from),
    _links: {
      self: `${api}/${group_id}/epics/${iid}`,
      epic_issues: `${api}/${group_id}/epics/${iid}/issues`,
      group: `${api}/${group_id}`,
      parent: parent ? `${api}/${parent.group_id}/epics/${parent.iid}` : null,
    },
  }
}
