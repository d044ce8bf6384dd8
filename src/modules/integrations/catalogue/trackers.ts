import { type Entry, references } from './entry.ts'
import { address, each, type Fields, flag, list, oneOf, secret, text } from './fields.ts'

const projectAndIssues: Fields = each(address, 'project_url', 'issues_url')
const withNewIssues: Fields = { ...projectAndIssues, new_issue_url: address }

/** Issue trackers outside, whose issues are linked in Markdown. */
export const trackers: Readonly<Record<string, Entry>> = {
  'custom-issue-tracker': references('Custom issue tracker', {
    required: withNewIssues,
    optional: each(text, 'title', 'description'),
  }),
  bugzilla: references('Bugzilla', { required: withNewIssues }),
  ewm: references('EWM', { required: withNewIssues }),
  redmine: references('Redmine', { required: withNewIssues }),
  youtrack: references('YouTrack', { required: projectAndIssues }),
  clickup: references('ClickUp', { required: projectAndIssues }),
  phorge: references('Phorge', { required: projectAndIssues }),
  jira: references('Jira issues', {
    required: { url: address, password: secret },
    optional: {
      username: text,
      api_url: address,
      active: flag,
      jira_auth_type: { ...oneOf(0, 1), default: 0 },
      ...each(text, 'jira_issue_prefix', 'jira_issue_regex'),
      jira_issue_transition_automatic: flag,
      jira_issue_transition_id: text,
      issues_enabled: flag,
      project_keys: list,
      project_key: text,
      vulnerabilities_enabled: flag,
      vulnerabilities_issuetype: text,
      customize_jira_issue_enabled: flag,
    },
    events: ['commit_events', 'merge_requests_events', 'comment_on_event_enabled'],
  }),
}
