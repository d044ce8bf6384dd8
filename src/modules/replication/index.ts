import type { Module, Platform } from '../../platform/index.ts'
import { beginHousekeeping, checksumJob, housekeepingJob } from './feed/jobs.ts'
import { nodeOperations } from './nodes/operations.ts'
import * as protocol from './protocol/operations.ts'
import { startSecondary } from './secondary/loops.ts'
import { primaryAway } from './secondary/state.ts'
import { secondaryFront } from './serving/front.ts'
import { reportMeasures } from './status/measures.ts'

export {
  followImages,
  followLfsObjects,
  followMovedNamespace,
  followMovedProject,
  followProject,
  followRemovedGroup,
  followRemovedImages,
  followRemovedLfsObjects,
  followRemovedProject,
  followRemovedSnippets,
  followRemovedUpload,
  followRepository,
  followUpload,
} from './feed/reactions.ts'

/** Begins what the role of this server needs (contract 15, "Roles and configuration"). */
async function startReplication(platform: Platform): Promise<{ stop(): Promise<void> } | null> {
  if (platform.config.geo.role === 'secondary') return startSecondary(platform)
  // A record may have become the own one by another configuration of the name.
  await beginHousekeeping(platform)
  return null
}

/** Copies of repositories and files on further servers, which serve reads from them (contract 15). */
export const replication: Module = {
  name: 'replication',
  tags: {
    'Replication nodes': 'Servers of a replicated installation, with their status; older name of the sites.',
    'Replication protocol': 'What secondary servers ask of the primary.',
    'Replication sites': 'Servers of a replicated installation, with their status.',
  },
  operations: [...nodeOperations, ...Object.values(protocol)],
  jobs: [checksumJob, housekeepingJob],
  front: secondaryFront,
  start: startReplication,
  failing: primaryAway,
  measures: reportMeasures,
}
