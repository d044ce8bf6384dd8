import { instance, nothing, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { presentOneUser } from '../directory/directory.ts'
import { UserForAdministrators } from '../directory/present.ts'
import { changeUser, createUser, removeIdentity } from './accounts.ts'
import { newUser, userChanges } from './params.ts'

const tag = 'Users'
const idInPath = { id: t.id({ otherwise: 'route' }) }

export const usersCreate = operation({
  id: 'users.create',
  contract: 'x.users_create',
  method: 'POST',
  path: '/users',
  tag,
  summary: 'Create a user',
  subject: instance,
  allow: 'administrator',
  scopes: writing,
  params: newUser,
  atLeastOne: ['password', 'reset_password', 'force_random_password'],
  result: [201, UserForAdministrators],
  run: async ({ platform, params, actor }) =>
    presentOneUser(platform, 'administrator', await createUser(platform, params, actor), actor),
})

export const usersUpdate = operation({
  id: 'users.update',
  contract: 'x.users_update',
  method: 'PUT',
  path: '/users/:id',
  tag,
  summary: 'Change a user',
  subject: instance,
  allow: 'administrator',
  scopes: writing,
  params: { ...idInPath, ...userChanges },
  result: [200, UserForAdministrators],
  run: async ({ platform, params: { id, ...changes }, actor }) =>
    presentOneUser(platform, 'administrator', await changeUser(platform, id, changes, actor), actor),
})

export const usersDeleteIdentity = operation({
  id: 'users.delete_identity',
  contract: 'x.users_identity_delete',
  method: 'DELETE',
  path: '/users/:id/identities/:provider',
  tag,
  summary: "Remove a user's identity at a provider",
  subject: instance,
  allow: 'administrator',
  scopes: writing,
  params: idInPath,
  result: [204, nothing],
  run: ({ platform, params }) => removeIdentity(platform, params.id, params.provider),
})
