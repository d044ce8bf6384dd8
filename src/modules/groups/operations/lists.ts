import { instance, type Operation, operation, pageOf, reading, t } from '../../../api/index.ts'
import { PublicGroup } from '../../namespaces/index.ts'
import type { GroupSubject } from '../access.ts'
import type { GroupListing } from '../listing.ts'
import { invitedParams, listParams, sharedParams } from '../params.ts'
import { Group } from '../present.ts'

const tag = 'Groups'

/** The lists of groups (contract 21). */
export function groupListOperations({ listing, group }: { listing: GroupListing; group: GroupSubject }): Operation[] {
  return [
    operation({
      id: 'groups.list',
      contract: 'x.groups_list',
      method: 'GET',
      path: '/groups',
      tag,
      summary: 'List groups',
      description:
        'Without credentials the public groups; else those that the caller belongs to, with `all_available` all that the ' +
        'caller may see.',
      subject: instance,
      allow: 'public',
      scopes: reading,
      params: listParams,
      list: { keyset: { name: ['asc'] }, keysetDefault: { orderBy: 'name', sort: 'asc' } },
      result: [200, pageOf(Group)],
      run: ({ actor, params, page }) => listing.list(actor, params, page),
    }),
    operation({
      id: 'groups.subgroups',
      contract: 'x.groups_subgroups',
      method: 'GET',
      path: '/groups/:id/subgroups',
      tag,
      summary: 'List the direct subgroups of a group',
      subject: group,
      allow: 'read_group',
      scopes: reading,
      params: listParams,
      result: [200, pageOf(Group)],
      run: ({ subject, actor, params, page }) => listing.below(actor, subject, 'children', params, page),
    }),
    operation({
      id: 'groups.descendants',
      contract: 'x.groups_descendants',
      method: 'GET',
      path: '/groups/:id/descendant_groups',
      tag,
      summary: 'List all groups below a group',
      subject: group,
      allow: 'read_group',
      scopes: reading,
      params: listParams,
      result: [200, pageOf(Group)],
      run: ({ subject, actor, params, page }) => listing.below(actor, subject, 'all', params, page),
    }),
    operation({
      id: 'groups.shared',
      contract: 'x.groups_shared',
      method: 'GET',
      path: '/groups/:id/groups/shared',
      tag,
      summary: 'List the groups that a group was invited to',
      subject: group,
      allow: 'read_group_shares',
      scopes: reading,
      params: sharedParams,
      result: [200, pageOf(Group)],
      run: ({ subject, actor, params, page }) => listing.sharedWith(actor, subject, params, page),
    }),
    operation({
      id: 'groups.invited',
      contract: 'x.groups_invited',
      method: 'GET',
      path: '/groups/:id/invited_groups',
      tag,
      summary: 'List the groups that were invited to a group',
      subject: group,
      allow: 'read_group',
      scopes: reading,
      params: invitedParams,
      result: [200, pageOf(Group)],
      run: ({ subject, actor, params, page }) => listing.invited(actor, subject, params, page),
    }),
    operation({
      id: 'groups.transfer_locations',
      contract: 'x.groups_transfer_locations',
      method: 'GET',
      path: '/groups/:id/transfer_locations',
      tag,
      summary: 'List the groups that a group could be moved to',
      subject: group,
      allow: 'own',
      scopes: reading,
      params: { search: t.string({ description: 'Part of the name or path' }) },
      result: [200, pageOf(PublicGroup)],
      run: ({ subject, actor, params, page }) => listing.transferLocations(actor, subject, params, page),
    }),
  ]
}
