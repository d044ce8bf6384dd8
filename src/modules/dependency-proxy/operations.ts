import { forms, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { group } from '../groups/index.ts'

export const dependencyProxyPurge = operation({
  id: 'dependency_proxy.purge',
  contract: 'x.dependency_proxy_purge',
  method: 'DELETE',
  path: '/groups/:id/dependency_proxy/cache',
  tag: 'Dependency proxy',
  summary: 'Purge the dependency proxy cache of a group',
  description: 'Nothing is cached here, so nothing is deleted.',
  subject: group,
  allow: 'own',
  scopes: writing,
  result: [202, forms.accepted],
  run: async () => ({ message: '202 Accepted' }),
})
