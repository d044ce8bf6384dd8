import type { EventColumn } from './tables.ts'

/** A kind of event that calls hooks. */
export type Trigger = {
  /** The column of hooks of projects and groups that asks for it; null: only hooks of the instance are called. */
  column: EventColumn | null
  /** The same for hooks of the instance; `always`: each of them; null: none. */
  system: EventColumn | 'always' | null
  /** The header `X-Gitlab-Event` (contract 21 R7). Hooks of the instance get `System Hook`. */
  header: string
  /** The name in the log of deliveries. */
  logged: string
}

const only = (column: EventColumn, header: string, logged: string): Trigger => {
  return { column, system: null, header, logged }
}

/** The kinds of events (contract 21 R7). */
export const triggers = {
  push: { ...only('push_events', 'Push Hook', 'push_hooks'), system: 'push_events' },
  tag_push: { ...only('tag_push_events', 'Tag Push Hook', 'tag_push_hooks'), system: 'tag_push_events' },
  merge_request: {
    ...only('merge_requests_events', 'Merge Request Hook', 'merge_request_hooks'),
    system: 'merge_requests_events',
  },
  repository_update: {
    column: null,
    system: 'repository_update_events',
    header: 'System Hook',
    logged: 'repository_update_hooks',
  },
  issue: only('issues_events', 'Issue Hook', 'issue_hooks'),
  confidential_issue: only('confidential_issues_events', 'Confidential Issue Hook', 'confidential_issue_hooks'),
  note: only('note_events', 'Note Hook', 'note_hooks'),
  confidential_note: only('confidential_note_events', 'Confidential Note Hook', 'confidential_note_hooks'),
  pipeline: only('pipeline_events', 'Pipeline Hook', 'pipeline_hooks'),
  job: only('job_events', 'Job Hook', 'job_hooks'),
  deployment: only('deployment_events', 'Deployment Hook', 'deployment_hooks'),
  // No hook asks for it: only receivers that are no hooks do.
  alert: { column: null, system: null, header: 'Alert Hook', logged: 'alert_hooks' },
  wiki_page: only('wiki_page_events', 'Wiki Page Hook', 'wiki_page_hooks'),
  feature_flag: only('feature_flag_events', 'Feature Flag Hook', 'feature_flag_hooks'),
  release: only('releases_events', 'Release Hook', 'release_hooks'),
  milestone: only('milestone_events', 'Milestone Hook', 'milestone_hooks'),
  emoji: only('emoji_events', 'Emoji Hook', 'emoji_hooks'),
  resource_access_token: only(
    'resource_access_token_events',
    'Resource Access Token Hook',
    'resource_access_token_hooks',
  ),
  member: { ...only('member_events', 'Member Hook', 'member_hooks'), system: 'always' },
  subgroup: { ...only('subgroup_events', 'Subgroup Hook', 'subgroup_hooks'), system: 'always' },
  project: { ...only('project_events', 'Project Hook', 'project_hooks'), system: 'always' },
  system: { column: null, system: 'always', header: 'System Hook', logged: 'system_hooks' },
} as const satisfies Record<string, Trigger>

export type TriggerName = keyof typeof triggers

export const systemHeader = 'System Hook'

/** The header `X-Gitlab-Event` of an event. */
export const headerOfEvent = (name: TriggerName): string => triggers[name].header
