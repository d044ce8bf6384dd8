import type { Generated, Selectable } from 'kysely'

/** The bytes behind pointers, by their SHA-256; stored once for all projects that have them. */
export type LfsObjectsTable = {
  id: Generated<number>
  /** SHA-256 of the content, 64 lower-case hex digits. */
  oid: string
  size_bytes: number
  /** Where the bytes lie. Never used again once the row has gone. */
  storage_key: string
  /** When it was first noticed that no project has it any more. */
  orphaned_at: Generated<string | null>
  created_at: string
}

/** Which project has which object: whoever reads the project may have the bytes. */
export type LfsObjectsProjectsTable = { project_id: number; object_id: number }

/** Files that one user keeps the others from changing. */
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
