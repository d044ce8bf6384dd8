import type { Operation } from '../../api/index.ts'
import type { GroupSubject } from '../groups/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import type { RefListener } from '../repositories/index.ts'
import { releaseSubject } from './access.ts'
import type { CreationNeeds } from './creation.ts'
import { createEvidenceCollection, type EvidenceNeeds } from './evidence.ts'
import { createReleaseLinks } from './links.ts'
import { type MilestoneLookup, withoutMilestones } from './milestones.ts'
import { createGroupReleases } from './of-group.ts'
import { groupReleaseOperations } from './operations/group.ts'
import { releaseLinkOperations } from './operations/links.ts'
import { releaseOperations } from './operations/releases.ts'
import { createReleasePresenting, type PresentingNeeds } from './presenting.ts'
import { createReleases } from './releases.ts'
import { releaseListener } from './tag-listener.ts'

export type ReleaseModuleNeeds = EvidenceNeeds &
  PresentingNeeds &
  Pick<CreationNeeds, 'makeTag'> & {
    mayCreateTag: CreationNeeds['mayCreateTag']
    externalUrl: string
    project: ProjectSubject
    group: GroupSubject
    milestones?: MilestoneLookup
  }

export type ReleaseModule = {
  operations: Operation[]
  /** Lets releases follow their tags. */
  refListener: RefListener
}

/** Everything of releases (contract 22): what it needs, and what it offers. */
export function createReleaseModule(needs: ReleaseModuleNeeds): ReleaseModule {
  const { milestones = withoutMilestones, group } = needs
  const presenting = createReleasePresenting(needs)
  const evidence = createEvidenceCollection(needs)
  const releases = createReleases({ ...needs, presenting, evidence, milestones })
  const links = createReleaseLinks({ ...needs, releases })
  const project = releaseSubject(needs.project)
  return {
    operations: [
      ...releaseOperations({ releases, project }),
      ...releaseLinkOperations({ links, project }),
      ...groupReleaseOperations({ ofGroup: createGroupReleases({ ...needs, presenting }), group }),
    ],
    refListener: releaseListener,
  }
}
