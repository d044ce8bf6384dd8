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
import type { Keys } from './keys.ts'
import type { KeyLookup } from './lookup.ts'
import { KeyWithOwner, SshKeyObject } from './present.ts'
import { usageTypes } from './tables.ts'

const tag = 'SSH keys'

const newKey = {
  key: t.required(
    t.string({ description: 'One line of an OpenSSH `.pub` file.', example: 'ssh-ed25519 AAAA… me@host' }),
  ),
  title: t.required(t.string()),
  expires_at: t.datetime({ description: 'From this moment on the key opens nothing.' }),
  usage_type: t.oneOf(usageTypes, { description: 'Default `auth_and_signing`. A key for signing does not open SSH.' }),
}

/** One's own SSH keys (contract 20, x.user_keys_*). */
function ownKeyOperations({ own }: Keys): Operation[] {
  const shared = { tag, subject: instance, allow: 'authenticated' as const }
  const onOne = { ...shared, path: '/user/keys/:key_id', numericPath: { key_id: 'route' } as const }
  return [
    operation({
      ...shared,
      id: 'user_keys.list',
      contract: 'x.user_keys_list',
      method: 'GET',
      path: '/user/keys',
      summary: 'List your SSH keys',
      scopes: readingUsers,
      result: [200, pageOf(SshKeyObject)],
      run: ({ actor, page }) => own.list(actor, page),
    }),
    operation({
      ...onOne,
      id: 'user_keys.get',
      contract: 'x.user_keys_get',
      method: 'GET',
      summary: 'Get one of your SSH keys',
      scopes: readingUsers,
      result: [200, SshKeyObject],
      run: ({ actor, request }) => own.get(actor, request.path.key_id),
    }),
    operation({
      ...shared,
      id: 'user_keys.create',
      contract: 'x.user_keys_create',
      method: 'POST',
      path: '/user/keys',
      summary: 'Add an SSH key',
      scopes: writing,
      params: newKey,
      result: [201, SshKeyObject],
      run: ({ actor, params }) => own.create(actor, params),
    }),
    operation({
      ...onOne,
      id: 'user_keys.delete',
      contract: 'x.user_keys_delete',
      method: 'DELETE',
      summary: 'Remove one of your SSH keys',
      scopes: writing,
      result: [204, nothing],
      run: ({ actor, request }) =>
        own.remove(actor, request.path.key_id, (updatedAt) => requireUnmodified(request, updatedAt)),
    }),
  ]
}

/** SSH keys of a user whom the path names: everybody may read them, administrators change them (x.users_keys_*). */
function userKeyOperations({ ofUser }: Keys): Operation[] {
  const shared = { tag, subject: instance }
  const onOne = { ...shared, path: '/users/:id/keys/:key_id', numericPath: { id: 'route', key_id: 'route' } as const }
  return [
    operation({
      ...shared,
      id: 'users_keys.list',
      contract: 'x.users_keys_list',
      method: 'GET',
      path: '/users/:id_or_username/keys',
      summary: 'List the SSH keys of a user',
      allow: 'public',
      scopes: readingUsers,
      result: [200, pageOf(SshKeyObject)],
      run: ({ actor, page, request }) => ofUser.list(request.path.id_or_username, actor, page),
    }),
    operation({
      ...onOne,
      id: 'users_keys.get',
      contract: 'x.users_keys_get',
      method: 'GET',
      summary: 'Get an SSH key of a user',
      allow: 'public',
      scopes: readingUsers,
      result: [200, SshKeyObject],
      run: ({ actor, request: { path } }) => ofUser.get(path.id, path.key_id, actor),
    }),
    operation({
      ...shared,
      id: 'users_keys.create',
      contract: 'x.users_keys_create',
      method: 'POST',
      path: '/users/:id/keys',
      summary: 'Add an SSH key for a user',
      allow: 'administrator',
      scopes: writing,
      numericPath: { id: 'route' },
      params: newKey,
      result: [201, SshKeyObject],
      run: ({ params, request }) => ofUser.create(request.path.id, params),
    }),
    operation({
      ...onOne,
      id: 'users_keys.delete',
      contract: 'x.users_keys_delete',
      method: 'DELETE',
      summary: 'Remove an SSH key of a user',
      allow: 'administrator',
      scopes: writing,
      result: [204, nothing],
      run: ({ request }) =>
        ofUser.remove(request.path.id, request.path.key_id, (updatedAt) => requireUnmodified(request, updatedAt)),
    }),
  ]
}

/** Every operation on the SSH keys of users (contract 20). */
export function keyOperations({ keys }: { keys: Keys }): Operation[] {
  return [...ownKeyOperations(keys), ...userKeyOperations(keys)]
}

/** Finding a key of whatever kind, with its owner (contract 01, x.key_get, x.key_by_fingerprint). */
export function keyLookupOperations({ lookup }: { lookup: KeyLookup }): Operation[] {
  const shared = { tag, subject: instance, allow: 'administrator' as const, scopes: reading }
  return [
    operation({
      ...shared,
      id: 'keys.get',
      contract: 'x.key_get',
      method: 'GET',
      path: '/keys/:id',
      summary: 'Get an SSH key with its owner',
      result: [200, KeyWithOwner],
      run: ({ actor, request }) => lookup.byId(request.path.id, actor),
    }),
    operation({
      ...shared,
      id: 'keys.find',
      contract: 'x.key_by_fingerprint',
      method: 'GET',
      path: '/keys',
      summary: 'Find an SSH key by its fingerprint',
      params: {
        fingerprint: t.required(
          t.string({ description: 'MD5 in pairs with colons between them, or `SHA256:` and base64, `+` as `%2B`.' }),
        ),
      },
      result: [200, KeyWithOwner],
      run: ({ actor, params }) => lookup.byFingerprint(params.fingerprint, actor),
    }),
  ]
}
