import type { Module } from '../../platform/index.ts'
import { uploadProblems } from './core/check.ts'
import { uploadOperations } from './core/operations.ts'
import { removeUploadsJob } from './removal/removal.ts'
import { sweepUploadsJob } from './removal/sweep.ts'
import { formerUploadPaths } from './web/former-paths.ts'
import * as web from './web/operations.ts'
import { formerUploadRoutes } from './web/routes.ts'

export { writeWithUploads } from './core/copying.ts'
export { uploadKeys } from './core/store.ts'
export { exportedUploads } from './export/files.ts'
export { safeFileName } from './files/file-name.ts'
export { markdownLink } from './files/media-types.ts'
export { type Answering, fileAnswers, serveBytes, servedFile, serveFile } from './files/serving.ts'
export { largestAttachmentBytes, storeFile } from './files/storing.ts'
export { importUpload } from './import/files.ts'
export { ownerOf as uploadOwnerOf, renderMarkdownOf, type UploadOwner } from './owner.ts'
export { removeUploadsOfGroup, removeUploadsOfProject } from './removal/removal.ts'
export { authorizeUploadRead } from './web/reading.ts'

/** Files that Markdown of projects and groups refers to (contract 08). */
export const uploads: Module = {
  name: 'uploads',
  tags: { Uploads: 'Files that Markdown of a project or group refers to.' },
  operations: [...uploadOperations, ...Object.values(web)],
  jobs: [removeUploadsJob, sweepUploadsJob],
  services: [formerUploadPaths],
  routes: formerUploadRoutes,
  checks: [uploadProblems],
}
