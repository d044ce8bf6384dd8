import { instance, nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { createHook, deleteHook, getHook, listHooks, updateHook } from './hooks.ts'
import { hookOwnerOf, instanceHooks } from './owner.ts'
import { hookChanges, hookPath } from './params.ts'
import { hookObjects, SystemHook } from './present.ts'

const tag = 'Webhooks'

/** Hooks of projects and groups (contract 21, x.project_hooks_…, x.group_hooks_…). */
export const hookOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const contract = (name: string) => `x.${kind}_hooks_${name}`
  const read = { tag, subject, allow: 'read_hooks', scopes: reading } as const
  const write = { tag, subject, allow: 'admin_hooks', scopes: writing } as const
  const all = `${path}/hooks` as const
  const one = `${path}/hooks/:hook_id` as const
  const changes = kind === 'project' ? hookChanges.project : hookChanges.group
  const Hook = hookObjects[kind] as typeof hookObjects.project & typeof hookObjects.group
  return [
    operation({
      ...read,
      id: `${kind}_hooks.list`,
      contract: contract('list'),
      method: 'GET',
      path: all,
      summary: `List the webhooks of a ${kind}`,
      result: [200, pageOf(Hook)],
      run: ({ platform, subject, page }) => listHooks(platform, hookOwnerOf(subject), page),
    }),
    operation({
      ...read,
      id: `${kind}_hooks.get`,
      contract: contract('get'),
      method: 'GET',
      path: one,
      summary: `Get a webhook of a ${kind}`,
      params: hookPath,
      result: [200, Hook],
      run: ({ platform, subject, params }) => getHook(platform, hookOwnerOf(subject), params.hook_id),
    }),
    operation({
      ...write,
      id: `${kind}_hooks.create`,
      contract: contract('create'),
      method: 'POST',
      path: all,
      summary: `Create a webhook of a ${kind}`,
      params: { ...changes, url: t.required(changes.url) },
      result: [201, Hook],
      run: ({ platform, subject, params, act }) => createHook(platform, hookOwnerOf(subject), params, act),
    }),
    operation({
      ...write,
      id: `${kind}_hooks.update`,
      contract: contract('update'),
      method: 'PUT',
      path: one,
      summary: `Change a webhook of a ${kind}`,
      params: { ...hookPath, ...changes },
      result: [200, Hook],
      run: ({ platform, subject, params: { hook_id, ...given }, act }) =>
        updateHook(platform, hookOwnerOf(subject), hook_id, given, act),
    }),
    operation({
      ...write,
      id: `${kind}_hooks.delete`,
      contract: contract('delete'),
      method: 'DELETE',
      path: one,
      summary: `Delete a webhook of a ${kind}`,
      params: hookPath,
      result: [204, nothing],
      run: ({ platform, subject, params, unmodified, act }) =>
        deleteHook(platform, hookOwnerOf(subject), params.hook_id, { unmodified, act }),
    }),
  ]
})

const ofInstance = { tag: 'System hooks', subject: instance, allow: 'administrator' } as const

export const systemHooksList = operation({
  ...ofInstance,
  id: 'system_hooks.list',
  contract: 'x.system_hooks_list',
  method: 'GET',
  path: '/hooks',
  summary: 'List the webhooks of the instance',
  scopes: reading,
  result: [200, pageOf(SystemHook)],
  run: ({ platform, page }) => listHooks(platform, instanceHooks, page),
})

export const systemHooksGet = operation({
  ...ofInstance,
  id: 'system_hooks.get',
  contract: 'x.system_hooks_get',
  method: 'GET',
  path: '/hooks/:hook_id',
  summary: 'Get a webhook of the instance',
  scopes: reading,
  params: hookPath,
  result: [200, SystemHook],
  run: ({ platform, params }) => getHook(platform, instanceHooks, params.hook_id),
})

export const systemHooksCreate = operation({
  ...ofInstance,
  id: 'system_hooks.create',
  contract: 'x.system_hooks_create',
  method: 'POST',
  path: '/hooks',
  summary: 'Create a webhook of the instance',
  scopes: writing,
  params: { ...hookChanges.instance, url: t.required(hookChanges.instance.url) },
  result: [201, SystemHook],
  run: ({ platform, params, act }) => createHook(platform, instanceHooks, params, act),
})

export const systemHooksUpdate = operation({
  ...ofInstance,
  id: 'system_hooks.update',
  contract: 'x.system_hooks_update',
  method: 'PUT',
  path: '/hooks/:hook_id',
  summary: 'Change a webhook of the instance',
  scopes: writing,
  params: { ...hookPath, ...hookChanges.instance },
  result: [200, SystemHook],
  run: ({ platform, params: { hook_id, ...given }, act }) => updateHook(platform, instanceHooks, hook_id, given, act),
})

export const systemHooksDelete = operation({
  ...ofInstance,
  id: 'system_hooks.delete',
  contract: 'x.system_hooks_delete',
  method: 'DELETE',
  path: '/hooks/:hook_id',
  summary: 'Delete a webhook of the instance',
  scopes: writing,
  params: hookPath,
  result: [204, nothing],
  run: ({ platform, params, unmodified, act }) =>
    deleteHook(platform, instanceHooks, params.hook_id, { unmodified, act }),
})
