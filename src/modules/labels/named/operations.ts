import { nothing, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import type { LabelKey } from '../core/find.ts'
import { deleteLabel, updateLabel } from '../core/labels.ts'
import { changeable, groupLabelChanges, type NamedLabel, namedLabel, projectLabelChanges } from '../core/params.ts'
import { labelObject } from '../core/present.ts'

const exactlyOne = ['label_id', 'name'] as const

const keyOf = ({ label_id: id, name = '' }: NamedLabel): LabelKey => (id === undefined ? { title: name } : { id })

/** Labels that a parameter names instead of the path (contract 17, x.label_update_legacy, x.label_delete_legacy). */
export const namedOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const prefix = kind === 'project' ? 'x.label' : 'x.group_label'
  const common = { tag: 'Labels', path: `${path}/labels`, subject, allow: 'admin_labels', scopes: writing } as const
  const changes = (kind === 'project' ? projectLabelChanges : groupLabelChanges) as typeof projectLabelChanges
  return [
    operation({
      ...common,
      id: `${kind}_labels.update_named`,
      contract: `${prefix}_update_legacy`,
      method: 'PUT',
      summary: `Change the label of a ${kind} that a parameter names`,
      params: { ...namedLabel, ...changes },
      exactlyOne,
      atLeastOne: changeable[kind],
      deprecated: true,
      result: [200, labelObject({ kind })],
      run: ({ platform, subject, actor, params: { label_id, name, ...changes } }) =>
        updateLabel(platform, subject, actor, keyOf({ label_id, name }), changes),
    }),
    operation({
      ...common,
      id: `${kind}_labels.delete_named`,
      contract: `${prefix}_delete_legacy`,
      method: 'DELETE',
      summary: `Delete the label of a ${kind} that a parameter names`,
      params: namedLabel,
      exactlyOne,
      deprecated: true,
      result: [204, nothing],
      run: ({ platform, subject, params, unmodified }) => deleteLabel(platform, subject, keyOf(params), unmodified),
    }),
  ]
})
