import type { ServedRoute } from '../../api/index.ts'

const shared = { method: 'GET', tag: 'Metadata', security: 'none' } as const

/** Documents the pages for monitoring, which the platform serves (contract 20, "meta"). */
export const monitoringRoutes: readonly ServedRoute[] = [
  {
    ...shared,
    id: 'monitoring.health',
    contract: 'x.health',
    path: '/-/health',
    summary: 'Check that the process runs',
    description: 'Needs no credentials.',
    answers: { 200: { description: '`GitLab OK`', mediaType: 'text/plain' } },
  },
  {
    ...shared,
    id: 'monitoring.readiness',
    contract: 'x.readiness',
    path: '/-/readiness',
    summary: 'Check that the server can answer requests',
    description: 'Needs no credentials. Every check of the server is always made.',
    query: { all: { required: false, description: 'Accepted without effect.' } },
    answers: {
      200: { description: 'The database answers', mediaType: 'application/json' },
      503: { description: 'The server starts, or the database does not answer', mediaType: 'application/json' },
    },
  },
  {
    ...shared,
    id: 'monitoring.liveness',
    contract: 'x.liveness',
    path: '/-/liveness',
    summary: 'Check that the process answers requests',
    description: 'Needs no credentials.',
    answers: { 200: { description: 'The process answers', mediaType: 'application/json' } },
  },
]
