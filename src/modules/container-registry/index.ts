import type { Module } from '../../platform/index.ts'
import { registryHttp } from './http/service.ts'
import * as protection from './protection/operations.ts'
import { registryRoutes } from './routes.ts'
import { rotateSigningKeysJob } from './tokens/signing-keys.ts'

/** Container images: the OCI distribution API, its tokens, and the API about repositories and tags (contract 02). */
export const containerRegistry: Module = {
  name: 'container-registry',
  operations: Object.values(protection),
  jobs: [rotateSigningKeysJob],
  services: [registryHttp],
  routes: registryRoutes,
}
