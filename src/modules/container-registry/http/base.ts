import { sendJson } from './answers.ts'
import { refusals } from './documentation.ts'
import type { RegistryEndpoint } from './endpoint.ts'

/** The endpoints of the registry as a whole that are not about images. */
export const baseEndpoints: readonly RegistryEndpoint[] = [
  {
    id: 'registry.base',
    contract: 'x.v2_base',
    method: 'GET',
    path: '/v2/',
    summary: 'Check the registry API version and the token',
    description: 'Any token that the server has issued is accepted. `docker login` asks it.',
    answers: { 200: { description: 'The token is accepted', mediaType: 'application/json' }, ...refusals },
    catalog: false,
    run: async (_platform, { reply }) => sendJson(reply, 200, {}),
  },
]
