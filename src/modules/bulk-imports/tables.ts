/** Migrations of groups and projects from other instances (contract 25, Migration from another instance). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** The states of migrations and of their entities. */
export const states = ['created', 'started', 'finished', 'timeout', 'failed', 'canceled'] as const
export type State = (typeof states)[number]

/** What is migrated. */
export const entityTypes = ['group', 'project'] as const
export type EntityType = (typeof entityTypes)[number]

export const bulkImports = table(
  'bulk_imports',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade'),
    /** Whether the user acted as an administrator, which Admin Mode may deny. */
    as_administrator: t.boolean(),
    status: t.oneOf(...states),
    /** Base of the addresses of the source, without a slash at the end. */
    source_url: t.text(),
    /** Whether the source is this server, which is called in process. */
    is_own: t.boolean(),
    /** Null once the migration has ended. */
    sealed_token: t.text().nullable(),
    has_failures: t.boolean().default(false),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    indexes: {
      user: ['user_id', 'created_at', 'id'],
      user_status: ['user_id', 'status', 'created_at', 'id'],
    },
  },
)

/** Groups and projects of a migration. The entities of what is below a group have that of the group as their parent. */
export const bulkImportEntities = table(
  'bulk_import_entities',
  {
    id: t.id(),
    bulk_import_id: t.refers('bulk_imports', 'cascade'),
    user_id: t.refers('users', 'cascade'),
    parent_id: t.refers('bulk_import_entities', 'cascade').nullable(),
    entity_type: t.oneOf(...entityTypes),
    status: t.oneOf(...states),
    source_full_path: t.text(),
    /** The id at the source, from when the group or project was made. */
    source_id: t.bigint().nullable(),
    /** When the source was asked for its exports. */
    exports_asked_at: t.time().nullable(),
    destination_slug: t.text(),
    /** Full path of the namespace; empty at the top level. */
    destination_namespace: t.text(),
    migrate_projects: t.boolean(),
    migrate_memberships: t.boolean(),
    /** The group that was made. */
    namespace_id: t.refers('namespaces', 'set null').nullable(),
    /** The project that was made. */
    project_id: t.refers('projects', 'set null').nullable(),
    /** The import into it, which knows how far its relations are. */
    import_id: t.refers('transfer_imports', 'set null').nullable(),
    has_failures: t.boolean().default(false),
    created_at: t.time(),
    /** The last progress. */
    updated_at: t.time(),
  },
  {
    indexes: {
      user: ['user_id', 'created_at', 'id'],
      user_status: ['user_id', 'status', 'created_at', 'id'],
      migration: ['bulk_import_id', 'id'],
      migration_status: ['bulk_import_id', 'status', 'id'],
      parent: partial('parent_id'),
      namespace: partial('namespace_id'),
      project: partial('project_id'),
      import: partial('import_id'),
      progress: { on: ['updated_at'], where: "status in ('created', 'started')" },
    },
  },
)

/** How much of each relation of an entity has been imported. */
export const bulkImportRelations = table(
  'bulk_import_relations',
  {
    entity_id: t.refers('bulk_import_entities', 'cascade'),
    relation: t.text(),
    /** Objects at the source, of which so many were read, and so many imported. */
    source_count: t.bigint(),
    fetched_count: t.bigint(),
    imported_count: t.bigint(),
    /** Complete batches, or pages of a list. */
    batches: t.integer(),
    is_complete: t.boolean().default(false),
  },
  { primaryKey: ['entity_id', 'relation'] },
)

/** What could not be imported. */
export const bulkImportFailures = table(
  'bulk_import_failures',
  {
    id: t.id(),
    entity_id: t.refers('bulk_import_entities', 'cascade'),
    relation: t.text(),
    exception_class: t.text(),
    exception_message: t.text(),
    correlation_id: t.text().nullable(),
    source_url: t.text().nullable(),
    source_title: t.text().nullable(),
    /** The failure of the import that it repeats. */
    transfer_failure_id: t.bigint().nullable(),
    created_at: t.time(),
  },
  { unique: { repeated: partial('transfer_failure_id', 'entity_id') }, indexes: { entity: ['entity_id', 'id'] } },
)

export type BulkImportRow = RowOf<typeof bulkImports>
export type EntityRow = RowOf<typeof bulkImportEntities>
export type RelationRow = RowOf<typeof bulkImportRelations>
export type FailureRow = RowOf<typeof bulkImportFailures>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      typeof bulkImports | typeof bulkImportEntities | typeof bulkImportRelations | typeof bulkImportFailures
    > {}
}
