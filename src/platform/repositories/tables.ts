/**
 * Git repositories of projects and groups (design §5): their location on disk, and their generation, which every ref
 * change increments. A row of `ref_intents` is written before refs move and removed in the transaction that increments
 * the generation, so that the next start can complete or undo what a killed process left unfinished.
 * `measured_generation` and `packed_generation` are the generations of the last size measurement and the last repack
 * (contract 22 R5, R8).
 */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** The purpose of a repository. */
export type RepositoryKind = 'project' | 'wiki' | 'snippet'

export const repositories = table(
  'repositories',
  {
    id: t.id(),
    /** The owner: a project, a group or a snippet. */
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    kind: t.text<RepositoryKind>(),
    storage: t.text(),
    disk_path: t.text(),
    /** Incremented by every change of a ref; 0 until the repository is on disk. */
    generation: t.bigint().default(1),
    /** The generation at which the sizes were measured. */
    measured_generation: t.bigint().default(0),
    /** The generation at which it was last packed. */
    packed_generation: t.bigint().default(0),
    object_format: t.text<'sha1' | 'sha256'>().default('sha1'),
    read_only: t.boolean().default(false),
    size_bytes: t.bigint().default(0),
    commit_count: t.bigint().default(0),
    created_at: t.time(),
    snippet_id: t.refers('snippets', 'cascade').nullable(),
  },
  {
    unique: {
      project: ['project_id', 'kind'],
      namespace: ['namespace_id', 'kind'],
      location: ['storage', 'disk_path'],
      snippet: ['snippet_id'],
    },
    indexes: {
      storage: ['storage', 'kind', 'id'],
      to_pack: { on: ['id'], where: 'packed_generation < generation' },
      snippets: { on: ['storage', 'snippet_id'], where: 'snippet_id is not null' },
    },
  },
)

/** A change of a ref as stored in an intent. */
export type RecordedChange = { ref: string; old: string; new: string }

export const refIntents = table(
  'ref_intents',
  {
    id: t.id(),
    repository_id: t.refers('repositories', 'cascade'),
    user_id: t.bigint().nullable(),
    /** What of it was recorded, once it is settled. */
    updates: t.json<RecordedChange[]>(),
    created_at: t.time(),
    /** The name of the process that has begun it; null for one of an earlier release. */
    process: t.text().nullable(),
    /** Whether another process has recorded it. */
    settled: t.boolean().default(false),
  },
  {
    indexes: { repository: ['repository_id'] },
  },
)

/** Repositories whose rows are deleted and whose files are not yet. */
export const removedRepositories = table('removed_repositories', {
  id: t.id(),
  storage: t.text(),
  disk_path: t.text(),
  removed_at: t.time(),
})

export type RepositoryRow = RowOf<typeof repositories> & {
  /** Whether a change of its refs was under way when the row was read, where that was asked. */
  is_changing?: boolean | number
}
export type RefIntentRow = RowOf<typeof refIntents>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof repositories | typeof refIntents | typeof removedRepositories> {}
}
