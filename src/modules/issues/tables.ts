/**
 * Issues (contract 16) and the links between them. Lists of one project, of groups and of the instance are read in their order
 * without sorting. Attributes that few issues have are in partial indexes.
 */
import {
  type NewRowOf,
  partial,
  type RowOf,
  type TableOf,
  type TablesOf,
  t,
  table,
} from '../../infra/database/index.ts'
import type { ImportSource } from '../../platform/index.ts'

export const issueTypes = ['issue', 'incident', 'test_case', 'task'] as const

export const severities = ['unknown', 'low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]

export const healthStatuses = ['on_track', 'needs_attention', 'at_risk'] as const
export type HealthStatus = (typeof healthStatuses)[number]

export const issues = table(
  'issues',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    iid: t.bigint(),
    state: t.oneOf('opened', 'closed').default('opened'),
    confidential: t.boolean().default(false),
    issue_type: t.oneOf(...issueTypes).default('issue'),
    /** Only incidents have another than `unknown`. */
    severity: t.text<Severity>().default('unknown'),
    author_id: t.refers('users', 'cascade'),
    created_at: t.time(),
    updated_at: t.time(),
    closed_at: t.time().nullable(),
    closed_by_id: t.refers('users', 'set null').nullable(),
    due_date: t.date().nullable(),
    weight: t.bigint().nullable().check('>= 0'),
    health_status: t.text<HealthStatus>().nullable(),
    milestone_id: t.bigint().nullable(),
    iteration_id: t.bigint().nullable(),
    /** Set when it was moved by hand; else its place follows from its id. */
    relative_position: t.float().nullable(),
    discussion_locked: t.boolean().default(false),
    moved_to_id: t.refers('issues', 'set null').nullable(),
    duplicated_to_id: t.refers('issues', 'set null').nullable(),
    title: t.name(),
    description: t.text().nullable(),
    /** Where it was imported from. */
    imported_from: t.text<ImportSource>().default('none'),
  },
  {
    unique: { iid: { on: ['project_id', 'iid'], isPreferred: true } },
    indexes: {
      project_created: ['project_id', 'created_at', 'id'],
      project_updated: ['project_id', 'updated_at', 'id'],
      project_title: ['project_id', 'lower(title)', 'id'],
      title: ['lower(title)', 'id'],
      created: ['created_at', 'id'],
      updated: ['updated_at', 'id'],
      project_position: ['project_id', '(coalesce(relative_position, id * 1024.0))', 'id'],
      position: ['(coalesce(relative_position, id * 1024.0))', 'id'],
      state: ['project_id', 'state', 'confidential'],
      author: ['author_id', 'project_id'],
      closed_by: partial('closed_by_id'),
      moved_to: partial('moved_to_id'),
      duplicated_to: partial('duplicated_to_id'),
      milestone: partial('milestone_id', 'id'),
      iteration: partial('iteration_id'),
      confidential: { on: ['project_id', 'confidential'], where: 'confidential = true' },
      type: { on: ['project_id', 'issue_type'], where: "issue_type <> 'issue'" },
      due_date: { on: ['project_id', 'due_date', 'id'], where: 'due_date is not null' },
      weight: { on: ['project_id', 'weight', 'id'], where: 'weight is not null' },
      health_status: { on: ['project_id', 'health_status', 'id'], where: 'health_status is not null' },
      all_due_date: partial('due_date', 'id'),
      // Many have the same weight, among which the newest is the first in both directions.
      all_weight: partial('weight', 'id'),
      all_weight_ascending: partial('weight', 'id desc'),
      project_id: [
        'project_id',
        'id',
        'author_id',
        'confidential',
        'iteration_id',
        'weight',
        'due_date',
        'health_status',
      ],
      project_milestone: ['project_id', 'milestone_id', 'id'],
      project_iteration: { on: ['project_id', 'iteration_id', 'id'], where: 'iteration_id is not null' },
    },
    search: ['title', 'description'],
  },
)
export type IssuesTable = TableOf<typeof issues>
export type IssueRow = RowOf<typeof issues>
export type NewIssueRow = NewRowOf<typeof issues>

/** `relates_to` has no direction; of `blocks`, the source blocks the target. */
export const issueLinks = table(
  'issue_links',
  {
    id: t.id(),
    source_id: t.refers('issues', 'cascade'),
    target_id: t.refers('issues', 'cascade'),
    link_type: t.oneOf('relates_to', 'blocks'),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['source_id <> target_id'],
    unique: {
      pair: [
        '(case when source_id < target_id then source_id else target_id end)',
        '(case when source_id < target_id then target_id else source_id end)',
      ],
    },
    indexes: { source: ['source_id', 'id'], target: ['target_id', 'id'] },
  },
)
export type IssueLinkRow = RowOf<typeof issueLinks>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof issues | typeof issueLinks> {}
}
