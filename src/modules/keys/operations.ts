import { instance, nothing, pageOf, reading, readingUsers, requireSignedIn, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { createUserKey, getUserKey, listUserKeys, newKey, removeUserKey } from './keys.ts'
import { findKeyWithOwner, getKeyWithOwner } from './lookup.ts'
import { KeyWithOwner, SshKeyObject } from './present.ts'

const userId = { id: t.id({ otherwise: 'route' }) }
const keyId = { key_id: t.id({ otherwise: 'route' }) }

const shared = { tag: 'SSH keys', subject: instance } as const

export const userKeysList = operation({
  ...shared,
  id: 'user_keys.list',
  contract: 'x.user_keys_list',
  method: 'GET',
  path: '/user/keys',
  summary: 'List your SSH keys',
  allow: 'authenticated',
  scopes: readingUsers,
  result: [200, pageOf(SshKeyObject)],
  run: ({ platform, actor, page }) => listUserKeys(platform, requireSignedIn(actor).userId, actor, page),
})

export const userKeysGet = operation({
  ...shared,
  id: 'user_keys.get',
  contract: 'x.user_keys_get',
  method: 'GET',
  path: '/user/keys/:key_id',
  summary: 'Get one of your SSH keys',
  allow: 'authenticated',
  scopes: readingUsers,
  params: keyId,
  result: [200, SshKeyObject],
  run: ({ platform, actor, params }) => getUserKey(platform, requireSignedIn(actor).userId, params.key_id, actor),
})

export const userKeysCreate = operation({
  ...shared,
  id: 'user_keys.create',
  contract: 'x.user_keys_create',
  method: 'POST',
  path: '/user/keys',
  summary: 'Add an SSH key',
  allow: 'authenticated',
  scopes: writing,
  params: newKey,
  result: [201, SshKeyObject],
  run: ({ platform, actor, params }) => createUserKey(platform, requireSignedIn(actor).userId, params, actor),
})

export const userKeysDelete = operation({
  ...shared,
  id: 'user_keys.delete',
  contract: 'x.user_keys_delete',
  method: 'DELETE',
  path: '/user/keys/:key_id',
  summary: 'Remove one of your SSH keys',
  allow: 'authenticated',
  scopes: writing,
  params: keyId,
  result: [204, nothing],
  run: ({ platform, actor, params, unmodified }) =>
    removeUserKey(platform, requireSignedIn(actor).userId, params.key_id, { unmodified, actor }),
})

export const usersKeysList = operation({
  ...shared,
  id: 'users_keys.list',
  contract: 'x.users_keys_list',
  method: 'GET',
  path: '/users/:id_or_username/keys',
  summary: 'List the SSH keys of a user',
  allow: 'public',
  scopes: readingUsers,
  result: [200, pageOf(SshKeyObject)],
  run: ({ platform, actor, params, page }) => listUserKeys(platform, params.id_or_username, actor, page),
})

export const usersKeysGet = operation({
  ...shared,
  id: 'users_keys.get',
  contract: 'x.users_keys_get',
  method: 'GET',
  path: '/users/:id/keys/:key_id',
  summary: 'Get an SSH key of a user',
  allow: 'public',
  scopes: readingUsers,
  params: { ...userId, ...keyId },
  result: [200, SshKeyObject],
  run: ({ platform, actor, params }) => getUserKey(platform, params.id, params.key_id, actor),
})

export const usersKeysCreate = operation({
  ...shared,
  id: 'users_keys.create',
  contract: 'x.users_keys_create',
  method: 'POST',
  path: '/users/:id/keys',
  summary: 'Add an SSH key for a user',
  allow: 'administrator',
  scopes: writing,
  params: { ...userId, ...newKey },
  result: [201, SshKeyObject],
  run: ({ platform, params: { id, ...wanted }, actor }) => createUserKey(platform, id, wanted, actor),
})

export const usersKeysDelete = operation({
  ...shared,
  id: 'users_keys.delete',
  contract: 'x.users_keys_delete',
  method: 'DELETE',
  path: '/users/:id/keys/:key_id',
  summary: 'Remove an SSH key of a user',
  allow: 'administrator',
  scopes: writing,
  params: { ...userId, ...keyId },
  result: [204, nothing],
  run: ({ platform, params, unmodified, actor }) =>
    removeUserKey(platform, params.id, params.key_id, { unmodified, actor }),
})

export const keysGet = operation({
  ...shared,
  id: 'keys.get',
  contract: 'x.key_get',
  method: 'GET',
  path: '/keys/:id',
  summary: 'Get an SSH key with its owner',
  allow: 'administrator',
  scopes: reading,
  params: { id: t.required(t.string()) },
  result: [200, KeyWithOwner],
  run: ({ platform, actor, params }) => getKeyWithOwner(platform, params.id, actor),
})

export const keysFind = operation({
  ...shared,
  id: 'keys.find',
  contract: 'x.key_by_fingerprint',
  method: 'GET',
  path: '/keys',
  summary: 'Find an SSH key by its fingerprint',
  allow: 'administrator',
  scopes: reading,
  params: {
    fingerprint: t.required(
      t.string({ description: 'MD5 in pairs separated by colons, or `SHA256:` and base64, with `+` as `%2B`.' }),
    ),
  },
  result: [200, KeyWithOwner],
  run: ({ platform, actor, params }) => findKeyWithOwner(platform, params.fingerprint, actor),
})
