import type { Module } from '../../platform/index.ts'
import { lfsHttp } from './http/service.ts'
import { lfsProblems } from './objects/check.ts'
import { removeOrphansJob } from './objects/cleanup.ts'
import { lfsRoutes } from './routes.ts'

export { lfsAuthenticate } from './access/ssh.ts'
export { exportedLfsObjects, lfsIndex } from './export/files.ts'
export { importLfsObject } from './import/files.ts'
export { lfsContent } from './objects/content.ts'
export { lfsIntegrityRule } from './objects/gate-rule.ts'
export { copyLfsObjects, lfsObjectKeys } from './objects/store.ts'

export const lfs: Module = {
  name: 'lfs',
  tags: { 'Git LFS': 'Large files of a repository, by the Git LFS API.' },
  operations: [],
  jobs: [removeOrphansJob],
  services: [lfsHttp],
  routes: lfsRoutes,
  checks: [lfsProblems],
}
