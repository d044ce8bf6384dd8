import { blobEndpoints } from '../blobs/endpoints.ts'
import { catalogEndpoints } from '../catalog/endpoints.ts'
import { manifestEndpoints } from '../manifests/endpoints.ts'
import { referrerEndpoints } from '../referrers/endpoints.ts'
import { tagEndpoints } from '../tags/endpoints.ts'
import { uploadEndpoints } from '../uploads/endpoints.ts'
import { baseEndpoints } from './base.ts'
import type { RegistryEndpoint, RepositoryEndpoint } from './endpoint.ts'

/** Everything that is served below `/v2/` without a repository. */
export const registryEndpoints: readonly RegistryEndpoint[] = [...baseEndpoints, ...catalogEndpoints]

/** Everything that is served for a repository. */
export const repositoryEndpoints: readonly RepositoryEndpoint[] = [
  ...blobEndpoints,
  ...uploadEndpoints,
  ...manifestEndpoints,
  ...tagEndpoints,
  ...referrerEndpoints,
]
