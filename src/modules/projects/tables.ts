/** Projects, their topics, their stars, and the sizes of what they store (contract 21). */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { Visibility } from '../namespaces/index.ts'
import type { ProjectSettings } from './settings/settings.ts'
import { sizesTriggers } from './storage/sizes-triggers.ts'

export const projects = table(
  'projects',
  {
    id: t.id(),
    namespace_id: t.refers('namespaces', 'cascade'),
    name: t.name(),
    path: t.name(),
    full_path: t.name(),
    description: t.text().nullable(),
    visibility: t.text<Visibility>(),
    creator_id: t.refers('users', 'set null').nullable(),
    /** Whether it or a group above it is archived (decision 0033). */
    archived: t.boolean().default(false),
    /** Whether it is archived because a group above it is, and not itself. */
    archived_by_group: t.boolean().default(false),
    default_branch: t.text().nullable(),
    /** The readme of the default branch; stored here so that lists need not read repositories. */
    readme_path: t.text().nullable(),
    star_count: t.integer().default(0),
    forked_from_id: t.refers('projects', 'set null').nullable(),
    import_status: t.text<'none' | 'scheduled' | 'started' | 'finished' | 'failed'>().default('none'),
    import_url: t.text().nullable(),
    import_error: t.text().nullable(),
    /** Whether a file or the relations of another server are being imported into it, or that has failed (contract 25, States). */
    is_unfinished: t.boolean().default(false),
    avatar: t.text().nullable(),
    /** What differs from the defaults of `ProjectSettings`. */
    settings: t.json<Partial<ProjectSettings>>().default('{}'),
    marked_for_deletion_on: t.date().nullable(),
    original_path: t.text().nullable(),
    pending_delete: t.boolean().default(false),
    /** Created by a push to a free path; a message of the first push reports it. */
    created_by_push: t.boolean().default(false),
    last_activity_at: t.time(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { full_path: ['lower(full_path)'], name: ['namespace_id', 'lower(name)'] },
    indexes: {
      namespace: ['namespace_id', 'id'],
      creator: ['creator_id'],
      created_at: ['created_at', 'id'],
      updated_at: ['updated_at', 'id'],
      last_activity_at: ['last_activity_at', 'id'],
      name: ['name', 'id'],
      path: ['path', 'id'],
      star_count: ['star_count', 'id'],
      visibility: ['visibility', 'created_at', 'id', 'pending_delete'],
      archived: { on: ['created_at', 'id', 'pending_delete'], where: 'archived = true' },
      imported: { on: ['created_at', 'id', 'pending_delete'], where: 'import_url is not null' },
      lower_name: ['lower(name)'],
      lower_path: ['lower(path)'],
      short_description: { on: ['lower(description)'], where: 'length(description) < 3' },
      marked: { on: ['marked_for_deletion_on'], where: 'original_path is not null' },
      leaving: { on: ['id'], where: 'pending_delete = true' },
      cleanup_due: {
        on: ["(settings -> 'container_expiration_policy' ->> 'next_run_at')"],
        where: "(settings -> 'container_expiration_policy' -> 'enabled') = 'true'",
      },
      package_cleanup_due: {
        on: ["(settings -> 'packages_cleanup_policy' ->> 'next_run_at')"],
        where: "(settings -> 'packages_cleanup_policy' ->> 'next_run_at') is not null",
      },
      in_namespace: ['namespace_id', 'pending_delete', 'created_at', 'id', 'visibility'],
      awaiting: partial('marked_for_deletion_on'),
      forked_from: partial(
        'forked_from_id',
        'pending_delete',
        'created_at',
        'id',
        'visibility',
        'namespace_id',
        'archived',
        'updated_at',
        'last_activity_at',
      ),
    },
    text: ['name', 'path', 'full_path', 'description'],
  },
)
export type ProjectsTable = TableOf<typeof projects>

export const projectTopics = table(
  'project_topics',
  {
    project_id: t.refers('projects', 'cascade'),
    topic_id: t.refers('topics', 'cascade'),
    position: t.integer(),
  },
  {
    primaryKey: ['project_id', 'topic_id'],
    indexes: { topic: ['topic_id', 'project_id'] },
  },
)

/** Who starred what; `projects.star_count` is their number. */
export const projectStars = table(
  'project_stars',
  {
    project_id: t.refers('projects', 'cascade'),
    user_id: t.refers('users', 'cascade'),
    created_at: t.time(),
  },
  {
    primaryKey: ['project_id', 'user_id'],
    indexes: { user: ['user_id', 'project_id'] },
  },
)

/** What a project stores, in bytes. Triggers keep it (`storage/sizes-triggers.ts`). */
export type ProjectSizes = {
  repository_bytes: number
  wiki_bytes: number
  lfs_bytes: number
  snippet_bytes: number
  upload_bytes: number
  package_bytes: number
}

/**
 * The project is no foreign key: while it is deleted with what it stores, the row is updated, and PostgreSQL would look for the
 * project.
 */
export const projectSizes = table(
  'project_sizes',
  {
    project_id: t.givenId(),
    repository_bytes: t.bigint().default(0),
    wiki_bytes: t.bigint().default(0),
    lfs_bytes: t.bigint().default(0),
    snippet_bytes: t.bigint().default(0),
    upload_bytes: t.bigint().default(0),
    package_bytes: t.bigint().default(0),
  },
  {
    indexes: {
      // The order by `storage_size` in 0.1.0, whose nodes may serve beside later ones.
      storage: ['(repository_bytes + wiki_bytes + lfs_bytes + snippet_bytes + upload_bytes)', 'project_id'],
      repository: ['repository_bytes', 'project_id'],
      wiki: ['wiki_bytes', 'project_id'],
      packages: ['package_bytes', 'project_id'],
      stored: [
        '(repository_bytes + wiki_bytes + lfs_bytes + snippet_bytes + upload_bytes + package_bytes)',
        'project_id',
      ],
    },
    triggers: sizesTriggers,
  },
)

export { packageSizesTriggers } from './storage/sizes-triggers.ts'

export type ProjectRow = RowOf<typeof projects>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<typeof projects | typeof projectTopics | typeof projectStars | typeof projectSizes> {}
}
