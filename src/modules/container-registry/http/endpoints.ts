import { baseEndpoints } from './base.ts'
import type { RegistryEndpoint, RepositoryEndpoint } from './endpoint.ts'

/** Everything that is served below `/v2/` without a repository. */
export const registryEndpoints: readonly RegistryEndpoint[] = [...baseEndpoints]

/** Everything that is served for a repository. */
export const repositoryEndpoints: readonly RepositoryEndpoint[] = []
