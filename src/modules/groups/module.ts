import type { Operation } from '../../api/index.ts'
import type { GroupSubject } from './access.ts'
import { createGroupDeletion, type DeletionNeeds } from './deletion.ts'
import { createGroups } from './groups.ts'
import { createGroupListing } from './listing.ts'
import { groupOperations } from './operations/groups.ts'
import { groupListOperations } from './operations/lists.ts'
import { groupPlaceOperations } from './operations/places.ts'
import { type GroupDetailSchema, groupDetailSchema } from './present.ts'
import { createGroupPresenting, type GroupPresenting, type PresentingNeeds } from './presenting.ts'
import { createGroupSharing, type SharingNeeds } from './sharing.ts'
import { createGroupTransfer } from './transfer.ts'

export type GroupModuleNeeds = PresentingNeeds &
  Omit<DeletionNeeds, 'presenting'> &
  Omit<SharingNeeds, 'presenting'> & { group: GroupSubject }

export type GroupModule = {
  operations: Operation[]
  presenting: GroupPresenting
  /** Schema of a group read alone. */
  detail: GroupDetailSchema
  /** Removes a group at once, for whoever removes its only owner. */
  removeGroup(groupId: number): Promise<void>
}

/** Everything of groups but their members (contract 21): what it needs, and the operations that it offers. */
export function createGroupModule(needs: GroupModuleNeeds): GroupModule {
  const presenting = createGroupPresenting(needs)
  const parts = { ...needs, presenting, detail: groupDetailSchema(needs.projects?.schema) }
  const deletion = createGroupDeletion(parts)
  const operations = [
    ...groupListOperations({ ...parts, listing: createGroupListing(parts) }),
    ...groupOperations({ ...parts, groups: createGroups(parts), deletion }),
    ...groupPlaceOperations({ ...parts, sharing: createGroupSharing(parts), transfer: createGroupTransfer(parts) }),
  ]
  return { operations, presenting, detail: parts.detail, removeGroup: deletion.removeAtOnce }
}
