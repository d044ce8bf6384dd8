import { instance } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { Policy, presentPolicy } from './present.ts'

export const policyGet = operation({
  id: 'policy.get',
  contract: 'x.policy',
  method: 'GET',
  path: '/policy',
  tag: 'Metadata',
  summary: 'Read which role may do what',
  description: 'The same for all servers of this release.',
  subject: instance,
  allow: 'public',
  scopes: 'any',
  result: [200, Policy],
  run: async () => presentPolicy(),
})
