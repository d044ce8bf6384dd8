import { type Actor, computed, fact, forms, from, object, of, requireSignedIn, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ProjectOrGroup, ProjectOrGroupRef } from '../../projects/index.ts'
import { renderMarkdownOf, uploadOwnerOf } from '../../uploads/index.ts'
import { textColorOf } from '../colors/colors.ts'
import { subscribedLabels } from '../subscriptions/store.ts'
import type { LabelRow } from '../tables.ts'
import { prioritiesOf } from '../usable/store.ts'

/** A label inside other objects: LabelBasic of contract 17, LabelDetail of contract 16. */
export const LabelBasic = object('LabelBasic', of<LabelRow>(), {
  id: forms.id,
  name: from(Type.String(), 'title'),
  description: forms.nullableString,
  description_html: computed(Type.String(), (row) =>
    row.description ? renderMarkdownOf(uploadOwnerOf(row), row.description) : '',
  ),
  text_color: computed(Type.String({ examples: ['#FFFFFF'] }), ({ color }) => textColorOf(color)),
  color: Type.String({ examples: ['#6699cc'] }),
})

/** The labels of an answer are those that a caller sees in a project or group. */
export type LabelView = {
  platform: Platform
  db: Reader
  parent: ProjectOrGroup
  actor: Actor
  /** Whether the issues and merge requests of each label are counted. */
  withCounts?: boolean | undefined
}

const idsOf = (rows: readonly LabelRow[]) => rows.map(({ id }) => id)

const labels = of<LabelRow, LabelView>().facts({
  issues: (rows, { platform, parent, actor }) =>
    platform.ports['labels.issue_counts'](platform, parent, idsOf(rows), actor),
  requests: (rows, { platform, parent, actor }) =>
    platform.ports['labels.merge_request_counts'](platform, parent, idsOf(rows), actor),
  subscribed: (rows, { db, actor }) => subscribedLabels(db, requireSignedIn(actor).userId, idsOf(rows)),
  priorities: async (rows, { db, parent }) =>
    parent.kind === 'project' ? prioritiesOf(db, parent.id, idsOf(rows)) : new Map<number, number>(),
})

/** A label on the routes of groups (contract 17, Label). */
export const GroupLabel = object('GroupLabel', labels, {
  ...LabelBasic.fields,
  ...labels.ifView(({ withCounts }) => withCounts === true, {
    open_issues_count: fact(Type.Integer(), 'issues', ({ id }, { issues }) => issues.get(id)?.opened ?? 0),
    closed_issues_count: fact(Type.Integer(), 'issues', ({ id }, { issues }) => issues.get(id)?.closed ?? 0),
    open_merge_requests_count: fact(Type.Integer(), 'requests', ({ id }, { requests }) => requests.get(id) ?? 0),
  }),
  subscribed: fact(
    Type.Boolean({ description: 'Whether the caller is subscribed.' }),
    'subscribed',
    ({ id }, { subscribed }) => subscribed.has(id),
  ),
})

/** A label on the routes of projects. */
export const Label = object('Label', labels, {
  ...GroupLabel.fields,
  priority: fact(forms.nullableInteger, 'priorities', ({ id }, { priorities }) => priorities.get(id) ?? null),
  is_project_label: computed(Type.Boolean(), ({ project_id }) => project_id !== null),
})

/** The object of labels on the routes of projects or groups. */
export const labelObject = ({ kind }: Pick<ProjectOrGroupRef, 'kind'>) =>
  (kind === 'project' ? Label : GroupLabel) as typeof Label

/** The project or group of a label in the columns of its row. */
export const parentColumns = ({ kind, id }: Pick<ProjectOrGroupRef, 'kind' | 'id'>) => ({
  project_id: kind === 'project' ? id : null,
  namespace_id: kind === 'group' ? id : null,
})
