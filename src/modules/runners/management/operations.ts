import { type Actor, instance, nothing, reading, type Scopes, Type } from '../../../api/index.ts'
import { operation, type Platform } from '../../../platform/index.ts'
import { requireManaged } from '../core/access.ts'
import { createdRunner, idInPath, runnerChanges } from '../core/params.ts'
import { RegisteredRunner, RunnerDetail, RunnerManager, RunnerToken } from '../core/present.ts'
import { createRunner, requireCreator } from './create-runner.ts'
import { deleteRunner, getRunner, listManagers, requireDeletable, resetToken, updateRunner } from './runners.ts'

const tag = 'Runners'
const creating: Scopes = ['api', 'create_runner']
const managing: Scopes = ['api', 'manage_runner']
const read = { tag, subject: instance, allow: 'authenticated', scopes: reading, params: idInPath } as const
const change = { tag, subject: instance, allow: 'authenticated', scopes: managing, params: idInPath } as const

type Known = { platform: Platform; actor: Actor; params: { id?: number } }

/** What who administers a runner may do. */
const managed = {
  ...change,
  permits: ({ platform, actor, params }: Known) =>
    requireManaged(platform, platform.database.read, params.id ?? 0, actor),
} as const

export const runnersCreate = operation({
  id: 'runners.create',
  contract: 'x.runner_create',
  method: 'POST',
  path: '/user/runners',
  tag,
  summary: 'Create a runner of the instance, of a group or of a project',
  description: 'The answer is the only one that has its authentication token.',
  subject: instance,
  allow: 'authenticated',
  scopes: creating,
  params: createdRunner,
  result: [201, RegisteredRunner],
  permits: ({ platform, params, actor }) => requireCreator(platform, params, actor),
  run: ({ platform, actor, params, act }) => createRunner(platform, params, { actor, act }),
})

export const runnersGet = operation({
  ...read,
  id: 'runners.get',
  contract: 'x.runner_get',
  method: 'GET',
  path: '/runners/:id',
  summary: 'Get a runner',
  result: [200, RunnerDetail],
  run: ({ platform, actor, params }) => getRunner(platform, params.id, actor),
})

export const runnersManagers = operation({
  ...read,
  id: 'runners.managers',
  contract: 'x.runner_managers',
  method: 'GET',
  path: '/runners/:id/managers',
  summary: 'List the programs that use the token of a runner',
  result: [200, Type.Array(RunnerManager)],
  run: ({ platform, actor, params }) => listManagers(platform, params.id, actor),
})

export const runnersUpdate = operation({
  ...managed,
  id: 'runners.update',
  contract: 'x.runner_update',
  method: 'PUT',
  path: '/runners/:id',
  summary: 'Change a runner',
  params: { ...idInPath, ...runnerChanges },
  atLeastOne: Object.keys(runnerChanges) as (keyof typeof runnerChanges)[],
  exclusive: [['active', 'paused']],
  result: [200, RunnerDetail],
  run: ({ platform, actor, params: { id, ...changes }, act }) => updateRunner(platform, id, changes, { actor, act }),
})

export const runnersDelete = operation({
  ...change,
  id: 'runners.delete',
  contract: 'x.runner_delete',
  method: 'DELETE',
  path: '/runners/:id',
  summary: 'Delete a runner',
  result: [204, nothing],
  permits: ({ platform, actor, params }) => requireDeletable(platform, platform.database.read, params.id ?? 0, actor),
  run: ({ platform, actor, params, unmodified, act }) => deleteRunner(platform, params.id, { actor, act }, unmodified),
})

export const runnersResetToken = operation({
  ...managed,
  id: 'runners.reset_token',
  contract: 'x.runner_reset_token',
  method: 'POST',
  path: '/runners/:id/reset_authentication_token',
  summary: 'Give a runner another authentication token',
  result: [201, RunnerToken],
  run: ({ platform, actor, params, act }) => resetToken(platform, params.id, { actor, act }),
})
