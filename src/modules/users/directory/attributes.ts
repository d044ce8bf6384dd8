import { instance, readingUsers, t } from '../../../api/index.ts'
import { customAttributeOperations } from '../../custom-attributes/index.ts'
import { requireUser } from './lookup.ts'

/** Custom attributes of users (contract 20). */
export const userAttributeOperations = customAttributeOperations({
  kind: 'user',
  path: '/users/:id',
  subject: instance,
  allow: 'administrator',
  scopes: readingUsers,
  params: { id: t.id({ otherwise: 'route' }) },
  idOf: async ({ database }, _instance, { id }) => (await requireUser(database.read, Number(id))).id,
})
