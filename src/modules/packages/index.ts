import type { Module } from '../../platform/index.ts'
import * as core from './core/operations.ts'
import { packageFileProblems } from './files/check.ts'
import { collectPackageFilesJob, sweepPackageFilesJob } from './files/cleanup.ts'
import * as files from './files/operations.ts'
import * as generic from './generic/operations.ts'
import * as lists from './lists/operations.ts'
import * as maven from './maven/operations.ts'
import * as npm from './npm/operations.ts'
import * as protection from './protection/operations.ts'
import * as pypi from './pypi/operations.ts'
import { runPackagesPoliciesJob } from './removal/policies.ts'
import { removePackagesJob } from './removal/removal.ts'

export { packagesDelete, packagesGet } from './core/operations.ts'
export { hasScopedPackages } from './core/store.ts'
export { packageFilesDelete, packageFilesDownload, packageFilesList } from './files/operations.ts'
export { packageBlobKeys } from './files/store.ts'
export { groupPackagesList, packagesList } from './lists/operations.ts'
export { packageRulesList } from './protection/operations.ts'

/** Packages of projects and their formats (contract 23). */
export const packages: Module = {
  name: 'packages',
  tags: { Packages: 'Packages of projects and groups, their files, and the rules that protect them.' },
  operations: [lists, core, files, protection, generic, npm, pypi, maven].flatMap((room) => Object.values(room).flat()),
  jobs: [removePackagesJob, runPackagesPoliciesJob, collectPackageFilesJob, sweepPackageFilesJob],
  checks: [packageFileProblems],
}
