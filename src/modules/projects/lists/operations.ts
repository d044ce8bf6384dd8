import {
  dayOf,
  instance,
  notFound,
  type Operation,
  operation,
  pageOf,
  reading,
  readingUsers,
  type Subject,
  t,
} from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import { memberLevels } from '../../access/index.ts'
import { userByIdOrUsername } from '../../users/index.ts'
import { visibilities } from '../core/visibility.ts'
import { ProjectObject } from '../present/present.ts'
import type { ProjectLists } from './lists.ts'
import { projectOrders } from './store/conditions.ts'
import { inGroup, ownedByUser, sharedWith } from './store/scopes.ts'

const tag = 'Projects'

/** What narrows and orders a list of projects (contract 21, x.projects_list). */
export const listParams = {
  archived: t.boolean({ description: 'Only archived projects, or only others' }),
  visibility: t.oneOf(visibilities),
  search: t.string({ description: 'Part of the name, path or description; the whole of it below three characters' }),
  search_namespaces: t.boolean({ description: 'Search in the full path as well' }),
  owned: t.boolean({ description: 'Only projects that the caller owns' }),
  membership: t.boolean({ description: 'Only projects that the caller is a member of' }),
  starred: t.boolean({ description: 'Only projects that the caller has starred' }),
  imported: t.boolean({ description: 'Only projects that were imported' }),
  min_access_level: t.integerOf(memberLevels, { description: 'Only projects in which the caller has this role' }),
  simple: t.boolean({ description: 'Only the basic level of each project' }),
  statistics: t.boolean({ description: 'Sizes and the number of commits' }),
  with_custom_attributes: t.boolean({ description: 'For administrators' }),
  with_issues_enabled: t.boolean(),
  with_merge_requests_enabled: t.boolean(),
  id_after: t.integer(),
  id_before: t.integer(),
  last_activity_after: t.datetime(),
  last_activity_before: t.datetime(),
  updated_after: t.datetime({ description: 'Only together with order_by=updated_at' }),
  updated_before: t.datetime({ description: 'Only together with order_by=updated_at' }),
  topic: t.array(t.string(), { commaSeparated: true, description: 'Topics that a project has to have, all of them' }),
  repository_storage: t.string({ description: 'For administrators' }),
  marked_for_deletion_on: t.date(),
  include_pending_delete: t.boolean({ description: 'For administrators: also what is being removed' }),
  order_by: t.oneOf(projectOrders, {
    description: 'created_at unless told; the sizes are for administrators, similarity needs a search',
  }),
  sort: t.oneOf(['asc', 'desc']),
}

/** A walk by id; the usual order is another one, so that has to be said. */
export const projectPages = {
  keyset: { id: ['asc', 'desc'] as const },
  keysetDefault: { orderBy: 'created_at', sort: 'desc' as const },
  offsetLimitOf: 'Project',
}

/** What is needed of the group's subject: that it may be read. */
type ReadableGroup = Subject<{ id: number }, 'read_group'>

export type ListOperationsNeeds = { lists: ProjectLists; database: Database; clock: Clock; group: ReadableGroup }

function projectListOperations({ lists, database }: ListOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'projects.list',
      contract: 'x.projects_list',
      method: 'GET',
      path: '/projects',
      tag,
      summary: 'List projects',
      description: 'The projects that the caller sees; without credentials the public ones, at the basic level.',
      subject: instance,
      allow: 'public',
      scopes: reading,
      params: listParams,
      list: projectPages,
      result: [200, pageOf(ProjectObject)],
      run: ({ actor, params, page }) => lists.list(actor, params, page),
    }),
    operation({
      id: 'projects.of_user',
      contract: 'x.users_projects',
      method: 'GET',
      path: '/users/:id_or_username/projects',
      tag,
      summary: 'List the projects in the own namespace of a user',
      subject: instance,
      allow: 'public',
      scopes: readingUsers,
      params: listParams,
      list: projectPages,
      result: [200, pageOf(ProjectObject)],
      async run({ actor, params, page, request }) {
        const user = await userByIdOrUsername(database.read, request.path.id_or_username ?? '')
        if (!user) throw notFound('User')
        return lists.list(actor, params, page, ownedByUser(user.id))
      },
    }),
  ]
}

const groupListParams = {
  ...listParams,
  with_shared: t.boolean({ description: 'Also projects that are shared with the group; true unless told' }),
  include_subgroups: t.boolean({ description: 'Also the projects of the groups below' }),
  include_ancestor_groups: t.boolean({ description: 'Also the projects of the groups above' }),
}

function groupListOperations({ lists, database, clock, group }: ListOperationsNeeds): Operation[] {
  const at = () => ({ db: database.read, today: dayOf(clock.now()) })
  return [
    operation({
      id: 'projects.of_group',
      contract: 'x.groups_projects',
      method: 'GET',
      path: '/groups/:id/projects',
      tag,
      summary: 'List the projects of a group',
      subject: group,
      allow: 'read_group',
      scopes: reading,
      params: groupListParams,
      list: projectPages,
      result: [200, pageOf(ProjectObject)],
      run: ({ subject, actor, params, page }) => lists.list(actor, params, page, inGroup(at(), subject.id, params)),
    }),
    operation({
      id: 'projects.shared_with_group',
      contract: 'x.groups_projects_shared',
      method: 'GET',
      path: '/groups/:id/projects/shared',
      tag,
      summary: 'List the projects that are shared with a group',
      subject: group,
      allow: 'read_group',
      scopes: reading,
      params: listParams,
      list: projectPages,
      result: [200, pageOf(ProjectObject)],
      run: ({ subject, actor, params, page }) => lists.list(actor, params, page, sharedWith(at(), subject.id)),
    }),
  ]
}

export function listOperations(needs: ListOperationsNeeds): Operation[] {
  return [...projectListOperations(needs), ...groupListOperations(needs)]
}
