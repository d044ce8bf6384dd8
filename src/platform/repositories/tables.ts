import type { Generated, Selectable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'

/** The purpose of a repository. */
export type RepositoryKind = 'project' | 'wiki' | 'snippet'

export type RepositoriesTable = {
  id: Generated<number>
  /** The owner: a project, a group or a snippet. */
  project_id: number | null
  namespace_id: number | null
  snippet_id: Generated<number | null>
  kind: RepositoryKind
  storage: string
  disk_path: string
  /** Incremented by every change of a ref; 0 until the repository is on disk. */
  generation: Generated<number>
  object_format: Generated<'sha1' | 'sha256'>
  read_only: Generated<boolean>
  size_bytes: Generated<number>
  commit_count: Generated<number>
  /** The generation at which the sizes were measured. */
  measured_generation: Generated<number>
  /** The generation at which it was last packed. */
  packed_generation: Generated<number>
  created_at: string
}

/** A change of a ref as stored in an intent. */
export type RecordedChange = { ref: string; old: string; new: string }

export type RefIntentsTable = {
  id: Generated<number>
  repository_id: number
  user_id: number | null
  /** What of it was recorded, once it is settled. */
  updates: Json<RecordedChange[]>
  created_at: string
  /** The name of the process that has begun it; null for one of an earlier release. */
  process: Generated<string | null>
  /** Whether another process has recorded it. */
  settled: Generated<boolean>
}

/** Repositories whose rows are deleted and whose files are not yet. */
type RemovedRepositoriesTable = { id: Generated<number>; storage: string; disk_path: string; removed_at: string }

export type RepositoryRow = Selectable<RepositoriesTable> & {
  /** Whether a change of its refs was under way when the row was read, where that was asked. */
  is_changing?: boolean | number
}
export type RefIntentRow = Selectable<RefIntentsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    repositories: RepositoriesTable
    ref_intents: RefIntentsTable
    removed_repositories: RemovedRepositoriesTable
  }
}
