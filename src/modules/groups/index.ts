import { avatarCheck, avatarSweep } from '../users/index.ts'
import { groupsWithAvatar } from './core/store.ts'
import './events.ts'
import { reading } from '../../api/index.ts'
import type { Module } from '../../platform/index.ts'
import { customAttributeOperations } from '../custom-attributes/index.ts'
import { group } from './access.ts'
import * as archive from './archive/operations.ts'
import * as core from './core/operations.ts'
import * as deletion from './deletion/operations.ts'
import { removeDueGroups, removeGroupJob } from './deletion/removal.ts'
import * as lists from './lists/operations.ts'
import { endExpiredShares } from './sharing/expiry.ts'
import * as sharing from './sharing/operations.ts'
import * as transfer from './transfer/operations.ts'

export {
  canSeeGroup,
  type Group,
  type GroupSubject,
  group,
  groupOfKey,
  groupOfPath,
  heldForChange,
  heldGroup,
  mayCreateSubgroup,
  mayCreateTopLevel,
  mayInGroup,
  seenGroup,
  withLevel,
} from './access.ts'
export { createImportedGroup, insertGroup, parentFor } from './core/create.ts'
export { groupDetailOf, presentGroups } from './core/detail.ts'
export { groupsGet } from './core/operations.ts'
export { Group as ListedGroup, GroupDetail, SharedWithGroup, sizes } from './core/present.ts'
export { groupsWithAvatar } from './core/store.ts'
export { removeGroup } from './deletion/deletion.ts'
export { exportedGroup, exportedNamespaceSettings } from './export/lines.ts'
export { importGroupAttributes, importGroupDescription, importNamespaceSettings } from './import/lines.ts'
export { groupContext, listGroups, pageOfPublicGroups } from './lists/lists.ts'
export { groupsList, groupsSubgroups } from './lists/operations.ts'
export { type GroupContext, reachedBy, seenBy } from './lists/store/access.ts'
export { groupFilters } from './lists/store/filters.ts'
export { type Relations, relationsOf, takesWrites } from './lists/store/lists.ts'
export { groupsByIds, isVisibleGroup, visibleAmong, visibleGroupIds } from './lists/store/selection.ts'
export { type Viewer, viewerOf } from './lists/viewer.ts'
export { levelOfProtection } from './settings/branch-protection.ts'
export { changeGroupSettings } from './settings/changes.ts'
export { initialSettings } from './settings/initial.ts'
export { type GroupSettings, settingsOfGroup } from './settings/settings.ts'

/** Custom attributes of groups (contract 21). */
const groupAttributeOperations = customAttributeOperations({
  kind: 'group',
  path: '/groups/:id',
  subject: group,
  allow: 'administer',
  scopes: reading,
  idOf: (_platform, { id }) => id,
})

export const groups: Module = {
  name: 'groups',
  tags: { Groups: 'Groups and subgroups, which contain projects.' },
  operations: [
    ...[core, lists, sharing, transfer, archive, deletion].flatMap((room) => Object.values(room)),
    ...groupAttributeOperations,
  ],
  jobs: [removeGroupJob, removeDueGroups, endExpiredShares, avatarSweep('group', groupsWithAvatar)],
  checks: [avatarCheck('group', groupsWithAvatar)],
}
