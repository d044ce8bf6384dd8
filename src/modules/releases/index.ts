import type { Module } from '../../platform/index.ts'
import * as operations from './core/operations.ts'
import { releaseProblems } from './core/releases.ts'
import { releaseDownloads } from './downloads/downloads.ts'
import * as downloadOperations from './downloads/operations.ts'
import { releaseRoutes } from './downloads/routes.ts'
import { collectEvidenceJob } from './evidence/evidence.ts'
import * as linkOperations from './links/operations.ts'

export { releasesCreate, releasesDelete, releasesGet, releasesList, releasesUpdate } from './core/operations.ts'
export { changeAuthor, releasesOfTags } from './core/releases.ts'
export { releaseById } from './core/store.ts'
export { releaseListener } from './core/tag-listener.ts'
export { exportedReleases } from './export/lines.ts'
export { importRelease } from './import/lines.ts'
export { releaseLinksCreate, releaseLinksDelete } from './links/operations.ts'
export { linksOf as linksOfReleases } from './links/store.ts'
export { dropMilestonesBelow, mergeReleaseMilestones } from './milestones/milestones.ts'
export { milestonesInUse as milestonesOfReleases } from './milestones/store.ts'
export type { ReleaseRow } from './tables.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    /** A release was created or changed, or is about to be deleted: its row is there. */
    'release.changed': { releaseId: number; projectId: number; action: 'create' | 'update' | 'delete' }
  }
}

/** Releases of projects and groups, with links, evidence and downloads (contract 22). */
export const releases: Module = {
  name: 'releases',
  tags: { Releases: 'Releases of a project, with their links.' },
  operations: [...Object.values(operations), ...Object.values(downloadOperations), ...Object.values(linkOperations)],
  jobs: [collectEvidenceJob],
  services: [releaseDownloads],
  routes: releaseRoutes,
  refChecks: [releaseProblems],
}
