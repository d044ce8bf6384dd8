import { nothing, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { Runner } from '../core/present.ts'
import { assignRunner, unassignRunner } from './assignments.ts'

const shared = { tag: 'Runners', subject: project, allow: 'admin_runners', scopes: writing } as const

export const projectRunnersAssign = operation({
  ...shared,
  id: 'project_runners.assign',
  contract: 'x.project_runner_assign',
  method: 'POST',
  path: '/projects/:id/runners',
  summary: 'Let a runner take jobs of a further project',
  params: { runner_id: t.required(t.integer()) },
  result: [201, Runner],
  run: ({ platform, subject, actor, params, act }) => assignRunner(platform, subject, params.runner_id, { actor, act }),
})

export const projectRunnersUnassign = operation({
  ...shared,
  id: 'project_runners.unassign',
  contract: 'x.project_runner_unassign',
  method: 'DELETE',
  path: '/projects/:id/runners/:runner_id',
  summary: 'Take a runner from a project',
  params: { runner_id: t.id() },
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) =>
    unassignRunner(platform, subject, params.runner_id, { unmodified, act }),
})
