import { instance, nothing, pageOf, readingUsers, requireSignedIn, statusNumber, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { createKey, GpgKey, getKey, listKeys, removeKey } from './gpg-keys.ts'

const userId = { id: t.id({ otherwise: 'route' }) }
const keyId = { key_id: t.id({ otherwise: 'route' }) }
const newKey = { key: t.required(t.string({ description: 'A public key in ASCII armour.' })) }

const shared = { tag: 'GPG keys', subject: instance } as const
const own = { ...shared, allow: 'authenticated' } as const
const public_ = { ...shared, allow: 'public', scopes: readingUsers } as const
const administration = { ...shared, allow: 'administrator', scopes: writing } as const

export const userGpgKeysList = operation({
  ...own,
  id: 'user_gpg_keys.list',
  contract: 'x.user_gpg_list',
  method: 'GET',
  path: '/user/gpg_keys',
  summary: 'List your GPG keys',
  scopes: readingUsers,
  result: [200, pageOf(GpgKey)],
  run: ({ platform, actor, page }) => listKeys(platform, requireSignedIn(actor).userId, actor, page),
})

export const userGpgKeysGet = operation({
  ...own,
  id: 'user_gpg_keys.get',
  contract: 'x.user_gpg_get',
  method: 'GET',
  path: '/user/gpg_keys/:key_id',
  summary: 'Get one of your GPG keys',
  scopes: readingUsers,
  params: keyId,
  result: [200, GpgKey],
  run: ({ platform, actor, params }) => getKey(platform, requireSignedIn(actor).userId, params.key_id, actor),
})

export const userGpgKeysCreate = operation({
  ...own,
  id: 'user_gpg_keys.create',
  contract: 'x.user_gpg_create',
  method: 'POST',
  path: '/user/gpg_keys',
  summary: 'Add a GPG key',
  scopes: writing,
  params: newKey,
  result: [201, GpgKey],
  run: ({ platform, actor, params }) => createKey(platform, requireSignedIn(actor).userId, params.key),
})

export const userGpgKeysDelete = operation({
  ...own,
  id: 'user_gpg_keys.delete',
  contract: 'x.user_gpg_delete',
  method: 'DELETE',
  path: '/user/gpg_keys/:key_id',
  summary: 'Remove one of your GPG keys',
  description: 'Commits that were signed before stay verified.',
  scopes: writing,
  params: keyId,
  result: [204, nothing],
  run: ({ platform, actor, params, unmodified }) =>
    removeKey(platform, requireSignedIn(actor).userId, params.key_id, { state: 'removed', unmodified }),
})

export const userGpgKeysRevoke = operation({
  ...own,
  id: 'user_gpg_keys.revoke',
  contract: 'x.user_gpg_revoke',
  method: 'POST',
  path: '/user/gpg_keys/:key_id/revoke',
  summary: 'Revoke one of your GPG keys',
  description: 'Removes it; the commits that it signed are no longer verified.',
  scopes: writing,
  params: keyId,
  result: [202, statusNumber],
  async run({ platform, actor, params }) {
    await removeKey(platform, requireSignedIn(actor).userId, params.key_id, { state: 'revoked' })
    return 202
  },
})

export const usersGpgKeysList = operation({
  ...public_,
  id: 'users_gpg_keys.list',
  contract: 'x.users_gpg_list',
  method: 'GET',
  path: '/users/:id/gpg_keys',
  summary: 'List the GPG keys of a user',
  params: userId,
  result: [200, pageOf(GpgKey)],
  run: ({ platform, actor, params, page }) => listKeys(platform, params.id, actor, page),
})

export const usersGpgKeysGet = operation({
  ...public_,
  id: 'users_gpg_keys.get',
  contract: 'x.users_gpg_get',
  method: 'GET',
  path: '/users/:id/gpg_keys/:key_id',
  summary: 'Get a GPG key of a user',
  params: { ...userId, ...keyId },
  result: [200, GpgKey],
  run: ({ platform, actor, params }) => getKey(platform, params.id, params.key_id, actor),
})

export const usersGpgKeysCreate = operation({
  ...administration,
  id: 'users_gpg_keys.create',
  contract: 'x.users_gpg_create',
  method: 'POST',
  path: '/users/:id/gpg_keys',
  summary: 'Add a GPG key for a user',
  params: { ...userId, ...newKey },
  result: [201, GpgKey],
  run: ({ platform, params, actor }) => createKey(platform, params.id, params.key, actor),
})

export const usersGpgKeysDelete = operation({
  ...administration,
  id: 'users_gpg_keys.delete',
  contract: 'x.users_gpg_delete',
  method: 'DELETE',
  path: '/users/:id/gpg_keys/:key_id',
  summary: 'Remove a GPG key of a user',
  params: { ...userId, ...keyId },
  result: [204, nothing],
  run: ({ platform, params, unmodified, actor }) =>
    removeKey(platform, params.id, params.key_id, { state: 'removed', unmodified, administrator: actor }),
})

export const usersGpgKeysRevoke = operation({
  ...administration,
  id: 'users_gpg_keys.revoke',
  contract: 'x.users_gpg_revoke',
  method: 'POST',
  path: '/users/:id/gpg_keys/:key_id/revoke',
  summary: 'Revoke a GPG key of a user',
  params: { ...userId, ...keyId },
  result: [202, statusNumber],
  async run({ platform, params, actor }) {
    await removeKey(platform, params.id, params.key_id, { state: 'revoked', administrator: actor })
    return 202
  },
})
