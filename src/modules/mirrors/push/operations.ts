import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { MirrorPublicKey, RemoteMirror } from '../present.ts'
import {
  createPushMirror,
  deletePushMirror,
  getPushMirror,
  listPushMirrors,
  publicKeyOf,
  syncPushMirror,
  updatePushMirror,
} from './mirrors.ts'
import { mirrorChanges, mirrorPath, newMirror } from './params.ts'

const shared = { tag: 'Push mirrors', subject: project } as const
const read = { ...shared, allow: 'read_mirrors', scopes: reading } as const
const write = { ...shared, allow: 'admin_mirrors', scopes: writing } as const

export const remoteMirrorsList = operation({
  id: 'remote_mirrors.list',
  contract: 'x.rmirror_list',
  method: 'GET',
  path: '/projects/:id/remote_mirrors',
  summary: 'List the push mirrors of a project',
  ...read,
  result: [200, pageOf(RemoteMirror)],
  run: ({ platform, subject, page }) => listPushMirrors(platform, subject, page),
})

export const remoteMirrorsGet = operation({
  id: 'remote_mirrors.get',
  contract: 'x.rmirror_get',
  method: 'GET',
  path: '/projects/:id/remote_mirrors/:mirror_id',
  summary: 'Get a push mirror of a project',
  ...read,
  params: mirrorPath,
  result: [200, RemoteMirror],
  run: ({ platform, subject, params }) => getPushMirror(platform, subject, params.mirror_id),
})

export const remoteMirrorsPublicKey = operation({
  id: 'remote_mirrors.public_key',
  contract: 'x.rmirror_public_key',
  method: 'GET',
  path: '/projects/:id/remote_mirrors/:mirror_id/public_key',
  summary: 'Get the public SSH key of a push mirror',
  description:
    'For mirrors with `auth_method` `ssh_public_key`: the remote server has to accept it, as a deploy key that may push.',
  ...read,
  params: mirrorPath,
  result: [200, MirrorPublicKey],
  run: ({ platform, subject, params }) => publicKeyOf(platform, subject, params.mirror_id),
})

export const remoteMirrorsCreate = operation({
  id: 'remote_mirrors.create',
  contract: 'x.rmirror_create',
  method: 'POST',
  path: '/projects/:id/remote_mirrors',
  summary: 'Create a push mirror of a project',
  ...write,
  params: newMirror,
  result: [201, RemoteMirror],
  run: ({ platform, subject, params }) => createPushMirror(platform, subject, params),
})

export const remoteMirrorsUpdate = operation({
  id: 'remote_mirrors.update',
  contract: 'x.rmirror_update',
  method: 'PUT',
  path: '/projects/:id/remote_mirrors/:mirror_id',
  summary: 'Change a push mirror of a project',
  ...write,
  params: { ...mirrorPath, ...mirrorChanges },
  result: [200, RemoteMirror],
  run: ({ platform, subject, params: { mirror_id, ...changes } }) =>
    updatePushMirror(platform, subject, mirror_id, changes),
})

export const remoteMirrorsDelete = operation({
  id: 'remote_mirrors.delete',
  contract: 'x.rmirror_delete',
  method: 'DELETE',
  path: '/projects/:id/remote_mirrors/:mirror_id',
  summary: 'Delete a push mirror of a project',
  ...write,
  params: mirrorPath,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) => deletePushMirror(platform, subject, params.mirror_id, unmodified),
})

export const remoteMirrorsSync = operation({
  id: 'remote_mirrors.sync',
  contract: 'x.rmirror_sync',
  method: 'POST',
  path: '/projects/:id/remote_mirrors/:mirror_id/sync',
  summary: 'Update a push mirror of a project now',
  ...write,
  params: mirrorPath,
  result: [204, nothing],
  run: ({ platform, subject, params }) => syncPushMirror(platform, subject, params.mirror_id),
})
