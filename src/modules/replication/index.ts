import type { Module, Platform } from '../../platform/index.ts'
import { readSuperseded } from '../../platform/instance/index.ts'
import { beginHousekeeping, checksumJob, housekeepingJob } from './feed/jobs.ts'
import { nodeOperations } from './nodes/operations.ts'
import { supersededFailing, supersededFront, supersededSentence } from './promotion/superseded.ts'
import { tellFormerPrimary } from './promotion/tell-former.ts'
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
  followPackageFiles,
  followProject,
  followRemovedGroup,
  followRemovedImages,
  followRemovedLfsObjects,
  followRemovedPackageFiles,
  followRemovedProject,
  followRemovedSecureFiles,
  followRemovedSites,
  followRemovedSnippets,
  followRemovedStateVersions,
  followRemovedUpload,
  followRepository,
  followSecureFiles,
  followSites,
  followStateVersions,
  followUpload,
} from './feed/reactions.ts'
export { countFilesWithoutRow, namedFiles, placeFile, removeCopy } from './promotion/files.ts'
export { type Knowledge, knowledgeOf, latestTimeIn } from './promotion/knowledge.ts'
export { formerPrimary, promoteRecords, recordsIn } from './promotion/records.ts'
export {
  type Compared,
  copiesWithoutRow,
  type Judged,
  judgeRepositories,
  knowsMore,
  type Origin,
} from './promotion/repositories.ts'
export { promotionIn } from './promotion/state.ts'
export { supersededRule } from './promotion/superseded.ts'

/** Begins what the role of this server needs (contract 15, "Roles and configuration"). */
async function startReplication(platform: Platform): Promise<{ stop(): Promise<void> } | null> {
  if (platform.config.geo.role === 'secondary') return startSecondary(platform)
  const found = await readSuperseded(platform)
  if (found) platform.log.warn(found, supersededSentence(found))
  // A record may have become the own one by another configuration of the name.
  await beginHousekeeping(platform)
  return tellFormerPrimary(platform)
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
  front: (platform) => secondaryFront(platform) ?? supersededFront(platform),
  start: startReplication,
  failing: (platform) => [...primaryAway(platform), ...supersededFailing(platform)],
  measures: reportMeasures,
}
