import { t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { GroupLabel } from '../core/present.ts'
import { promoteLabel } from './promotion.ts'

const promote = { method: 'PUT', tag: 'Labels', subject: project, allow: 'admin_labels', scopes: writing } as const

export const projectLabelsPromote = operation({
  ...promote,
  id: 'project_labels.promote',
  contract: 'x.label_promote',
  path: '/projects/:id/labels/:label/promote',
  summary: 'Turn a label of a project into one of its group',
  result: [200, GroupLabel],
  run: ({ platform, subject, actor, params }) => promoteLabel(platform, subject, actor, params.label),
})

export const projectLabelsPromoteNamed = operation({
  ...promote,
  id: 'project_labels.promote_named',
  contract: 'x.label_promote_legacy',
  path: '/projects/:id/labels/promote',
  summary: 'Turn the label that a parameter names into one of the group',
  params: { name: t.required(t.string({ description: 'Name of the label.' })) },
  deprecated: true,
  result: [200, GroupLabel],
  run: ({ platform, subject, actor, params }) => promoteLabel(platform, subject, actor, { title: params.name }),
})
