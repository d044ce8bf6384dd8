import type { ServedRoute } from '../../api/index.ts'
import { registryEndpoints, repositoryEndpoints } from './http/endpoints.ts'

/** Documentation of what is served below `/v2/`. */
export const registryRoutes: readonly ServedRoute[] = [
  ...registryEndpoints.map(({ catalog: _catalog, run: _run, ...route }) => route),
  ...repositoryEndpoints.map(({ access: _access, run: _run, ...route }) => route),
].map((route) => ({ ...route, tag: 'Container registry' }))
