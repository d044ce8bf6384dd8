import type { Module } from '../../platform/index.ts'
import { monitoringRoutes } from './monitoring.ts'
import { metadataMetadata, metadataVersion } from './operations.ts'

export { metadataVersion, revisionOf } from './operations.ts'

export const metadata: Module = {
  name: 'metadata',
  tags: { Metadata: 'Version of the server, and this document.' },
  operations: [metadataVersion, metadataMetadata],
  routes: monitoringRoutes,
}
