import { type Actor, nothing, pageOf, reading, Type, t, writing } from '../../../api/index.ts'
import { operation, type Platform } from '../../../platform/index.ts'
import { type Project, project } from '../../projects/index.ts'
import { deleteReviewApps, reviewAppFilter, ScheduledReviewApps } from '../review-apps/review-apps.ts'
import { stopStale } from '../stopping/stale.ts'
import { stopEnvironment } from '../stopping/stopping.ts'
import {
  areDeployable,
  createEnvironment,
  deleteEnvironment,
  getEnvironment,
  listEnvironments,
  requireDeployable,
  updateEnvironment,
} from './environments.ts'
import { environmentChanges, environmentFilter, environmentId, newEnvironment } from './params.ts'
import { Environment, EnvironmentDetail } from './present.ts'

const shared = { tag: 'Environments', subject: project, jobToken: true } as const
const read = { ...shared, allow: 'read_environments', scopes: reading } as const
const write = { ...shared, allow: 'write_environments', scopes: writing } as const
const all = '/projects/:id/environments'
const one = `${all}/:environment_id` as const

type Named = { environment_id?: number }
type Asked = { platform: Platform; subject: Project; actor: Actor }

/** Those who may deploy to an environment change, stop and delete it. */
const permitted = {
  permits: ({ platform, subject, actor, params }: Asked & { params: Named }) =>
    requireDeployable(platform, subject, actor, params.environment_id ?? 0),
  permitsEach: ({ platform, subject, actor, calls }: Asked & { calls: readonly Named[] }) =>
    areDeployable(
      platform,
      subject,
      actor,
      calls.map(({ environment_id: id = 0 }) => id),
    ),
}

export const environmentsList = operation({
  ...read,
  id: 'environments.list',
  contract: 'x.environments_list',
  method: 'GET',
  path: all,
  summary: 'List the environments of a project',
  params: environmentFilter,
  result: [200, pageOf(Environment)],
  run: ({ platform, subject, actor, params, page }) => listEnvironments(platform, subject, actor, params, page),
})

export const environmentsGet = operation({
  ...read,
  id: 'environments.get',
  contract: 'x.environments_get',
  method: 'GET',
  path: one,
  summary: 'Get an environment with its last deployment',
  params: environmentId,
  result: [200, EnvironmentDetail],
  run: ({ platform, subject, actor, params }) => getEnvironment(platform, subject, actor, params.environment_id),
})

export const environmentsCreate = operation({
  ...write,
  id: 'environments.create',
  contract: 'x.environments_create',
  method: 'POST',
  path: all,
  summary: 'Create an environment',
  params: newEnvironment,
  result: [201, Environment],
  run: ({ platform, subject, actor, params }) => createEnvironment(platform, subject, actor, params),
})

export const environmentsUpdate = operation({
  ...write,
  id: 'environments.update',
  contract: 'x.environments_update',
  method: 'PUT',
  path: one,
  summary: 'Change an environment',
  description: 'Its name and its slug stay.',
  params: { ...environmentId, ...environmentChanges },
  result: [200, Environment],
  ...permitted,
  run: ({ platform, subject, actor, params: { environment_id: id, ...changes } }) =>
    updateEnvironment(platform, subject, actor, id, changes),
})

export const environmentsStop = operation({
  ...write,
  id: 'environments.stop',
  contract: 'x.environments_stop',
  method: 'POST',
  path: `${one}/stop`,
  summary: 'Stop an environment',
  description: 'Starts its stop job, if it has one. An environment that is stopped already stays as it is.',
  params: { ...environmentId, force: t.boolean({ description: 'Does not start the stop job.' }) },
  result: [200, Environment],
  ...permitted,
  run: ({ platform, subject, actor, params: { environment_id: id, force = false } }) =>
    stopEnvironment(platform, subject, actor, id, force),
})

export const environmentsDelete = operation({
  ...write,
  id: 'environments.delete',
  contract: 'x.environments_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete a stopped environment',
  params: environmentId,
  result: [204, nothing],
  ...permitted,
  run: ({ platform, subject, actor, params, unmodified }) =>
    deleteEnvironment(platform, subject, actor, params.environment_id, unmodified),
})

export const environmentsDeleteReviewApps = operation({
  ...shared,
  id: 'environments.delete_review_apps',
  contract: 'x.environments_delete_review_apps',
  method: 'DELETE',
  path: `${all}/review_apps`,
  summary: 'Have old, stopped review apps deleted after seven days',
  // The operation itself answers 401 to those who may only read.
  allow: 'read_environments',
  scopes: writing,
  params: reviewAppFilter,
  result: [200, ScheduledReviewApps],
  run: ({ platform, subject, actor, params }) => deleteReviewApps(platform, subject, actor, params),
})

export const environmentsStopStale = operation({
  ...shared,
  id: 'environments.stop_stale',
  contract: 'x.environments_stop_stale',
  method: 'POST',
  path: `${all}/stop_stale`,
  summary: 'Have environments stopped that were neither changed nor deployed to for long',
  allow: 'admin_environments',
  scopes: writing,
  params: { before: t.required(t.datetime({ description: 'From ten years to one week ago.' })) },
  result: [200, Type.Object({ message: Type.String() })],
  async run({ platform, subject, actor, params }) {
    await stopStale(platform, subject, actor, params.before)
    return { message: 'Successfully requested stop for all stale environments' }
  },
})
