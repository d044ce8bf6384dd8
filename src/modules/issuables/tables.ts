import type { Generated, Selectable } from 'kysely'
import type { IssuableColumns, IssuableType } from './issuable.ts'

export type IssuableLabelsTable = IssuableColumns & { label_id: number }

export type IssuableAssigneesTable = IssuableColumns & {
  user_id: number
  /** In the order of assignment, from 0. */
  position: number
}

/** The seconds of time tracking; issuables without any have no row. */
export type IssuableTimesTable = IssuableColumns & {
  time_estimate: Generated<number>
  /** The sum of the logs since the last reset. */
  total_time_spent: Generated<number>
}

/** The head of every record: who made the change, and when. */
type RecordColumns = IssuableColumns & { id: Generated<number>; user_id: number; created_at: string }

export type TimeLogsTable = RecordColumns & {
  /** Seconds; negative when time was subtracted. */
  time_spent: number
  summary: string | null
}

/** Users who are mentioned in the description of an issuable, or in a note of it. */
export type UserMentionsTable = IssuableColumns & {
  user_id: number
  /** Null: in the description. */
  note_id: number | null
}

/** Which issuable is mentioned by which other issuable, or by a commit; each pair once. */
export type CrossReferencesTable = IssuableColumns & {
  id: Generated<number>
  source_type: IssuableType | 'Commit'
  /** Null for a commit. */
  source_id: number | null
  /** The project of the source; null for an epic. */
  source_project_id: number | null
  source_commit: string | null
  /** The system note of the issuable that is mentioned. */
  note_id: number | null
  created_at: string
}

/** What a system note names, such as the issuable in "moved to …"; it may be gone. */
export type NoteReferencesTable = {
  note_id: number
  target_type: IssuableType | 'Commit'
  /** Null for a commit. */
  target_id: number | null
  /** The project of the target; null for an epic. */
  target_project_id: number | null
}

export type ChangeAction = 'add' | 'remove'

export type LabelEventsTable = RecordColumns & {
  /** Null once the label is deleted. */
  label_id: number | null
  action: ChangeAction
}
export type MilestoneEventsTable = RecordColumns & { milestone_id: number; action: ChangeAction }
export type WeightEventsTable = RecordColumns & {
  /** Null when the weight was removed. */
  weight: number | null
}
export type IterationEventsTable = RecordColumns & { iteration_id: number; action: ChangeAction }

export type RecordedState = 'closed' | 'reopened' | 'merged'
export type StateEventsTable = RecordColumns & {
  state: RecordedState
  /** The commit on the default branch that closed the issue. */
  source_commit: string | null
  /** The merge request that closed the issue. */
  source_merge_request_id: number | null
}

/** The tables of the records of contract 18, by kind of change. */
export type EventTables = {
  resource_label_events: LabelEventsTable
  resource_milestone_events: MilestoneEventsTable
  resource_weight_events: WeightEventsTable
  resource_iteration_events: IterationEventsTable
  resource_state_events: StateEventsTable
}
export type EventTable = keyof EventTables
export type EventRow<Table extends EventTable> = Selectable<RecordColumns> & Selectable<EventTables[Table]>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    cross_references: CrossReferencesTable
    issuable_assignees: IssuableAssigneesTable
    issuable_labels: IssuableLabelsTable
    issuable_times: IssuableTimesTable
    note_references: NoteReferencesTable
    resource_iteration_events: IterationEventsTable
    resource_label_events: LabelEventsTable
    resource_milestone_events: MilestoneEventsTable
    resource_state_events: StateEventsTable
    resource_weight_events: WeightEventsTable
    time_logs: TimeLogsTable
    user_mentions: UserMentionsTable
  }
}
