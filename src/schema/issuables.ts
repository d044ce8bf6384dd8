import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * What issues, merge requests and epics have in common: labels, assignees, time tracking (contract 16, 17, 19), and the
 * records of their changes (contract 18). Rows name their issuable by its type and id, and its project or group, with which
 * they are deleted. Records keep their label when that is deleted, and are deleted with their milestone or iteration.
 */
export function up({ id }: Dialect) {
  const issuable = sql`
      issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
      issuable_id bigint not null,
      project_id bigint references projects (id) on delete cascade,
      group_id bigint references namespaces (id) on delete cascade,
      check ((project_id is null) <> (group_id is null))`
  const record = sql`
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      created_at timestamptz not null`
  const action = sql`action text not null check (action in ('add', 'remove'))`
  const byParent = (table: string) => [
    sql.raw(`create index ${table}_project on ${table} (project_id)`),
    sql.raw(`create index ${table}_group on ${table} (group_id) where group_id is not null`),
  ]
  const recordIndexes = (table: string) => [
    sql.raw(`create index ${table}_order on ${table} (issuable_type, issuable_id, id)`),
    sql.raw(`create index ${table}_user on ${table} (user_id)`),
    ...byParent(table),
  ]
  return [
    sql`create table issuable_labels (
      label_id bigint not null references labels (id) on delete cascade,
      ${issuable}
    )`,
    sql`create unique index issuable_labels_unique on issuable_labels (issuable_type, issuable_id, label_id)`,
    sql`create index issuable_labels_label on issuable_labels (label_id, project_id, issuable_type, issuable_id)`,
    ...byParent('issuable_labels'),
    sql`create table issuable_assignees (
      user_id bigint not null references users (id) on delete cascade,
      position integer not null,
      ${issuable}
    )`,
    sql`create unique index issuable_assignees_unique on issuable_assignees (issuable_type, issuable_id, user_id)`,
    sql`create index issuable_assignees_user on issuable_assignees (user_id, issuable_type, issuable_id)`,
    ...byParent('issuable_assignees'),
    sql`create table issuable_times (
      time_estimate bigint not null default 0 check (time_estimate >= 0),
      total_time_spent bigint not null default 0 check (total_time_spent >= 0),
      ${issuable}
    )`,
    sql`create unique index issuable_times_unique on issuable_times (issuable_type, issuable_id)`,
    ...byParent('issuable_times'),
    sql`create table time_logs (
      ${record},
      time_spent bigint not null,
      summary text,
      ${issuable}
    )`,
    ...recordIndexes('time_logs'),
    sql`create table user_mentions (
      user_id bigint not null references users (id) on delete cascade,
      note_id bigint references notes (id) on delete cascade,
      ${issuable}
    )`,
    sql`create unique index user_mentions_note_unique on user_mentions (note_id, user_id) where note_id is not null`,
    sql`create unique index user_mentions_description_unique on user_mentions (issuable_type, issuable_id, user_id)
      where note_id is null`,
    sql`create index user_mentions_order on user_mentions (issuable_type, issuable_id, user_id)`,
    sql`create index user_mentions_user on user_mentions (user_id)`,
    ...byParent('user_mentions'),
    sql`create table cross_references (
      id ${id},
      source_type text not null,
      source_id bigint,
      source_project_id bigint references projects (id) on delete cascade,
      source_commit text,
      note_id bigint references notes (id) on delete set null,
      created_at timestamptz not null,
      ${issuable},
      check ((source_id is null) = (source_type = 'Commit') and (source_commit is null) = (source_type <> 'Commit'))
    )`,
    sql`create unique index cross_references_issuable_unique
      on cross_references (issuable_type, issuable_id, source_type, source_id) where source_id is not null`,
    sql`create unique index cross_references_commit_unique
      on cross_references (issuable_type, issuable_id, source_project_id, source_commit) where source_commit is not null`,
    sql`create index cross_references_source on cross_references (source_type, source_id, issuable_type, issuable_id)
      where source_id is not null`,
    sql`create index cross_references_source_project on cross_references (source_project_id)`,
    sql`create index cross_references_note on cross_references (note_id)`,
    ...byParent('cross_references'),
    sql`create table resource_label_events (
      ${record},
      label_id bigint references labels (id) on delete set null,
      ${action},
      ${issuable}
    )`,
    sql`create index resource_label_events_label on resource_label_events (label_id)`,
    ...recordIndexes('resource_label_events'),
    sql`create table resource_milestone_events (
      ${record},
      milestone_id bigint not null references milestones (id) on delete cascade,
      ${action},
      ${issuable}
    )`,
    sql`create index resource_milestone_events_milestone on resource_milestone_events (milestone_id)`,
    ...recordIndexes('resource_milestone_events'),
    sql`create table resource_weight_events (
      ${record},
      weight integer,
      ${issuable}
    )`,
    ...recordIndexes('resource_weight_events'),
    sql`create table resource_iteration_events (
      ${record},
      iteration_id bigint not null references iterations (id) on delete cascade,
      ${action},
      ${issuable}
    )`,
    sql`create index resource_iteration_events_iteration on resource_iteration_events (iteration_id)`,
    ...recordIndexes('resource_iteration_events'),
    sql`create table resource_state_events (
      ${record},
      state text not null check (state in ('closed', 'reopened', 'merged')),
      source_commit text,
      source_merge_request_id bigint,
      ${issuable}
    )`,
    sql`create index resource_state_events_source on resource_state_events (source_merge_request_id)
      where source_merge_request_id is not null`,
    ...recordIndexes('resource_state_events'),
  ]
}
