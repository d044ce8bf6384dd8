import { instance, nothing, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { UserForAdministrators, userView } from '../directory/present.ts'
import { changeUser, createUser, removeIdentity } from './accounts.ts'
import { newUser, userChanges } from './params.ts'

const idInPath = { id: t.id({ otherwise: 'route' }) }

const shared = { tag: 'Users', subject: instance, allow: 'administrator', scopes: writing } as const

export const usersCreate = operation({
  ...shared,
  id: 'users.create',
  contract: 'x.users_create',
  method: 'POST',
  path: '/users',
  summary: 'Create a user',
  params: newUser,
  atLeastOne: ['password', 'reset_password', 'force_random_password'],
  result: [201, UserForAdministrators],
  run: async ({ platform, params, actor }) =>
    UserForAdministrators.presentOne(await createUser(platform, params, actor), await userView(platform, actor)),
})

export const usersUpdate = operation({
  ...shared,
  id: 'users.update',
  contract: 'x.users_update',
  method: 'PUT',
  path: '/users/:id',
  summary: 'Change a user',
  params: { ...idInPath, ...userChanges },
  result: [200, UserForAdministrators],
  run: async ({ platform, params: { id, ...changes }, actor }) =>
    UserForAdministrators.presentOne(await changeUser(platform, id, changes, actor), await userView(platform, actor)),
})

export const usersDeleteIdentity = operation({
  ...shared,
  id: 'users.delete_identity',
  contract: 'x.users_identity_delete',
  method: 'DELETE',
  path: '/users/:id/identities/:provider',
  summary: "Remove a user's identity at a provider",
  params: idInPath,
  result: [204, nothing],
  run: ({ platform, params, actor }) => removeIdentity(platform, params.id, params.provider, actor),
})
