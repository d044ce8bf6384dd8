import { pageOf, reading, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import { createKey, deleteKey, ErrorTrackingClientKey, listKeys } from './client-keys.ts'
import { ErrorTrackingSetting, getSetting, patchSetting, putSetting } from './settings.ts'

const shared = { tag: 'Error tracking', subject: project } as const
const read = { ...shared, method: 'GET', allow: 'read_error_tracking', scopes: reading } as const
const write = { ...shared, allow: 'admin_error_tracking', scopes: writing } as const
const settings = '/projects/:id/error_tracking/settings'
const keys = '/projects/:id/error_tracking/client_keys'
const active = t.filled(t.required(t.boolean()))
const integrated = t.boolean({ description: 'Whether errors are to be sent to this server.' })

export const errorTrackingGet = operation({
  ...read,
  id: 'error_tracking.get',
  contract: 'x.error_tracking_get',
  path: settings,
  summary: 'Get the settings of error tracking',
  result: [200, ErrorTrackingSetting],
  run: ({ platform, subject }) => getSetting(platform, subject),
})

export const errorTrackingPut = operation({
  ...write,
  id: 'error_tracking.put',
  contract: 'x.error_tracking_put',
  method: 'PUT',
  path: settings,
  summary: 'Store the settings of error tracking',
  description: 'Settings only: no events are collected.',
  params: { active, integrated: t.required(integrated) },
  result: [200, ErrorTrackingSetting],
  run: ({ platform, subject, params }) => putSetting(platform, subject, params),
})

export const errorTrackingPatch = operation({
  ...write,
  id: 'error_tracking.patch',
  contract: 'x.error_tracking_patch',
  method: 'PATCH',
  path: settings,
  summary: 'Change the settings of error tracking',
  description: 'Not found when none were stored.',
  params: { active, integrated },
  result: [200, ErrorTrackingSetting],
  run: ({ platform, subject, params }) => patchSetting(platform, subject, params),
})

export const errorTrackingKeysList = operation({
  ...read,
  id: 'error_tracking_keys.list',
  contract: 'x.error_key_list',
  path: keys,
  summary: 'List the client keys of error tracking',
  result: [200, pageOf(ErrorTrackingClientKey)],
  run: ({ platform, subject, page }) => listKeys(platform, subject, page),
})

export const errorTrackingKeysCreate = operation({
  ...write,
  id: 'error_tracking_keys.create',
  contract: 'x.error_key_create',
  method: 'POST',
  path: keys,
  summary: 'Create a client key of error tracking',
  description: 'Nothing answers at the address in `sentry_dsn`: no events are collected.',
  result: [201, ErrorTrackingClientKey],
  run: ({ platform, subject }) => createKey(platform, subject),
})

export const errorTrackingKeysDelete = operation({
  ...write,
  id: 'error_tracking_keys.delete',
  contract: 'x.error_key_delete',
  method: 'DELETE',
  path: `${keys}/:key_id`,
  summary: 'Delete a client key of error tracking',
  params: { key_id: t.id() },
  result: [200, ErrorTrackingClientKey],
  run: ({ platform, subject, params, unmodified }) => deleteKey(platform, subject, params.key_id, unmodified),
})
