import {
  instance,
  nothing,
  type Operation,
  operation,
  pageOf,
  reading,
  readingUsers,
  requireUnmodified,
  t,
  writing,
} from '../../api/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import type { DeployKeys } from './deploy-keys.ts'
import { DeployKey, InstanceDeployKey, ProjectDeployKey } from './present.ts'

const tag = 'Deploy keys'

const keyText = t.required(
  t.string({ description: 'One line of an OpenSSH `.pub` file.', example: 'ssh-ed25519 AAAA… deploy@host' }),
)
const expiry = t.datetime({ description: 'From this moment on the key opens nothing. Default: never.' })
const canPush = t.boolean({ description: 'Whether the key may push to this project. Default: false.' })

type Needs = { deployKeys: DeployKeys; project: ProjectSubject }

/** Keys of the whole instance, and those of projects that two people share. */
function instanceOperations({ deployKeys: { ofInstance } }: Needs): Operation[] {
  return [
    operation({
      id: 'deploy_keys.list',
      contract: '1.22',
      method: 'GET',
      path: '/deploy_keys',
      tag,
      summary: 'List all deploy keys of the instance',
      subject: instance,
      allow: 'administrator',
      scopes: reading,
      params: { public: t.boolean({ description: 'Only public keys. Default: all.' }) },
      result: [200, pageOf(InstanceDeployKey)],
      run: ({ params, page }) => ofInstance.list({ publicOnly: params.public ?? false }, page),
    }),
    operation({
      id: 'deploy_keys.create',
      contract: '1.23',
      method: 'POST',
      path: '/deploy_keys',
      tag,
      summary: 'Create a public deploy key, which every maintainer may use',
      subject: instance,
      allow: 'administrator',
      scopes: writing,
      params: { key: keyText, title: t.required(t.string()), expires_at: expiry },
      result: [201, InstanceDeployKey],
      run: ({ params, actor }) => ofInstance.createPublic(params, actor),
    }),
    operation({
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
      run: ({ actor, page, request }) => ofInstance.listShared(request.path.id_or_username, actor, page),
    }),
  ]
}

/** The keys of one project. */
function projectOperations({ deployKeys: { ofProject }, project }: Needs): Operation[] {
  const shared = { tag, subject: project }
  const onOne = { ...shared, path: '/projects/:id/deploy_keys/:key_id', numericPath: { key_id: 'invalid' } as const }
  return [
    operation({
      ...shared,
      id: 'project_deploy_keys.list',
      contract: '1.24',
      method: 'GET',
      path: '/projects/:id/deploy_keys',
      summary: 'List the deploy keys of a project',
      allow: 'read_deploy_keys',
      scopes: reading,
      result: [200, pageOf(ProjectDeployKey)],
      run: ({ subject, page }) => ofProject.list(subject, page),
    }),
    operation({
      ...onOne,
      id: 'project_deploy_keys.get',
      contract: '1.26',
      method: 'GET',
      summary: 'Get a deploy key of a project',
      allow: 'read_deploy_keys',
      scopes: reading,
      result: [200, ProjectDeployKey],
      run: ({ subject, request }) => ofProject.get(subject, request.path.key_id),
    }),
    operation({
      ...shared,
      id: 'project_deploy_keys.create',
      contract: '1.27',
      method: 'POST',
      path: '/projects/:id/deploy_keys',
      summary: 'Add a deploy key to a project',
      description: 'A key that is there already is joined to the project as it is, where you may use it.',
      allow: 'admin_deploy_keys',
      scopes: writing,
      params: { key: keyText, title: t.required(t.string()), can_push: canPush, expires_at: expiry },
      result: [201, ProjectDeployKey],
      run: ({ subject, actor, params }) => ofProject.add(subject, params, actor),
    }),
    operation({
      ...onOne,
      id: 'project_deploy_keys.update',
      contract: '1.28',
      method: 'PUT',
      summary: 'Change a deploy key of a project',
      description: 'The title is changed only by who maintains every project that the key opens.',
      allow: 'admin_deploy_keys',
      scopes: writing,
      params: { title: t.string(), can_push: canPush },
      atLeastOne: ['title', 'can_push'],
      result: [200, ProjectDeployKey],
      run: ({ subject, actor, params, request }) => ofProject.update(subject, request.path.key_id, params, actor),
    }),
    operation({
      ...onOne,
      id: 'project_deploy_keys.delete',
      contract: '1.29',
      method: 'DELETE',
      summary: 'Remove a deploy key from a project',
      allow: 'admin_deploy_keys',
      scopes: writing,
      result: [204, nothing],
      run: ({ subject, request }) =>
        ofProject.remove(subject, request.path.key_id, (updatedAt) => requireUnmodified(request, updatedAt)),
    }),
    operation({
      ...onOne,
      id: 'project_deploy_keys.enable',
      contract: 'x.deploy_key_enable',
      method: 'POST',
      path: '/projects/:id/deploy_keys/:key_id/enable',
      summary: 'Let an existing deploy key read a project',
      allow: 'admin_deploy_keys',
      scopes: writing,
      result: [201, ProjectDeployKey],
      run: ({ subject, actor, request }) => ofProject.enable(subject, request.path.key_id, actor),
    }),
  ]
}

/** Every operation on deploy keys (contract 1.22–1.29). */
export function deployKeyOperations(needs: Needs): Operation[] {
  return [...instanceOperations(needs), ...projectOperations(needs)]
}
