import { pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { PublicGroup } from '../../namespaces/index.ts'
import { group } from '../access.ts'
import { GroupDetail } from '../core/present.ts'
import { listTransferLocations } from '../lists/lists.ts'
import { transferGroup } from './transfer.ts'

const shared = { tag: 'Groups', subject: group } as const

export const groupsTransferLocations = operation({
  ...shared,
  id: 'groups.transfer_locations',
  contract: 'x.groups_transfer_locations',
  method: 'GET',
  path: '/groups/:id/transfer_locations',
  summary: 'List the groups that a group could be moved to',
  allow: 'own',
  scopes: reading,
  params: { search: t.string({ description: 'Part of the name or path' }) },
  result: [200, pageOf(PublicGroup)],
  run: ({ platform, subject, actor, params, page }) => listTransferLocations(platform, actor, subject, params, page),
})

export const groupsTransfer = operation({
  ...shared,
  id: 'groups.transfer',
  contract: 'x.groups_transfer',
  method: 'POST',
  path: '/groups/:id/transfer',
  summary: 'Move a group below another one, or to the top level',
  allow: 'transfer',
  scopes: writing,
  params: { group_id: t.integer({ description: 'The new parent; without one it moves to the top level' }) },
  result: [201, GroupDetail],
  run: ({ platform, subject, actor, params }) => transferGroup(platform, actor, subject, params.group_id),
})
