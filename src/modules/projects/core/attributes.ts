import { reading } from '../../../api/index.ts'
import { customAttributeOperations } from '../../custom-attributes/index.ts'
import { project } from './access.ts'

/** Custom attributes of projects (contract 21). */
export const projectAttributeOperations = customAttributeOperations({
  kind: 'project',
  path: '/projects/:id',
  subject: project,
  allow: 'administer',
  scopes: reading,
  idOf: (_platform, { id }) => id,
})
