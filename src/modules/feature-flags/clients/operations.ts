import { reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { getClient, resetClient } from './clients.ts'
import { FlagClient } from './present.ts'

const shared = { tag: 'Feature flags', subject: project } as const
const path = '/projects/:id/feature_flags_client'

export const featureFlagClientsGet = operation({
  ...shared,
  allow: 'read_feature_flags',
  scopes: reading,
  id: 'feature_flag_clients.get',
  contract: 'x.feature_flags_client_get',
  method: 'GET',
  path,
  summary: 'Get the address and the instance id for Unleash clients',
  description: 'They are made when they are asked for first.',
  result: [200, FlagClient],
  run: ({ platform, subject }) => getClient(platform, subject),
})

export const featureFlagClientsReset = operation({
  ...shared,
  allow: 'reset_feature_flag_client',
  scopes: writing,
  id: 'feature_flag_clients.reset',
  contract: 'x.feature_flags_client_reset',
  method: 'POST',
  path: `${path}/reset_token`,
  summary: 'Replace the instance id for Unleash clients',
  description: 'The former one is refused from then on.',
  result: [201, FlagClient],
  run: ({ platform, subject }) => resetClient(platform, subject),
})
