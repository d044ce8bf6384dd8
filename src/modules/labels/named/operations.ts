import { nothing, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { fromProject, project } from '../../projects/index.ts'
import type { LabelKey } from '../core/find.ts'
import { deleteLabel, updateLabel } from '../core/labels.ts'
import { type NamedLabel, namedLabel, projectLabelChanges } from '../core/params.ts'
import { Label } from '../core/present.ts'

const path = '/projects/:id/labels'
const common = {
  tag: 'Labels',
  path,
  subject: project,
  allow: 'admin_labels',
  scopes: writing,
  deprecated: true,
} as const
const exactlyOne = ['label_id', 'name'] as const

const keyOf = ({ label_id: id, name = '' }: NamedLabel): LabelKey => (id === undefined ? { title: name } : { id })

export const projectLabelsUpdateNamed = operation({
  ...common,
  id: 'project_labels.update_named',
  contract: 'x.label_update_legacy',
  method: 'PUT',
  summary: 'Change the label that a parameter names',
  params: { ...namedLabel, ...projectLabelChanges },
  exactlyOne,
  atLeastOne: ['new_name', 'color', 'description', 'priority'],
  result: [200, Label],
  run: ({ platform, subject, actor, params: { label_id, name, ...changes } }) =>
    updateLabel(platform, fromProject(subject), actor, keyOf({ label_id, name }), changes),
})

export const projectLabelsDeleteNamed = operation({
  ...common,
  id: 'project_labels.delete_named',
  contract: 'x.label_delete_legacy',
  method: 'DELETE',
  summary: 'Delete the label that a parameter names',
  params: namedLabel,
  exactlyOne,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) =>
    deleteLabel(platform, fromProject(subject), keyOf(params), unmodified),
})
