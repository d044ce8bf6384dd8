import {
  anything,
  nothing,
  type Operation,
  operation,
  pageOf,
  reading,
  requireUnmodified,
  t,
  writing,
} from '../../api/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import { PullMirror, presentPullMirror, presentRemoteMirror, RemoteMirror } from './present.ts'
import type { PullMirrors } from './pull-mirrors.ts'
import type { PushMirrors } from './push-mirrors.ts'

type Needs = { pushMirrors: PushMirrors; pullMirrors: PullMirrors; project: ProjectSubject }

const pattern = t.nullable(
  t.string({ description: 'RE2. Only branches whose names it matches are mirrored; excludes protected ones alone.' }),
)

const pushParams = {
  enabled: t.boolean({ description: 'Whether it follows the project. Default: false.' }),
  only_protected_branches: t.boolean({ description: 'Whether other branches are left alone. Default: false.' }),
  keep_divergent_refs: t.boolean({ description: 'Whether what the other side has of its own stays. Default: false.' }),
  mirror_branch_regex: pattern,
  auth_method: t.oneOf(['password', 'ssh_public_key'], { description: 'Default: password.' }),
}

const pullParams = {
  enabled: t.boolean({ description: 'Whether the project follows. Default: false.' }),
  url: t.string({ description: 'Where to pull from; may hold a user name and a password.' }),
  auth_user: t.string({ description: 'User name for the other side.' }),
  auth_password: t.string({ description: 'Password or token for the other side.' }),
  mirror_trigger_builds: t.boolean({ description: 'Whether what comes in starts pipelines.' }),
  only_mirror_protected_branches: t.boolean({ description: 'Whether other branches are left alone.' }),
  mirror_overwrites_diverged_branches: t.boolean({ description: 'Whether what is only here gives way.' }),
  mirror_branch_regex: pattern,
}

function pushOperations({ pushMirrors, project }: Needs): Operation[] {
  const shared = { tag: 'Push mirrors', subject: project }
  const reads = { ...shared, allow: 'read_mirrors' as const, scopes: reading }
  const writes = { ...shared, allow: 'admin_mirrors' as const, scopes: writing }
  const all = '/projects/:id/remote_mirrors'
  const one = `${all}/:mirror_id`
  return [
    operation({
      ...reads,
      id: 'remote_mirrors.list',
      contract: 'x.rmirror_list',
      method: 'GET',
      path: all,
      summary: 'List the places that a project is pushed to',
      result: [200, pageOf(RemoteMirror)],
      async run({ subject, page }) {
        const found = await pushMirrors.list(subject, page)
        return { ...found, items: found.items.map(presentRemoteMirror) }
      },
    }),
    operation({
      ...reads,
      id: 'remote_mirrors.get',
      contract: 'x.rmirror_get',
      method: 'GET',
      path: one,
      summary: 'Get a place that a project is pushed to',
      result: [200, RemoteMirror],
      run: async ({ subject, request }) => presentRemoteMirror(await pushMirrors.get(subject, request.path.mirror_id)),
    }),
    operation({
      ...writes,
      id: 'remote_mirrors.create',
      contract: 'x.rmirror_create',
      method: 'POST',
      path: all,
      summary: 'Push a project to another place',
      params: { url: t.required(t.string({ description: 'May hold a user name and a password.' })), ...pushParams },
      result: [201, RemoteMirror],
      run: async ({ subject, params }) => presentRemoteMirror(await pushMirrors.create(subject, params)),
    }),
    operation({
      ...writes,
      id: 'remote_mirrors.update',
      contract: 'x.rmirror_update',
      method: 'PUT',
      path: one,
      summary: 'Change how a project is pushed to a place',
      params: pushParams,
      result: [200, RemoteMirror],
      run: async ({ subject, params, request }) =>
        presentRemoteMirror(await pushMirrors.update(subject, request.path.mirror_id, params)),
    }),
    operation({
      ...writes,
      id: 'remote_mirrors.delete',
      contract: 'x.rmirror_delete',
      method: 'DELETE',
      path: one,
      summary: 'Push a project to a place no more',
      result: [204, nothing],
      run: ({ subject, request }) =>
        pushMirrors.remove(subject, request.path.mirror_id, (updatedAt) => requireUnmodified(request, updatedAt)),
    }),
    operation({
      ...writes,
      id: 'remote_mirrors.sync',
      contract: 'x.rmirror_sync',
      method: 'POST',
      path: `${one}/sync`,
      summary: 'Push a project to a place now',
      result: [204, nothing],
      run: ({ subject, request }) => pushMirrors.sync(subject, request.path.mirror_id),
    }),
  ]
}

function pullOperations({ pullMirrors, project }: Needs): Operation[] {
  const shared = { tag: 'Pull mirrors', subject: project, path: '/projects/:id/mirror/pull' }
  return [
    operation({
      ...shared,
      id: 'pull_mirror.get',
      contract: 'x.pmirror_get',
      method: 'GET',
      summary: 'Get the place that a project is pulled from',
      allow: 'read_mirrors',
      scopes: reading,
      result: [200, PullMirror],
      run: async ({ subject }) => presentPullMirror(await pullMirrors.get(subject)),
    }),
    operation({
      ...shared,
      id: 'pull_mirror.put',
      contract: 'x.pmirror_put',
      method: 'PUT',
      summary: 'Pull a project from another place, or change how',
      allow: 'admin_mirrors',
      scopes: writing,
      params: pullParams,
      result: [200, PullMirror],
      run: async ({ subject, params, actor }) => presentPullMirror(await pullMirrors.put(subject, params, actor)),
    }),
    operation({
      ...shared,
      id: 'pull_mirror.start',
      contract: 'x.pmirror_start',
      method: 'POST',
      summary: 'Pull a project now',
      description: 'Answers with null.',
      allow: 'admin_mirrors',
      scopes: writing,
      result: [200, anything],
      async run({ subject }) {
        await pullMirrors.start(subject)
        return null
      },
    }),
  ]
}

/** Mirrors of projects (contract 22, x.rmirror_*, x.pmirror_*). */
export function mirrorOperations(needs: Needs): Operation[] {
  return [...pushOperations(needs), ...pullOperations(needs)]
}
