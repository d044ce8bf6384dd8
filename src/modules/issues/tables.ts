import type { Generated, Insertable, Selectable } from 'kysely'

export const issueTypes = ['issue', 'incident', 'test_case', 'task'] as const
export type IssueType = (typeof issueTypes)[number]

export const severities = ['unknown', 'low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]

export const healthStatuses = ['on_track', 'needs_attention', 'at_risk'] as const
export type HealthStatus = (typeof healthStatuses)[number]

export type IssuesTable = {
  id: Generated<number>
  project_id: number
  iid: number
  state: Generated<'opened' | 'closed'>
  confidential: Generated<boolean>
  issue_type: Generated<IssueType>
  /** Only incidents have another than `unknown`. */
  severity: Generated<Severity>
  author_id: number
  created_at: string
  updated_at: string
  closed_at: string | null
  closed_by_id: number | null
  due_date: string | null
  weight: number | null
  health_status: HealthStatus | null
  milestone_id: number | null
  iteration_id: number | null
  /** Set when it was moved by hand; else its place follows from its id. */
  relative_position: number | null
  discussion_locked: Generated<boolean>
  moved_to_id: number | null
  duplicated_to_id: number | null
  title: string
  description: string | null
}
export type IssueRow = Selectable<IssuesTable>
export type NewIssueRow = Insertable<IssuesTable>

/** `relates_to` has no direction; of `blocks`, the source blocks the target. */
export type IssueLinksTable = {
  id: Generated<number>
  source_id: number
  target_id: number
  link_type: 'relates_to' | 'blocks'
  created_at: string
  updated_at: string
}
export type IssueLinkRow = Selectable<IssueLinksTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    issues: IssuesTable
    issue_links: IssueLinksTable
  }
}
