/** Archives of whole projects and groups, and what is imported from them or from another server (contract 25, Archives). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { ImportSource } from '../../platform/index.ts'

/** The archive of a project (`project_id`) or group (`namespace_id`), and the request for a new one. Without a row there is neither. */
export const transferExports = table(
  'transfer_exports',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    /** Who asked for it, while the account exists. */
    user_id: t.refers('users', 'set null').nullable(),
    /** Identifies the request that is being carried out; null when there is none. */
    ticket: t.text().nullable(),
    /** Whether its job has begun. */
    is_started: t.boolean().default(false),
    /** Replaces the description in the archive. */
    description: t.text().nullable(),
    /** Where the archive is sent instead of being stored: an address and a method, sealed. */
    upload: t.text().nullable(),
    /** The random part of the key of the stored archive; null when there is none. */
    secret: t.text().nullable(),
    file_name: t.text().nullable(),
    size_bytes: t.bigint().nullable(),
    sha256: t.text().nullable(),
    /** When the stored archive was finished. */
    finished_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: partial('project_id'), namespace: partial('namespace_id'), secret: partial('secret') },
    indexes: { user: ['user_id'], finished: partial('finished_at', 'id') },
  },
)

/** The states of an import (contract 25, States). */
export const importStates = ['scheduled', 'started', 'finished', 'failed'] as const

/** What is, or was, imported into a project (`project_id`) or group (`namespace_id`). */
export const transferImports = table(
  'transfer_imports',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    /** Who imports, while the account exists. */
    user_id: t.refers('users', 'set null').nullable(),
    source: t.text<Exclude<ImportSource, 'none'>>(),
    state: t.oneOf(...importStates).default('scheduled'),
    /** Why it failed, as users see it. */
    error: t.text().nullable(),
    /** That of the request. */
    correlation_id: t.text(),
    /** The random part of the key of the archive, until the import ends; null when it is not from an archive. */
    secret: t.text().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: partial('project_id'), namespace: partial('namespace_id'), secret: partial('secret') },
    indexes: { user: ['user_id'] },
  },
)

/** How far the relations of an import are. */
export const transferProgress = table(
  'transfer_progress',
  {
    import_id: t.refers('transfer_imports', 'cascade'),
    /** Which of several projects or groups of one import; empty for the only one. */
    part: t.text(),
    relation: t.text(),
    /** Lines or files that were imported or refused. */
    done: t.bigint(),
    is_finished: t.boolean().default(false),
  },
  { primaryKey: ['import_id', 'part', 'relation'] },
)

/** Lines and files that could not be imported (contract 25, ImportStatus). */
export const transferFailures = table(
  'transfer_failures',
  {
    id: t.id(),
    import_id: t.refers('transfer_imports', 'cascade'),
    created_at: t.time(),
    exception_class: t.text(),
    exception_message: t.text(),
    relation_name: t.text(),
    line_number: t.bigint(),
  },
  { indexes: { import: ['import_id', 'id'] } },
)

export type TransferExportRow = RowOf<typeof transferExports>
export type TransferImportRow = RowOf<typeof transferImports>
export type TransferFailureRow = RowOf<typeof transferFailures>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      typeof transferExports | typeof transferImports | typeof transferProgress | typeof transferFailures
    > {}
}
