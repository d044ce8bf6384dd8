import type { Generated, Selectable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'

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

export type EventsTable = {
  id: Generated<number>
  project_id: number | null
  author_id: number | null
  /** `pushed to`, `pushed new`, `deleted`, … */
  action: string
  target_type: string | null
  target_id: number | null
  target_iid: number | null
  target_title: string | null
  push_data: Json<PushData> | null
  created_at: string
}

/** Projects in which a user has done something: of each event the author and the project, also after the event is deleted. */
export type ContributionsTable = { user_id: number; project_id: number; project_created_at: string }

/** A changed ref, for jobs that follow a push. */
export type PushedRef = { ref: string; old: string; new: string }

export type PushesTable = {
  id: Generated<number>
  repository_id: number
  user_id: number | null
  deploy_key_id: number | null
  push_options: Json<string[]>
  changes: Json<PushedRef[]>
  created_at: string
}

export type EventRow = Selectable<EventsTable>
export type PushRow = Selectable<PushesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    contributions: ContributionsTable
    events: EventsTable
    pushes: PushesTable
  }
}
