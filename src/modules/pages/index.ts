import type { Module } from '../../platform/index.ts'
import { deleteExpiredVisitors, pagesSignIn } from './access/sign-in.ts'
import { publishJob } from './publishing/jobs.ts'
import { siteMeasures } from './publishing/measures.ts'
import { expireSitesJob, removeObjectJob, removeSitesJob, siteProblems, sweepSitesJob } from './publishing/removal.ts'
import { siteHosts } from './serving/service.ts'
import * as settings from './settings/operations.ts'

export { publishSites } from './publishing/jobs.ts'
export { removeSites } from './publishing/removal.ts'
export { siteKeys, sitesOfProject, sizeOfSites } from './publishing/store.ts'
export { variablesOfSite } from './settings/job-variables.ts'
export { pagesDelete, pagesGet, pagesUpdate } from './settings/operations.ts'

/** Sites of projects: what jobs publish, at origins of their own (contract 24, Pages). */
export const pages: Module = {
  name: 'pages',
  tags: { Pages: 'Sites of projects, which jobs publish.' },
  operations: Object.values(settings),
  jobs: [publishJob, removeObjectJob, removeSitesJob, expireSitesJob, sweepSitesJob, deleteExpiredVisitors],
  hosts: siteHosts,
  services: [pagesSignIn],
  checks: [siteProblems],
  measures: siteMeasures,
}
