/** Exports of the relations of projects and groups, with the files they consist of (contract 14). */
import { type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** 0: is being exported. 1: finished. -1: failed (contract 14, ExportStatus). */
export type ExportState = -1 | 0 | 1

/** The export of a relation of a project (`project_id`) or group (`namespace_id`). */
export const relationExports = table(
  'relation_exports',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    relation: t.text(),
    status: t.integer<ExportState>(),
    error: t.text().nullable(),
    batched: t.boolean(),
    /** Lines of all files; 0 until it is finished. */
    objects_count: t.bigint(),
    /** Identifies the request for it. A job that serves a former request does nothing. */
    ticket: t.text(),
    /** Part of the keys of its files; each attempt has its own. Null before the first, and once the files are deleted. */
    run: t.text().nullable(),
    /** Who asked for it, while the account exists. */
    user_id: t.refers('users', 'set null').nullable(),
    created_at: t.time(),
    /** The last progress. */
    updated_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: ['project_id', 'relation'], namespace: ['namespace_id', 'relation'] },
    indexes: { run: ['run'], status: ['status', 'updated_at'], user: ['user_id'] },
  },
)
export type RelationExportsTable = TableOf<typeof relationExports>

/** The files of a run: number 0 of an unbatched export, else the batches, from 1. */
export const relationExportFiles = table(
  'relation_export_files',
  {
    export_id: t.refers('relation_exports', 'cascade'),
    number: t.integer(),
    status: t.integer<ExportState>(),
    error: t.text().nullable(),
    objects_count: t.bigint(),
    size_bytes: t.bigint(),
    sha256: t.text(),
    updated_at: t.time(),
  },
  {
    primaryKey: ['export_id', 'number'],
  },
)

/** The users to whom the lines of an export refer. */
export const relationExportUsers = table(
  'relation_export_users',
  {
    export_id: t.refers('relation_exports', 'cascade'),
    user_id: t.bigint(),
  },
  {
    primaryKey: ['export_id', 'user_id'],
  },
)

export type ExportRow = RowOf<typeof relationExports>
export type ExportFileRow = RowOf<typeof relationExportFiles>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof relationExports | typeof relationExportFiles | typeof relationExportUsers> {}
}
