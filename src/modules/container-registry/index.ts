import type { ServedRoute } from '../../api/index.ts'
import type { Module } from '../../platform/index.ts'
import { blobProblems } from './blobs/check.ts'
import { blobMeasures } from './blobs/traffic.ts'
import { deleteTagsJob } from './cleanup/bulk.ts'
import * as cleanup from './cleanup/operations.ts'
import { cleanProjectJob, runPoliciesJob } from './cleanup/policies.ts'
import { deleteRepositoriesJob } from './deletion/deletion.ts'
import * as deletion from './deletion/operations.ts'
import { collectGarbageJob, sweepContentsJob } from './gc/jobs.ts'
import { registryEndpoints, repositoryEndpoints } from './http/endpoints.ts'
import { registryHttp } from './http/service.ts'
import * as images from './images/operations.ts'
import { manifestProblems } from './manifests/check.ts'
import * as protection from './protection/operations.ts'
import * as tagProtection from './tag-protection/operations.ts'
import { tokenRoute } from './tokens/routes.ts'
import { registryTokens } from './tokens/service.ts'
import { rotateSigningKeysJob } from './tokens/signing-keys/signing-keys.ts'
import { removeIdleUploadsJob } from './uploads/expiry.ts'

export { blobKey, type Digest as BlobDigest, expectedDigest, parseDigest } from './blobs/digest.ts'
export { projectRegistryDeleteTags, projectRegistryPreviewDeletion } from './cleanup/operations.ts'
export {
  blobsOf,
  containerRepositoriesOf,
  containerRepository,
  manifestOf,
  manifestsOf,
  repositoryHasBlob,
  tagsOf,
} from './contents/store.ts'
export { deleteImagesOfProject } from './deletion/deletion.ts'
export { projectRegistryDelete } from './deletion/operations.ts'
export { collectGarbage, dueForCollection, sweepContents } from './gc/collect.ts'
export { challenge as registryChallenge, onRepository } from './http/challenge.ts'
export { registryProblem } from './http/problems.ts'
export { refuse as refuseRegistryRequest } from './http/service.ts'
export {
  groupRegistryList,
  projectRegistryDeleteTag,
  projectRegistryList,
  projectRegistryTag,
  projectRegistryTags,
  registryGet,
} from './images/operations.ts'
export { registrySizes } from './images/store.ts'
export { tagRulesList as containerTagRulesList } from './tag-protection/operations.ts'
export { authorizeRegistryRead } from './tokens/current.ts'
export { readScopes } from './tokens/scopes.ts'
export { registryPublicKey } from './tokens/signing-keys/signing-keys.ts'
export { foreignRegistryToken, permitsPull, type RegistryToken } from './tokens/verify.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    /** Tags or manifests of a container repository have changed. */
    'container_repository.changed': { repositoryId: number }
    /** A container repository is about to be deleted. */
    'container_repository.removed': { repositoryId: number }
  }
}

const security = 'registryToken'

/** Documentation of what is served below `/v2/`, and of the tokens for it. */
const registryRoutes: readonly ServedRoute[] = [
  tokenRoute,
  ...registryEndpoints.map(({ catalog: _catalog, run: _run, ...route }) => ({ ...route, security }) as const),
  ...repositoryEndpoints.map(({ access: _access, run: _run, ...route }) => ({ ...route, security }) as const),
].map((route) => ({ ...route, tag: 'Container registry' }))

/** Container images: the OCI distribution API, its tokens, and the API about repositories and tags (contract 02). */
export const containerRegistry: Module = {
  name: 'container-registry',
  tags: { 'Container registry': 'Images of projects: the OCI distribution API, and repositories and tags.' },
  operations: [images, deletion, cleanup, protection, tagProtection].flatMap((room) => Object.values(room)),
  jobs: [
    rotateSigningKeysJob,
    deleteRepositoriesJob,
    deleteTagsJob,
    runPoliciesJob,
    cleanProjectJob,
    removeIdleUploadsJob,
    collectGarbageJob,
    sweepContentsJob,
  ],
  services: [registryTokens, registryHttp],
  routes: registryRoutes,
  measures: blobMeasures,
  checks: [blobProblems, manifestProblems],
}
