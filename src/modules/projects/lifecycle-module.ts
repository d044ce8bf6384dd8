import type { Operation } from '../../api/index.ts'
import type { Tx } from '../../infra/database/index.ts'
import { type ArchiveNeeds, createArchive } from './archive.ts'
import { createForkCopies, type ForkCopiesNeeds } from './fork-copies.ts'
import { createForkLinks } from './fork-links.ts'
import { createForking, type ForkingNeeds } from './forking.ts'
import { createGroupPlaces, type GroupPlacesNeeds } from './group-places.ts'
import { createProjectLifecycle, type LifecycleNeeds } from './lifecycle.ts'
import type { ProjectLists } from './list.ts'
import { createMaintenance, type MaintenanceNeeds } from './maintenance.ts'
import { forkOperations } from './operations/forks.ts'
import { type LifecycleOperationsNeeds, lifecycleOperations } from './operations/lifecycle.ts'
import { maintenanceOperations } from './operations/maintenance.ts'
import { sharingOperations } from './operations/sharing.ts'
import { starOperations } from './operations/stars.ts'
import { createProjectRemoval, type ProjectRemovalNeeds } from './removal.ts'
import { createSharing, type SharingNeeds } from './sharing.ts'
import { createStars, type StarsNeeds } from './stars.ts'
import { removeStarsOf } from './store/stars.ts'
import { createTransfers, type TransferNeeds } from './transfer.ts'

export type ProjectLifecycleModuleNeeds = ArchiveNeeds &
  ForkCopiesNeeds &
  Omit<ForkingNeeds, 'copies'> &
  GroupPlacesNeeds &
  Omit<LifecycleNeeds, 'removal'> &
  MaintenanceNeeds &
  ProjectRemovalNeeds &
  SharingNeeds &
  StarsNeeds &
  TransferNeeds &
  Pick<LifecycleOperationsNeeds, 'project' | 'group' | 'groupAnswer'> & { lists: ProjectLists }

export type ProjectLifecycleModule = {
  operations: Operation[]
  /** Removes a project that nobody sees any more (`pending_delete`); may be called again, and for one that is gone. */
  removeProject(projectId: number): Promise<void>
  /** Removes the projects in a user's own namespace, with their repositories; may be called again. */
  removeProjectsOf(userId: number): Promise<void>
  /** Takes back all stars of a user, in the transaction in which the user goes. */
  removeStars(tx: Tx, of: { userId: number }): Promise<void>
}

/** What happens to projects after they are made: forked, shared, starred, moved, archived, deleted (contract 21). */
export function createProjectLifecycleModule(needs: ProjectLifecycleModuleNeeds): ProjectLifecycleModule {
  const removal = createProjectRemoval(needs)
  const lifecycle = createProjectLifecycle({ ...needs, removal })
  const forking = createForking({ ...needs, copies: createForkCopies(needs) })
  const places = createGroupPlaces(needs)
  const operations = [
    ...lifecycleOperations({
      ...needs,
      lifecycle,
      archive: createArchive(needs),
      transfers: createTransfers(needs),
      places,
    }),
    ...forkOperations({ ...needs, forking, links: createForkLinks(needs) }),
    ...sharingOperations({ ...needs, sharing: createSharing(needs), places }),
    ...starOperations({ ...needs, stars: createStars(needs) }),
    ...maintenanceOperations({ ...needs, maintenance: createMaintenance(needs) }),
  ]
  return {
    operations,
    removeProject: removal.removeNow,
    removeProjectsOf: removal.removeProjectsOf,
    removeStars: (tx, { userId }) => removeStarsOf(tx, userId),
  }
}
