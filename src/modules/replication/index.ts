import type { Module } from '../../platform/index.ts'
import { checksumJob, housekeepingJob } from './feed/jobs.ts'
import { nodeOperations } from './nodes/operations.ts'
import * as protocol from './protocol/operations.ts'
import { primaryAway } from './secondary/state.ts'
import { secondaryFront } from './serving/front.ts'
import { startReplication } from './start.ts'

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
}
