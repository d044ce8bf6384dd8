import type { ServedRoute } from '../../api/index.ts'
import { registryEndpoints, repositoryEndpoints } from './http/endpoints.ts'
import { tokenRoute } from './tokens/routes.ts'

const security = 'registryToken'

/** Documentation of what is served below `/v2/`, and of the tokens for it. */
export const registryRoutes: readonly ServedRoute[] = [
  tokenRoute,
  ...registryEndpoints.map(({ catalog: _catalog, run: _run, ...route }) => ({ ...route, security }) as const),
  ...repositoryEndpoints.map(({ access: _access, run: _run, ...route }) => ({ ...route, security }) as const),
].map((route) => ({ ...route, tag: 'Container registry' }))
