import type { Generated, Selectable } from 'kysely'

/** Objects by SHA-256, stored once for all projects. */
export type LfsObjectsTable = {
  id: Generated<number>
  /** SHA-256 of the content, 64 lower-case hex digits. */
  oid: string
  size_bytes: number
  /** Never reused after the row is deleted. */
  storage_key: string
  /** When the object was first found without a project. */
  orphaned_at: Generated<string | null>
  created_at: string
}

/** Links of projects to objects. Readers of the project may download its objects. */
type LfsObjectsProjectsTable = { project_id: number; object_id: number }

/** Files locked by a user. */
export type LfsFileLocksTable = {
  id: Generated<number>
  project_id: number
  user_id: number
  path: string
  /** SHA-256 of the path. */
  path_digest: string
  created_at: string
}

export type LfsObjectRow = Selectable<LfsObjectsTable>
export type LfsFileLockRow = Selectable<LfsFileLocksTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    lfs_objects: LfsObjectsTable
    lfs_objects_projects: LfsObjectsProjectsTable
    lfs_file_locks: LfsFileLocksTable
  }
}
