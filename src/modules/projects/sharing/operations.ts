import {
  nothing,
  type Operation,
  operation,
  pageOf,
  reading,
  requireUnmodified,
  t,
  writing,
} from '../../../api/index.ts'
import { memberLevels } from '../../access/index.ts'
import { PublicGroup } from '../../namespaces/index.ts'
import type { ProjectSubject } from '../core/access.ts'
import type { GroupPlaces } from './groups.ts'
import { ProjectGroupLink, type Sharing } from './sharing.ts'

const tag = 'Projects'

export type SharingOperationsNeeds = { project: ProjectSubject; sharing: Sharing; places: GroupPlaces }

const shareLevels = memberLevels.filter((level) => level >= 10)

function linkOperations({ project, sharing }: SharingOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'projects.share',
      contract: 'x.projects_share',
      method: 'POST',
      path: '/projects/:id/share',
      tag,
      summary: 'Share a project with a group',
      subject: project,
      allow: 'share',
      scopes: writing,
      params: {
        group_id: t.required(t.integer()),
        group_access: t.required(t.integerOf(shareLevels, { description: 'The highest role of its members here' })),
        expires_at: t.date({ description: 'The day on which it ends' }),
      },
      result: [201, ProjectGroupLink],
      run: ({ subject, actor, params }) => sharing.share(subject, params, actor),
    }),
    operation({
      id: 'projects.unshare',
      contract: 'x.projects_unshare',
      method: 'DELETE',
      path: '/projects/:id/share/:group_id',
      tag,
      summary: 'Stop sharing a project with a group',
      subject: project,
      allow: 'share',
      scopes: writing,
      numericPath: { group_id: 'invalid' },
      result: [204, nothing],
      run: ({ subject, actor, request }) =>
        sharing.unshare(subject, Number(request.path.group_id), actor, (createdAt) =>
          requireUnmodified(request, createdAt),
        ),
    }),
  ]
}

function listOperations({ project, places }: SharingOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'projects.share_locations',
      contract: 'x.projects_share_locations',
      method: 'GET',
      path: '/projects/:id/share_locations',
      tag,
      summary: 'List the groups that a project can be shared with',
      subject: project,
      allow: 'admin_project',
      scopes: reading,
      params: { search: t.string() },
      result: [200, pageOf(PublicGroup)],
      run: ({ subject, actor, params, page }) => places.shareLocations(subject, params.search, actor, page),
    }),
    operation({
      id: 'projects.invited_groups',
      contract: 'x.projects_invited_groups',
      method: 'GET',
      path: '/projects/:id/invited_groups',
      tag,
      summary: 'List the groups that a project is shared with',
      subject: project,
      allow: 'read_project',
      scopes: reading,
      params: {
        relation: t.array(t.oneOf(['direct', 'inherited']), {
          commaSeparated: true,
          description: 'Invited to the project itself, or to a group above it; both unless told',
        }),
        search: t.string(),
        min_access_level: t.integerOf(memberLevels, { description: 'Only groups in which the caller has this role' }),
      },
      result: [200, pageOf(PublicGroup)],
      run: ({ subject, actor, params, page }) => places.invitedGroups(subject, params, actor, page),
    }),
  ]
}

/** Sharing projects with groups (contract 21). */
export function sharingOperations(needs: SharingOperationsNeeds): Operation[] {
  return [...linkOperations(needs), ...listOperations(needs)]
}
