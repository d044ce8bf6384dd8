import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** What became of a car: the first three are on their train, the others have left it at its end (contract 26.3). */
export const carStatuses = ['idle', 'fresh', 'stale', 'merging', 'merged', 'skip_merged'] as const

/**
 * Cars of merge trains: merge requests that are merged one after another, each tested together with those before it (contract 26.3).
 * The cars of a target branch that are not merged are its train, by id. A car that leaves it unmerged is deleted. What a car was asked
 * for is the `auto_merge` of its merge request.
 */
export const trainCars = table(
  'merge_train_cars',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    merge_request_id: t.refers('merge_requests', 'cascade'),
    /** Who added it: it is tested and merged with their rights. */
    user_id: t.refers('users', 'cascade'),
    target_branch: t.name(),
    status: t.oneOf(...carStatuses).default('idle'),
    /** What it is merged into for the test: the head of the target branch, or the commit of the car before. */
    base_sha: t.text().nullable(),
    /** The head of the target branch when it is merged; null until it is written. */
    commit_sha: t.text().nullable(),
    merge_commit_sha: t.text().nullable(),
    squash_commit_sha: t.text().nullable(),
    /** When its commit was written. */
    built_at: t.time().nullable(),
    pipeline_id: t.refers('pipelines', 'set null').nullable(),
    /** Whether the configuration has a job for it. */
    has_jobs: t.boolean().default(true),
    merged_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { merge_request: ['merge_request_id'] },
    indexes: {
      train: {
        on: ['project_id', 'target_branch', 'id'],
        where: "status in ('idle', 'fresh', 'stale', 'merging')",
      },
      order: ['project_id', 'id'],
      branch: ['project_id', 'target_branch', 'id'],
      user: ['user_id'],
      pipeline: partial('pipeline_id'),
      merged: partial('merged_at'),
    },
  },
)

export type CarRow = RowOf<typeof trainCars>

/** The cars of a target branch that are not merged. */
export type Train = Pick<CarRow, 'project_id' | 'target_branch'>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof trainCars> {}
}
