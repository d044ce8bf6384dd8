import { nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { twinsOf } from '../projects/index.ts'
import { createBadge, deleteBadge, getBadge, listBadges, renderBadge, updateBadge } from './badges.ts'
import { badgeAddresses, badgeChanges, badgeFilter, badgeId, newBadge } from './params.ts'
import { Badge, RenderedBadge } from './present.ts'

/** Badges of projects and groups (contract 25, x.badge_…, x.group_badge_…). */
export const badgeOperations = twinsOf(({ kind, path, subject }) => {
  const contract = (name: string) => (kind === 'project' ? `x.badge_${name}` : `x.group_badge_${name}`)
  const shared = { tag: 'Badges', subject } as const
  const read = { ...shared, method: 'GET', allow: 'read_badges', scopes: reading } as const
  const write = { ...shared, allow: 'admin_badges', scopes: writing } as const
  const all = `${path}/badges` as const
  const one = `${path}/badges/:badge_id` as const
  return {
    list: operation({
      ...read,
      id: `${kind}_badges.list`,
      contract: contract('list'),
      path: all,
      summary:
        kind === 'project' ? 'List the badges of a project and of the groups above' : 'List the badges of a group',
      params: badgeFilter,
      result: [200, pageOf(Badge)],
      run: ({ platform, subject: parent, actor, params, page }) =>
        listBadges({ platform, parent, actor }, params, page),
    }),
    render: operation({
      ...read,
      allow: 'render_badges',
      id: `${kind}_badges.render`,
      contract: contract('render'),
      path: `${all}/render`,
      summary: 'Show how a badge would look',
      params: badgeAddresses,
      result: [200, RenderedBadge],
      run: ({ platform, subject: parent, actor, params }) => renderBadge({ platform, parent, actor }, params),
    }),
    get: operation({
      ...read,
      id: `${kind}_badges.get`,
      contract: contract('get'),
      path: one,
      summary: `Get a badge of a ${kind}`,
      params: badgeId,
      result: [200, Badge],
      run: ({ platform, subject: parent, actor, params }) => getBadge({ platform, parent, actor }, params.badge_id),
    }),
    create: operation({
      ...write,
      id: `${kind}_badges.create`,
      contract: contract('create'),
      method: 'POST',
      path: all,
      summary: `Add a badge to a ${kind}`,
      params: newBadge,
      result: [201, Badge],
      run: ({ platform, subject: parent, actor, params, act }) => createBadge({ platform, parent, actor }, params, act),
    }),
    update: operation({
      ...write,
      id: `${kind}_badges.update`,
      contract: contract('update'),
      method: 'PUT',
      path: one,
      summary: `Change a badge of a ${kind}`,
      params: { ...badgeId, ...badgeChanges },
      result: [200, Badge],
      run: ({ platform, subject: parent, actor, params: { badge_id: id, ...changes }, act }) =>
        updateBadge({ platform, parent, actor }, id, changes, act),
    }),
    delete: operation({
      ...write,
      id: `${kind}_badges.delete`,
      contract: contract('delete'),
      method: 'DELETE',
      path: one,
      summary: `Delete a badge of a ${kind}`,
      params: badgeId,
      result: [204, nothing],
      run: ({ platform, subject: parent, actor, params, unmodified, act }) =>
        deleteBadge({ platform, parent, actor }, params.badge_id, { unmodified, act }),
    }),
  }
})

export const { list: projectBadgesList } = badgeOperations.project
