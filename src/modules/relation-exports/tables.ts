import type { Generated, Selectable } from 'kysely'

/** 0: is being exported. 1: finished. -1: failed (contract 14, ExportStatus). */
export type ExportState = -1 | 0 | 1

/** The export of a relation of a project (`project_id`) or group (`namespace_id`). */
export type RelationExportsTable = {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  relation: string
  status: ExportState
  error: string | null
  batched: boolean
  /** Lines of all files; 0 until it is finished. */
  objects_count: number
  /** Identifies the request for it. A job that serves a former request does nothing. */
  ticket: string
  /** Part of the keys of its files; each attempt has its own. Null before the first, and once the files are deleted. */
  run: string | null
  /** Who asked for it, while the account exists. */
  user_id: number | null
  created_at: string
  /** The last progress. */
  updated_at: string
}

/** The files of a run: number 0 of an unbatched export, else the batches, from 1. */
export type RelationExportFilesTable = {
  export_id: number
  number: number
  status: ExportState
  error: string | null
  objects_count: number
  size_bytes: number
  sha256: string
  updated_at: string
}

/** The users to whom the lines of an export refer. */
export type RelationExportUsersTable = { export_id: number; user_id: number }

export type ExportRow = Selectable<RelationExportsTable>
export type ExportFileRow = Selectable<RelationExportFilesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    relation_exports: RelationExportsTable
    relation_export_files: RelationExportFilesTable
    relation_export_users: RelationExportUsersTable
  }
}
