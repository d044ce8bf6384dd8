import { reading } from '../../../api/index.ts'
import { customAttributeOperations } from '../../custom-attributes/index.ts'
import { group } from '../access.ts'

/** Custom attributes of groups (contract 21). */
export const groupAttributeOperations = customAttributeOperations({
  kind: 'group',
  path: '/groups/:id',
  subject: group,
  allow: 'administer',
  scopes: reading,
  idOf: (_platform, { id }) => id,
})
