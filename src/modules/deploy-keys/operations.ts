import { instance, nothing, pageOf, reading, readingUsers, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import { createPublicKey, listInstanceKeys, listSharedKeys } from './instance-keys.ts'
import { keyChanges, newKey, newProjectKey } from './params.ts'
import { DeployKey, InstanceDeployKey, ProjectDeployKey } from './present.ts'
import { addKey, enableKey, getKey, listKeys, removeKey, updateKey } from './project-keys.ts'

const tag = 'Deploy keys'
const administer = { path: '/deploy_keys', tag, subject: instance, allow: 'administrator' } as const

export const deployKeysList = operation({
  ...administer,
  offerings: ['self-managed', 'dedicated'],
  id: 'deploy_keys.list',
  contract: '1.22',
  method: 'GET',
  summary: 'List all deploy keys of the instance',
  scopes: reading,
  params: { public: t.boolean({ description: 'Only public keys. Default: all.' }) },
  result: [200, pageOf(InstanceDeployKey)],
  run: ({ platform, params, page }) => listInstanceKeys(platform, { publicOnly: params.public ?? false }, page),
})

export const deployKeysCreate = operation({
  ...administer,
  id: 'deploy_keys.create',
  contract: '1.23',
  method: 'POST',
  summary: 'Create a public deploy key, which every maintainer may use',
  scopes: writing,
  params: newKey,
  result: [201, InstanceDeployKey],
  run: ({ platform, params, actor, act }) => createPublicKey(platform, params, { actor, act }),
})

export const usersProjectDeployKeys = operation({
  id: 'users.project_deploy_keys',
  contract: '1.25',
  method: 'GET',
  path: '/users/:id_or_username/project_deploy_keys',
  tag,
  summary: 'List the deploy keys of the projects that you and a user maintain',
  subject: instance,
  allow: 'authenticated',
  scopes: readingUsers,
  result: [200, pageOf(DeployKey)],
  run: ({ platform, actor, page, params }) => listSharedKeys(platform, params.id_or_username, actor, page),
})

const onKeys = '/projects/:id/deploy_keys'
const onKey = `${onKeys}/:key_id` as const
const read = { tag, subject: project, allow: 'read_deploy_keys', scopes: reading } as const
const change = { tag, subject: project, allow: 'admin_deploy_keys', scopes: writing } as const
const key_id = t.id()

export const projectDeployKeysList = operation({
  ...read,
  id: 'project_deploy_keys.list',
  contract: '1.24',
  method: 'GET',
  path: onKeys,
  summary: 'List the deploy keys of a project',
  result: [200, pageOf(ProjectDeployKey)],
  run: ({ platform, subject, page }) => listKeys(platform, subject, page),
})

export const projectDeployKeysGet = operation({
  ...read,
  path: onKey,
  id: 'project_deploy_keys.get',
  contract: '1.26',
  method: 'GET',
  summary: 'Get a deploy key of a project',
  params: { key_id },
  result: [200, ProjectDeployKey],
  run: ({ platform, subject, params }) => getKey(platform, subject, params.key_id),
})

export const projectDeployKeysCreate = operation({
  ...change,
  id: 'project_deploy_keys.create',
  contract: '1.27',
  method: 'POST',
  path: onKeys,
  summary: 'Add a deploy key to a project',
  description: 'An existing key to which you have access is added to the project unchanged.',
  params: newProjectKey,
  result: [201, ProjectDeployKey],
  run: ({ platform, subject, actor, params, act }) => addKey(platform, subject, params, { actor, act }),
})

export const projectDeployKeysUpdate = operation({
  ...change,
  path: onKey,
  id: 'project_deploy_keys.update',
  contract: '1.28',
  method: 'PUT',
  summary: 'Change a deploy key of a project',
  description: 'Only callers who maintain every project of the key change its title.',
  params: { key_id, ...keyChanges },
  atLeastOne: ['title', 'can_push'],
  result: [200, ProjectDeployKey],
  run: ({ platform, subject, actor, params: { key_id: id, ...changes }, act }) =>
    updateKey(platform, subject, id, changes, { actor, act }),
})

export const projectDeployKeysDelete = operation({
  ...change,
  path: onKey,
  id: 'project_deploy_keys.delete',
  contract: '1.29',
  method: 'DELETE',
  summary: 'Remove a deploy key from a project',
  params: { key_id },
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) =>
    removeKey(platform, subject, params.key_id, { unmodified, act }),
})

export const projectDeployKeysEnable = operation({
  ...change,
  id: 'project_deploy_keys.enable',
  contract: 'x.deploy_key_enable',
  method: 'POST',
  path: '/projects/:id/deploy_keys/:key_id/enable',
  summary: 'Let an existing deploy key read a project',
  params: { key_id },
  result: [201, ProjectDeployKey],
  run: ({ platform, subject, actor, params, act }) => enableKey(platform, subject, params.key_id, { actor, act }),
})
