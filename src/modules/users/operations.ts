import { instance, nothing, type Operation, operation, pageOf, raw, readingUsers, t, writing } from '../../api/index.ts'
import type { Accounts } from './accounts.ts'
import type { Avatars } from './avatars.ts'
import { type Directory, listUsersParams } from './directory.ts'
import { createUserParams, updateUserParams } from './input.ts'
import { ListedUser, OwnUser, SingleUser, UserForAdministrators } from './present.ts'
import type { UserRemoval } from './removal.ts'
import { signedInOr403 } from './subjects.ts'

export type UserOperationNeeds = {
  directory: Directory
  accounts: Accounts
  removal: UserRemoval
  avatars: Avatars
}

const tag = 'Users'
const bothWays = ['asc', 'desc'] as const
const numericPath = { id: 'route' } as const

/** Reading accounts: one's own, one, and all of them. */
function readingOperations({ directory }: UserOperationNeeds): Operation[] {
  return [
    operation({
      id: 'user.get',
      contract: 'x.user_get',
      method: 'GET',
      path: '/user',
      tag,
      summary: 'Get the current user',
      subject: instance,
      allow: 'authenticated',
      scopes: readingUsers,
      result: [200, OwnUser],
      run: ({ actor }) => directory.own(actor),
    }),
    operation({
      id: 'users.list',
      contract: 'x.users_list',
      method: 'GET',
      path: '/users',
      tag,
      summary: 'List or look up users',
      description: 'Callers without credentials may only look up a user by its name.',
      subject: instance,
      allow: 'public',
      scopes: readingUsers,
      params: listUsersParams,
      list: {
        keyset: { id: bothWays, name: bothWays, username: bothWays, created_at: bothWays, updated_at: bothWays },
        keysetDefault: { orderBy: 'id', sort: 'desc' },
        offsetLimitOf: 'User',
      },
      result: [200, pageOf(ListedUser)],
      run: ({ params, actor, page }) => directory.list(params, actor, page),
    }),
    operation({
      id: 'users.get',
      contract: 'x.users_get',
      method: 'GET',
      path: '/users/:id',
      tag,
      summary: 'Get a user',
      subject: signedInOr403,
      allow: 'authenticated',
      scopes: readingUsers,
      numericPath,
      result: [200, SingleUser],
      run: ({ request, actor }) => directory.get(request.path.id ?? '', actor),
    }),
  ]
}

/** Making, changing and deleting accounts: administrators only. */
function writingOperations({ directory, accounts, removal }: UserOperationNeeds): Operation[] {
  const common = { tag, subject: instance, allow: 'administrator', scopes: writing } as const
  return [
    operation({
      ...common,
      id: 'users.create',
      contract: 'x.users_create',
      method: 'POST',
      path: '/users',
      summary: 'Create a user',
      params: createUserParams,
      atLeastOne: ['password', 'reset_password', 'force_random_password'],
      result: [201, UserForAdministrators],
      run: async ({ params, actor }) =>
        directory.presentOne('administrator', await accounts.create(params, actor), actor),
    }),
    operation({
      ...common,
      id: 'users.update',
      contract: 'x.users_update',
      method: 'PUT',
      path: '/users/:id',
      summary: 'Change a user',
      numericPath,
      params: updateUserParams,
      result: [200, UserForAdministrators],
      run: async ({ request, params, actor }) =>
        directory.presentOne('administrator', await accounts.update(request.path.id ?? '', params, actor), actor),
    }),
    operation({
      ...common,
      id: 'users.delete',
      contract: 'x.users_delete',
      method: 'DELETE',
      path: '/users/:id',
      summary: 'Delete a user',
      description:
        'The user is gone at once; what they made goes to the ghost user, or is deleted too with `hard_delete`, in the ' +
        'background.',
      numericPath,
      params: { hard_delete: t.boolean() },
      result: [204, nothing],
      run: ({ request, params, actor }) =>
        removal.remove(request.path.id ?? '', { hard: params.hard_delete ?? false, actor, request }),
    }),
    operation({
      ...common,
      id: 'users.delete_identity',
      contract: 'x.users_identity_delete',
      method: 'DELETE',
      path: '/users/:id/identities/:provider',
      summary: "Remove a user's identity at a provider",
      numericPath,
      result: [204, nothing],
      run: ({ request }) => accounts.removeIdentity(request.path.id ?? '', request.path.provider ?? ''),
    }),
  ]
}

/** Pictures are for everybody who has their address, as they stand in pages and mails (contract 20 R8). */
function avatarOperation({ avatars }: UserOperationNeeds): Operation {
  return operation({
    id: 'avatars.serve',
    contract: '20 R8',
    method: 'GET',
    path: '/uploads/-/system/:owner/avatar/:id/:file',
    root: true,
    tag,
    summary: 'Get an uploaded avatar',
    description: '`owner` is `user`, `project` or `group`.',
    subject: instance,
    allow: 'public',
    scopes: 'any',
    ownAuthentication: true,
    result: [200, raw],
    run: ({ request: { path } }) => avatars.serve(path.owner ?? '', path.id ?? '', path.file ?? ''),
  })
}

/** Everything about accounts but their states (contract 20, "users"). */
export function userOperations(needs: UserOperationNeeds): Operation[] {
  return [...readingOperations(needs), ...writingOperations(needs), avatarOperation(needs)]
}
