/**
 * User namespaces and groups, in one id sequence (contract 21). `namespace_ancestors` has one row for each namespace and
 * each of its ancestors, and one for the namespace itself (depth 0): descendants and inherited roles take one join each.
 */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import { markTriggers } from './totals/triggers.ts'

/** Who may see a project or group (contract 21 R3). */
export type Visibility = 'private' | 'internal' | 'public'

export const namespaces = table(
  'namespaces',
  {
    id: t.id(),
    kind: t.text<'user' | 'group'>(),
    name: t.name(),
    path: t.name(),
    full_path: t.name(),
    /** Names from the root down, joined by ` / `. */
    full_name: t.name(),
    parent_id: t.refers('namespaces', 'cascade').nullable(),
    owner_id: t.refers('users', 'cascade').nullable(),
    visibility: t.text<Visibility>(),
    description: t.text().default(''),
    avatar: t.text().nullable(),
    /** Settings of a group that differ from the defaults. */
    settings: t.json<Record<string, unknown>>().default('{}'),
    marked_for_deletion_on: t.date().nullable(),
    /** The path without the suffix that a scheduled deletion appends. */
    original_path: t.text().nullable(),
    /** Hidden; a job removes it. */
    pending_delete: t.boolean().default(false),
    /** Whether it or a group above it is archived (decision 0033). */
    archived: t.boolean().default(false),
    /** Whether it is archived because a group above it is, and not itself. */
    archived_by_group: t.boolean().default(false),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { full_path: ['lower(full_path)'], owner: partial('owner_id'), name: partial('parent_id', 'lower(name)') },
    indexes: {
      order: ["(case when kind = 'user' then 0 else 1 end)", 'id'],
      marked: { on: ['marked_for_deletion_on'], where: 'original_path is not null' },
      leaving: { on: ['id'], where: 'pending_delete = true' },
      top_order: { on: ["(case when kind = 'user' then 0 else 1 end)", 'id'], where: 'parent_id is null' },
      list: ['kind', 'pending_delete', 'name', 'id', 'visibility', 'path', 'marked_for_deletion_on'],
      path: ['kind', 'pending_delete', 'path', 'id', 'visibility'],
      top: { on: ['kind', 'pending_delete', 'name', 'id', 'visibility'], where: 'parent_id is null' },
      // Partial: else SQLite finds what has no parent by it, instead of by the order.
      parent: partial('parent_id', 'kind', 'pending_delete', 'name', 'id', 'visibility', 'path'),
      stored: {
        on: ["(settings ->> 'repository_storage')"],
        where: "kind = 'group' and settings ->> 'repository_storage' is not null",
      },
      awaiting: partial('marked_for_deletion_on'),
      archived: { on: ['name', 'id', 'pending_delete'], where: 'archived = true' },
      groups: { on: ['id'], where: "kind = 'group'", engine: 'postgres' },
    },
    text: ['name', 'path', 'full_path'],
  },
)
export type NamespacesTable = TableOf<typeof namespaces>

export const namespaceAncestors = table(
  'namespace_ancestors',
  {
    namespace_id: t.refers('namespaces', 'cascade'),
    ancestor_id: t.refers('namespaces', 'cascade'),
    depth: t.integer(),
  },
  {
    primaryKey: ['namespace_id', 'ancestor_id'],
    indexes: { below: ['ancestor_id', 'namespace_id'] },
  },
)

/** Every path of a namespace or project, in lower case; former paths are redirects. */
export const routes = table(
  'routes',
  {
    path_key: t.name().primaryKey(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    project_id: t.refers('projects', 'cascade').nullable(),
    redirect: t.boolean().default(false),
  },
  {
    indexes: { namespace: ['namespace_id'], project: ['project_id'] },
  },
)

/** What is counted each by itself: a project with its code and wiki, its other contents, a membership, a namespace. */
type Counted = 'project' | 'lfs' | 'snippets' | 'uploads' | 'packages' | 'member' | 'namespace'

/**
 * What has changed since it was counted; written by triggers, so that writers do not wait for each other (decision 0022).
 * `members`: those of a project.
 */
export const namespaceMarks = table(
  'namespace_marks',
  { id: t.id(), source: t.text<Counted | 'members' | 'user'>(), source_id: t.bigint() },
  { triggers: markTriggers },
)

/** What lies in a namespace. */
export type Amounts = {
  /** Projects that are not being removed. */
  projects: number
  repository_bytes: number
  wiki_bytes: number
  lfs_bytes: number
  snippet_bytes: number
  upload_bytes: number
  package_bytes: number
}

/** What was counted of each project, membership and namespace. */
export const namespaceParts = table(
  'namespace_parts',
  {
    source: t.text<Counted>(),
    source_id: t.bigint(),
    namespace_id: t.bigint(),
    user_id: t.bigint().nullable(),
    in_groups: t.integer().nullable(),
    in_places: t.integer().nullable(),
    /** Projects that are not being removed. */
    projects: t.integer().nullable(),
    repository_bytes: t.bigint().nullable(),
    wiki_bytes: t.bigint().nullable(),
    lfs_bytes: t.bigint().nullable(),
    snippet_bytes: t.bigint().nullable(),
    upload_bytes: t.bigint().nullable(),
    package_bytes: t.bigint().nullable(),
  },
  {
    primaryKey: ['source', 'source_id'],
  },
)

/** The users of a namespace and of everything below it, with the number of groups, and of groups, projects and personal namespaces. */
export const namespaceUsers = table(
  'namespace_users',
  {
    namespace_id: t.refers('namespaces', 'cascade'),
    user_id: t.bigint(),
    in_groups: t.bigint(),
    in_places: t.bigint(),
    is_billable: t.boolean(),
  },
  {
    primaryKey: ['namespace_id', 'user_id'],
    indexes: { user: ['user_id'], gone: { on: ['namespace_id'], where: 'in_places = 0' } },
  },
)

/** What a namespace has itself, and with everything below it. */
export const namespaceTotals = table(
  'namespace_totals',
  {
    namespace_id: t.refers('namespaces', 'cascade'),
    is_own: t.boolean(),
    /** Projects that are not being removed. */
    projects: t.bigint().default(0),
    repository_bytes: t.bigint().default(0),
    wiki_bytes: t.bigint().default(0),
    lfs_bytes: t.bigint().default(0),
    snippet_bytes: t.bigint().default(0),
    upload_bytes: t.bigint().default(0),
    members: t.bigint().default(0),
    seats: t.bigint().default(0),
    package_bytes: t.bigint().default(0),
  },
  {
    primaryKey: ['namespace_id', 'is_own'],
  },
)

export { packageMarkTriggers } from './totals/triggers.ts'

export type NamespaceRow = RowOf<typeof namespaces>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      | typeof namespaces
      | typeof namespaceAncestors
      | typeof routes
      | typeof namespaceMarks
      | typeof namespaceParts
      | typeof namespaceUsers
      | typeof namespaceTotals
    > {}
}
