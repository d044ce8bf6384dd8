import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import {
  createPushMirror,
  deletePushMirror,
  getPushMirror,
  listPushMirrors,
  syncPushMirror,
  updatePushMirror,
} from './mirrors.ts'
import { mirrorChanges, mirrorPath, newMirror } from './params.ts'
import { RemoteMirror } from './present.ts'

const tag = 'Push mirrors'

export const remoteMirrorsList = operation({
  id: 'remote_mirrors.list',
  contract: 'x.rmirror_list',
  method: 'GET',
  path: '/projects/:id/remote_mirrors',
  tag,
  summary: 'List the push mirrors of a project',
  subject: project,
  allow: 'read_mirrors',
  scopes: reading,
  result: [200, pageOf(RemoteMirror)],
  run: ({ platform, subject, page }) => listPushMirrors(platform, subject, page),
})

export const remoteMirrorsGet = operation({
  id: 'remote_mirrors.get',
  contract: 'x.rmirror_get',
  method: 'GET',
  path: '/projects/:id/remote_mirrors/:mirror_id',
  tag,
  summary: 'Get a push mirror of a project',
  subject: project,
  allow: 'read_mirrors',
  scopes: reading,
  params: mirrorPath,
  result: [200, RemoteMirror],
  run: ({ platform, subject, params }) => getPushMirror(platform, subject, params.mirror_id),
})

export const remoteMirrorsCreate = operation({
  id: 'remote_mirrors.create',
  contract: 'x.rmirror_create',
  method: 'POST',
  path: '/projects/:id/remote_mirrors',
  tag,
  summary: 'Create a push mirror of a project',
  subject: project,
  allow: 'admin_mirrors',
  scopes: writing,
  params: newMirror,
  result: [201, RemoteMirror],
  run: ({ platform, subject, params }) => createPushMirror(platform, subject, params),
})

export const remoteMirrorsUpdate = operation({
  id: 'remote_mirrors.update',
  contract: 'x.rmirror_update',
  method: 'PUT',
  path: '/projects/:id/remote_mirrors/:mirror_id',
  tag,
  summary: 'Change a push mirror of a project',
  subject: project,
  allow: 'admin_mirrors',
  scopes: writing,
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
  tag,
  summary: 'Delete a push mirror of a project',
  subject: project,
  allow: 'admin_mirrors',
  scopes: writing,
  params: mirrorPath,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) => deletePushMirror(platform, subject, params.mirror_id, unmodified),
})

export const remoteMirrorsSync = operation({
  id: 'remote_mirrors.sync',
  contract: 'x.rmirror_sync',
  method: 'POST',
  path: '/projects/:id/remote_mirrors/:mirror_id/sync',
  tag,
  summary: 'Update a push mirror of a project now',
  subject: project,
  allow: 'admin_mirrors',
  scopes: writing,
  params: mirrorPath,
  result: [204, nothing],
  run: ({ platform, subject, params }) => syncPushMirror(platform, subject, params.mirror_id),
})
