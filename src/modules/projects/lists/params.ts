import { type ParamValues, pageOf, t } from '../../../api/index.ts'
import { visibilityLevels } from '../../../platform/settings/index.ts'
import { memberLevels } from '../../access/index.ts'
import { attributeFilter, withAttributes } from '../../custom-attributes/index.ts'
import { ProjectObject } from '../present/present.ts'

const plainOrders = ['id', 'name', 'path', 'created_at', 'updated_at', 'star_count', 'last_activity_at'] as const
/** Orders for administrators; for others they are ignored. */
const sizeOrders = ['storage_size', 'repository_size', 'wiki_size', 'packages_size'] as const
const projectOrders = [...plainOrders, 'similarity', ...sizeOrders] as const

export type ProjectOrder = (typeof projectOrders)[number]

/** Filters and order of a list of projects (contract 21, x.projects_list). */
export const listParams = {
  archived: t.boolean({ description: 'Only archived projects, or only others' }),
  visibility: t.oneOf(visibilityLevels),
  search: t.string({ description: 'Part of the name, path or description; the whole of it below three characters' }),
  search_namespaces: t.boolean({ description: 'Search in the full path as well' }),
  owned: t.boolean({ description: 'Only projects that the caller owns' }),
  membership: t.boolean({ description: 'Only projects that the caller is a member of' }),
  starred: t.boolean({ description: 'Only projects that the caller has starred' }),
  imported: t.boolean({ description: 'Only projects that were imported' }),
  min_access_level: t.integerOf(memberLevels, { description: 'Only projects in which the caller has this role' }),
  simple: t.boolean({ description: 'Only the basic level of each project' }),
  statistics: t.boolean({ description: 'Sizes and the number of commits' }),
  ...attributeFilter,
  ...withAttributes,
  with_issues_enabled: t.boolean(),
  with_merge_requests_enabled: t.boolean(),
  id_after: t.integer(),
  id_before: t.integer(),
  last_activity_after: t.datetime(),
  last_activity_before: t.datetime(),
  updated_after: t.datetime({ description: 'Only with order_by=updated_at' }),
  updated_before: t.datetime({ description: 'Only with order_by=updated_at' }),
  topic: t.array(t.string(), { commaSeparated: true, description: 'Topics that a project has to have, all of them' }),
  with_programming_language: t.string({ description: 'Only projects with files in this language' }),
  topic_id: t.integer({ description: 'Id of a topic that a project has to have' }),
  repository_storage: t.string({ description: 'For administrators' }),
  marked_for_deletion_on: t.date(),
  include_pending_delete: t.boolean({ description: 'For administrators: also projects that are being deleted' }),
  order_by: t.oneOf(projectOrders, {
    description: 'created_at by default; the sizes are for administrators, similarity needs a search',
  }),
  sort: t.oneOf(['asc', 'desc']),
}

/** What the lists of projects have in common. Keyset pages go by id, while the default order is another one. */
export const projectList = {
  method: 'GET',
  tag: 'Projects',
  params: listParams,
  list: {
    keyset: { id: ['asc', 'desc'] },
    keysetDefault: { orderBy: 'created_at', sort: 'desc' },
    offsetLimitOf: 'Project',
  },
  result: [200, pageOf(ProjectObject)],
} as const

/** Which projects of a group a list contains (contract 21, x.groups_projects). */
export const groupListParams = {
  ...listParams,
  with_shared: t.boolean({ description: 'Also projects that are shared with the group; true by default' }),
  include_subgroups: t.boolean({ description: 'Also the projects of the groups below' }),
  include_ancestor_groups: t.boolean({ description: 'Also the projects of the groups above' }),
}

export type ListParams = ParamValues<typeof listParams>
export type GroupListParams = ParamValues<typeof groupListParams>
