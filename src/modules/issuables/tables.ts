/**
 * What issues, merge requests and epics have in common: labels, assignees, time tracking (contract 16, 17, 19), and the
 * records of their changes (contract 18). Rows name their issuable by its type and id, and its project or group, with which
 * they are deleted. Records keep their label when that is deleted, and are deleted with their milestone or iteration.
 */
import type { Selectable } from 'kysely'
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { IssuableType } from './issuable.ts'

/** The columns that refer to an issuable. */
const issuable = {
  issuable_type: t.oneOf('Issue', 'MergeRequest', 'Epic'),
  issuable_id: t.bigint(),
  project_id: t.refers('projects', 'cascade').nullable(),
  group_id: t.refers('namespaces', 'cascade').nullable(),
}
/** An issue or a merge request is in a project, an epic in a group. */
const isInOne = '(project_id is null) <> (group_id is null)'
const ofIssuable = { project: ['project_id'], group: partial('group_id') } as const

/** The columns of every record: the user who made the change, and when. */
const record = { id: t.id(), user_id: t.refers('users', 'cascade'), created_at: t.time(), ...issuable }
const ofRecords = { order: ['issuable_type', 'issuable_id', 'id'], user: ['user_id'], ...ofIssuable } as const

export const issuableLabels = table(
  'issuable_labels',
  {
    label_id: t.refers('labels', 'cascade'),
    ...issuable,
  },
  {
    checks: [isInOne],
    unique: ['issuable_type', 'issuable_id', 'label_id'],
    indexes: {
      label: ['label_id', 'project_id', 'issuable_type', 'issuable_id'],
      ...ofIssuable,
    },
  },
)

export const issuableAssignees = table(
  'issuable_assignees',
  {
    user_id: t.refers('users', 'cascade'),
    /** In the order of assignment, from 0. */
    position: t.integer(),
    ...issuable,
  },
  {
    checks: [isInOne],
    unique: ['issuable_type', 'issuable_id', 'user_id'],
    indexes: {
      ...ofIssuable,
      user: ['user_id', 'project_id', 'issuable_type', 'issuable_id'],
    },
  },
)

/** The seconds of time tracking; issuables without any have no row. */
export const issuableTimes = table(
  'issuable_times',
  {
    time_estimate: t.bigint().default(0).check('>= 0'),
    /** The sum of the logs since the last reset. */
    total_time_spent: t.bigint().default(0).check('>= 0'),
    ...issuable,
  },
  {
    checks: [isInOne],
    unique: ['issuable_type', 'issuable_id'],
    indexes: ofIssuable,
  },
)
export type IssuableTimesTable = TableOf<typeof issuableTimes>

export const timeLogs = table(
  'time_logs',
  {
    ...record,
    /** Seconds; negative when time was subtracted. */
    time_spent: t.bigint(),
    summary: t.text().nullable(),
  },
  {
    checks: [isInOne],
    indexes: {
      ...ofRecords,
    },
  },
)
export type TimeLogsTable = TableOf<typeof timeLogs>

/** Users who are mentioned in the description of an issuable, or in a note of it. */
export const userMentions = table(
  'user_mentions',
  {
    user_id: t.refers('users', 'cascade'),
    /** Null: in the description. */
    note_id: t.refers('notes', 'cascade').nullable(),
    ...issuable,
  },
  {
    checks: [isInOne],
    unique: {
      note: partial('note_id', 'user_id'),
      description: { on: ['issuable_type', 'issuable_id', 'user_id'], where: 'note_id is null' },
    },
    indexes: {
      order: ['issuable_type', 'issuable_id', 'user_id'],
      user: ['user_id'],
      ...ofIssuable,
    },
  },
)

/** Which issuable is mentioned by which other issuable, or by a commit; each pair once. */
export const crossReferences = table(
  'cross_references',
  {
    id: t.id(),
    source_type: t.text<IssuableType | 'Commit'>(),
    /** Null for a commit. */
    source_id: t.bigint().nullable(),
    /** The project of the source; null for an epic. */
    source_project_id: t.refers('projects', 'cascade').nullable(),
    source_commit: t.text().nullable(),
    /** The system note of the issuable that is mentioned. */
    note_id: t.refers('notes', 'set null').nullable(),
    created_at: t.time(),
    ...issuable,
  },
  {
    checks: [
      isInOne,
      "(source_id is null) = (source_type = 'Commit') and (source_commit is null) = (source_type <> 'Commit')",
    ],
    unique: {
      issuable: { on: ['issuable_type', 'issuable_id', 'source_type', 'source_id'], where: 'source_id is not null' },
      commit: {
        on: ['issuable_type', 'issuable_id', 'source_project_id', 'source_commit'],
        where: 'source_commit is not null',
      },
    },
    indexes: {
      source: { on: ['source_type', 'source_id', 'issuable_type', 'issuable_id'], where: 'source_id is not null' },
      source_project: ['source_project_id'],
      note: ['note_id'],
      ...ofIssuable,
    },
  },
)
export type CrossReferencesTable = TableOf<typeof crossReferences>

/** What a system note names, such as the issuable in "moved to …"; it may be gone. */
export const noteReferences = table(
  'note_references',
  {
    note_id: t.refers('notes', 'cascade').primaryKey(),
    target_type: t.oneOf('Issue', 'MergeRequest', 'Epic', 'Commit'),
    /** Null for a commit. */
    target_id: t.bigint().nullable(),
    /** The project of the target; null for an epic. */
    target_project_id: t.bigint().nullable(),
  },
  {
    checks: [
      "case when target_type = 'Commit' then target_id is null and target_project_id is not null else target_id is not null end",
    ],
  },
)
export type NoteReferencesTable = TableOf<typeof noteReferences>

export type ChangeAction = 'add' | 'remove'

export const resourceLabelEvents = table(
  'resource_label_events',
  {
    ...record,
    /** Null once the label is deleted. */
    label_id: t.refers('labels', 'set null').nullable(),
    action: t.oneOf<ChangeAction>('add', 'remove'),
  },
  {
    checks: [isInOne],
    indexes: {
      label: ['label_id'],
      ...ofRecords,
    },
  },
)

export const resourceMilestoneEvents = table(
  'resource_milestone_events',
  {
    ...record,
    milestone_id: t.refers('milestones', 'cascade'),
    action: t.oneOf<ChangeAction>('add', 'remove'),
  },
  {
    checks: [isInOne],
    indexes: {
      milestone: ['milestone_id'],
      ...ofRecords,
    },
  },
)

export const resourceWeightEvents = table(
  'resource_weight_events',
  {
    ...record,
    /** Null when the weight was removed. */
    weight: t.integer().nullable(),
  },
  {
    checks: [isInOne],
    indexes: {
      ...ofRecords,
    },
  },
)

export const resourceIterationEvents = table(
  'resource_iteration_events',
  {
    ...record,
    iteration_id: t.refers('iterations', 'cascade'),
    action: t.oneOf<ChangeAction>('add', 'remove'),
  },
  {
    checks: [isInOne],
    indexes: {
      iteration: ['iteration_id'],
      ...ofRecords,
    },
  },
)

export type RecordedState = 'closed' | 'reopened' | 'merged'
export const resourceStateEvents = table(
  'resource_state_events',
  {
    ...record,
    state: t.oneOf<RecordedState>('closed', 'reopened', 'merged'),
    /** The commit on the default branch that closed the issue. */
    source_commit: t.text().nullable(),
    /** The merge request that closed the issue. */
    source_merge_request_id: t.bigint().nullable(),
  },
  {
    checks: [isInOne],
    indexes: {
      source: partial('source_merge_request_id'),
      ...ofRecords,
    },
  },
)

/** The tables of the records of contract 18, by kind of change. */
export type EventTables = {
  resource_label_events: TableOf<typeof resourceLabelEvents>
  resource_milestone_events: TableOf<typeof resourceMilestoneEvents>
  resource_weight_events: TableOf<typeof resourceWeightEvents>
  resource_iteration_events: TableOf<typeof resourceIterationEvents>
  resource_state_events: TableOf<typeof resourceStateEvents>
}
export type EventTable = keyof EventTables
export type EventRow<Table extends EventTable> = RowOf<{ columns: typeof record }> & Selectable<EventTables[Table]>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      | typeof issuableLabels
      | typeof issuableAssignees
      | typeof issuableTimes
      | typeof timeLogs
      | typeof userMentions
      | typeof crossReferences
      | typeof noteReferences
      | typeof resourceLabelEvents
      | typeof resourceMilestoneEvents
      | typeof resourceWeightEvents
      | typeof resourceIterationEvents
      | typeof resourceStateEvents
    > {}
}
