import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { createLabel, deleteLabel, getLabel, listLabels, updateLabel } from './labels.ts'
import {
  changeable,
  groupLabelChanges,
  groupLabelFilter,
  labelLookup,
  newGroupLabel,
  newProjectLabel,
  projectLabelChanges,
  projectLabelFilter,
} from './params.ts'
import { labelObject } from './present.ts'

const tag = 'Labels'

/** Labels of projects and groups (contract 17, x.label_list to x.label_delete, x.group_label_list to x.group_label_delete). */
export const labelOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const ofProject = kind === 'project'
  const contract = (name: string) => (ofProject ? `x.label_${name}` : `x.group_label_${name}`)
  const read = { method: 'GET', tag, subject, allow: 'read_labels', scopes: reading } as const
  const write = { tag, subject, allow: 'admin_labels', scopes: writing } as const
  const schema = labelObject({ kind })
  return [
    operation({
      ...read,
      id: `${kind}_labels.list`,
      contract: contract('list'),
      path: `${path}/labels`,
      summary: ofProject ? 'List the labels that a project can use' : 'List the labels of a group',
      params: ofProject ? projectLabelFilter : groupLabelFilter,
      result: [200, pageOf(schema)],
      run: ({ platform, subject, actor, params, page }) => listLabels(platform, subject, actor, params, page),
    }),
    operation({
      ...read,
      id: `${kind}_labels.get`,
      contract: contract('get'),
      path: `${path}/labels/:label`,
      summary: `Get a label of a ${kind}`,
      params: labelLookup,
      result: [200, schema],
      run: ({ platform, subject, actor, params: { label, ...lookup } }) =>
        getLabel(platform, subject, actor, label, lookup),
    }),
    operation({
      ...write,
      id: `${kind}_labels.create`,
      contract: contract('create'),
      method: 'POST',
      path: `${path}/labels`,
      summary: `Create a label of a ${kind}`,
      params: ofProject ? newProjectLabel : newGroupLabel,
      result: [201, schema],
      answers: { 409: 'The label exists already.' },
      run: ({ platform, subject, actor, params }) => createLabel(platform, subject, actor, params),
    }),
    operation({
      ...write,
      id: `${kind}_labels.update`,
      contract: contract('update'),
      method: 'PUT',
      path: `${path}/labels/:label`,
      summary: `Change a label of a ${kind}`,
      params: (ofProject ? projectLabelChanges : groupLabelChanges) as typeof projectLabelChanges,
      atLeastOne: changeable[kind],
      result: [200, schema],
      run: ({ platform, subject, actor, params: { label, ...changes } }) =>
        updateLabel(platform, subject, actor, label, changes),
    }),
    operation({
      ...write,
      id: `${kind}_labels.delete`,
      contract: contract('delete'),
      method: 'DELETE',
      path: `${path}/labels/:label`,
      summary: `Delete a label of a ${kind}`,
      result: [204, nothing],
      run: ({ platform, subject, params, unmodified }) => deleteLabel(platform, subject, params.label, unmodified),
    }),
  ]
})
