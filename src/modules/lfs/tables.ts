/**
 * Git LFS objects, the projects that use them, and file locks (contract 22, "LFS"). An object is stored once for all
 * projects and cannot be deleted while a project uses it. A path may exceed the size limit of an index entry, so the unique
 * index is over its digest.
 */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** Objects by SHA-256, stored once for all projects. */
export const lfsObjects = table(
  'lfs_objects',
  {
    id: t.id(),
    /** SHA-256 of the content, 64 lower-case hex digits. */
    oid: t.text(),
    size_bytes: t.bigint(),
    /** Never reused after the row is deleted. */
    storage_key: t.text(),
    /** When the object was first found without a project. */
    orphaned_at: t.time().nullable(),
    created_at: t.time(),
  },
  {
    unique: { oid: ['oid'], storage_key: ['storage_key'] },
    indexes: { orphaned: partial('orphaned_at', 'id') },
  },
)

/** Links of projects to objects. Readers of the project may download its objects. */
export const lfsObjectsProjects = table(
  'lfs_objects_projects',
  {
    project_id: t.refers('projects', 'cascade'),
    object_id: t.refers('lfs_objects', 'refuse'),
  },
  {
    primaryKey: ['project_id', 'object_id'],
    indexes: { object: ['object_id'] },
  },
)

/** Files locked by a user. */
export const lfsFileLocks = table(
  'lfs_file_locks',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    user_id: t.refers('users', 'cascade'),
    path: t.text(),
    /** SHA-256 of the path. */
    path_digest: t.text(),
    created_at: t.time(),
  },
  {
    unique: { path: ['project_id', 'path_digest'] },
    indexes: { order: ['project_id', 'id'], user: ['user_id'] },
  },
)

export type LfsObjectRow = RowOf<typeof lfsObjects>
export type LfsFileLockRow = RowOf<typeof lfsFileLocks>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof lfsObjects | typeof lfsObjectsProjects | typeof lfsFileLocks> {}
}
