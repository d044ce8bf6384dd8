/**
 * Events of users (contract 21, Event), and pushes in full for the jobs that process them (contract 22 R5). A push and its
 * event are written in the transaction that increments the generation of the repository.
 */
import { type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** Push data of an event (contract 21, Event). */
export type PushData = {
  commit_count: number
  action: 'created' | 'removed' | 'pushed'
  ref_type: 'branch' | 'tag'
  commit_from: string | null
  commit_to: string | null
  /** Short name; null when one event stands for many refs. */
  ref: string | null
  commit_title: string | null
  /** Number of changed refs, when one event stands for all of them. */
  ref_count: number | null
}

export const events = table(
  'events',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    author_id: t.refers('users', 'cascade').nullable(),
    /** `pushed to`, `pushed new`, `deleted`, … */
    action: t.text(),
    target_type: t.text().nullable(),
    target_id: t.bigint().nullable(),
    target_iid: t.bigint().nullable(),
    target_title: t.text().nullable(),
    push_data: t.json<PushData>().nullable(),
    created_at: t.time(),
  },
  {
    indexes: {
      project: ['project_id', 'id'],
      author: ['author_id', 'id'],
      author_project: ['author_id', 'project_id'],
      target: { on: ['target_type', 'target_id', 'id'], where: 'target_id is not null' },
      project_created: ['project_id', 'created_at', 'id', 'target_type', 'target_id'],
      author_created: ['author_id', 'created_at', 'id', 'project_id'],
      project_action: ['project_id', 'action', 'id', 'target_type', 'target_id'],
      project_target: ['project_id', 'target_type', 'id', 'target_id'],
      author_action: ['author_id', 'action', 'id', 'project_id'],
      author_target: ['author_id', 'target_type', 'id', 'project_id'],
    },
  },
)
export type EventsTable = TableOf<typeof events>

/** Projects in which a user has done something: of each event the author and the project, also after the event is deleted. */
export const contributions = table(
  'contributions',
  {
    user_id: t.refers('users', 'cascade'),
    project_id: t.refers('projects', 'cascade'),
  },
  {
    primaryKey: ['user_id', 'project_id'],
    indexes: { project: ['project_id'] },
  },
)

/** A changed ref, for jobs that follow a push. */
export type PushedRef = { ref: string; old: string; new: string }

export const pushes = table(
  'pushes',
  {
    id: t.id(),
    repository_id: t.refers('repositories', 'cascade'),
    user_id: t.bigint().nullable(),
    deploy_key_id: t.bigint().nullable(),
    push_options: t.json<string[]>(),
    changes: t.json<PushedRef[]>(),
    created_at: t.time(),
  },
  {
    indexes: { repository: ['repository_id'], created: ['created_at'] },
  },
)
export type PushesTable = TableOf<typeof pushes>

export type EventRow = RowOf<typeof events>
export type PushRow = RowOf<typeof pushes>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof events | typeof contributions | typeof pushes> {}
}
