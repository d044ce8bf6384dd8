import type { Operation } from '../../api/index.ts'
import { createForkCopies, type ForkCopiesNeeds } from './forks/copies.ts'
import { createForking, type ForkingNeeds } from './forks/forks.ts'
import { createForkLinks } from './forks/links.ts'
import { forkOperations } from './forks/operations.ts'
import { type ArchiveNeeds, createArchive } from './lifecycle/archive.ts'
import { createProjectLifecycle, type LifecycleNeeds } from './lifecycle/deletion.ts'
import { type LifecycleOperationsNeeds, lifecycleOperations } from './lifecycle/operations.ts'
import { createProjectRemoval, type ProjectRemovalNeeds } from './lifecycle/removal.ts'
import { createTransfers, type TransferNeeds } from './lifecycle/transfer.ts'
import type { ProjectLists } from './lists/lists.ts'
import { createGroupPlaces, type GroupPlacesNeeds } from './sharing/groups.ts'
import { sharingOperations } from './sharing/operations.ts'
import { createSharing, type SharingNeeds } from './sharing/sharing.ts'
import { starOperations } from './stars/operations.ts'
import { createStars, type StarsNeeds } from './stars/stars.ts'
import { createMaintenance, type MaintenanceNeeds } from './storage/maintenance.ts'
import { maintenanceOperations } from './storage/operations.ts'

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
  }
}
