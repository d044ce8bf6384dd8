import type { ServedRoute } from '../../../api/index.ts'

const mediaType = 'application/json'

/** Documentation of the service that issues tokens (contract 1.9). */
export const tokenRoute: Omit<ServedRoute, 'tag'> = {
  id: 'container_registry.token',
  contract: '1.9',
  method: 'GET',
  path: '/jwt/auth',
  summary: 'Issue a token for the container registry',
  description:
    'Takes the credentials of git over HTTP as HTTP Basic, or none. The token grants what the caller may do of what is asked for, which can be nothing.',
  query: {
    service: { required: true, description: '`container_registry`' },
    scope: {
      required: false,
      description:
        '`repository:<name>:<action>[,<action>…]` with the actions `pull`, `push`, `delete` and `*`, or `registry:catalog:*`. Several scopes are separated by spaces, or sent as several parameters.',
    },
    account: { required: false, description: 'Ignored.' },
    client_id: { required: false, description: 'Ignored.' },
    offline_token: { required: false, description: 'Ignored.' },
  },
  answers: {
    200: { description: 'The token, with its validity in seconds and the time of issue', mediaType },
    401: { description: 'The credentials are wrong', mediaType },
    403: { description: 'The credentials give no access to images, or a rule protects the repository', mediaType },
    404: { description: 'Another service was named, or the server has no container registry' },
    429: { description: 'Too many requests', mediaType },
    503: { description: 'The database is not available', mediaType },
  },
}
