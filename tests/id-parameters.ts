/** What the ids in the parameters of operations are of, for `ids-of-private-neighbours.test.ts`. */

/** What an id in a parameter is of, among the objects of the neighbour. */
export type Kind =
  | 'project'
  | 'group'
  | 'issue'
  | 'epic'
  | 'epicIssue'
  | 'milestone'
  | 'iteration'
  | 'cadence'
  | 'label'
  | 'pipeline'
  | 'runner'
  | 'deployKey'
  | 'memberRole'
  | 'commit'
  | 'mergeRequest'
  | 'path'

/** Parameters that name something of one kind, whatever the operation, or of a kind for each operation. */
export const kinds: Readonly<Record<string, Kind | Readonly<Record<string, Kind>>>> = {
  blocking_merge_request_id: 'mergeRequest',
  blocking_project_id: 'project',
  deploy_key_id: 'deployKey',
  epic_id: 'epic',
  file_template_project_id: 'project',
  from_project_id: 'project',
  group_id: 'group',
  group_ids: 'group',
  groups: 'group',
  issue_id: 'issue',
  iteration_cadence_id: 'cadence',
  iteration_id: 'iteration',
  label_id: 'label',
  last_commit_id: 'commit',
  member_role_id: 'memberRole',
  milestone_id: 'milestone',
  milestone_ids: 'milestone',
  move_after_id: { 'epic_children.move': 'epic', 'epic_issues.move': 'epicIssue', 'issues.reorder': 'issue' },
  move_before_id: { 'epic_children.move': 'epic', 'epic_issues.move': 'epicIssue', 'issues.reorder': 'issue' },
  namespace: 'group',
  namespace_id: 'group',
  namespace_path: 'path',
  parent_id: {
    ...{ 'namespaces.exists': 'group', 'groups.create': 'group', 'group_import.create': 'group' },
    ...{ 'epics.create': 'epic', 'epics.update': 'epic', 'epics.list': 'epic' },
  },
  pipeline_id: 'pipeline',
  project_id: 'project',
  runner_id: 'runner',
  skip_groups: 'group',
  source_project_id: 'project',
  start_project: 'project',
  target_group_id: 'group',
  target_project_id: 'project',
  template_project_id: 'project',
  to_project_id: 'project',
}

/** Parameters that look like ids and name nothing that can be private. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  'users, whom every signed-in user can see': [
    ...['approved_by_ids', 'approver_ids', 'assignee_id', 'assignee_ids', 'author_id', 'merge_user_id'],
    ...['mirror_user_id', 'reviewer_id', 'reviewer_ids', 'user_id', 'user_ids'],
  ],
  'a credential, without which the operation tells nothing': ['instance_id'],
  'accepted and ignored': ['source_template_project_id'],
  'texts that are stored and shown, and never looked up': ['commit_id'],
  'numbers below the subject of the request': [
    ...['epic_iid', 'iid', 'iids', 'merge_request_iid', 'target_epic_iid', 'target_issue_iid', 'job_id'],
    ...['approval_project_rule_id', 'protected_branch_ids', 'version_id', 'user_list_id', 'external_status_check_id'],
    'in_reply_to_discussion_id',
    'blocking_merge_request_iid',
  ],
  'suggestions, of which others than those who may push learn no more than from a single one': ['ids'],
  'of the whole instance': [
    ...['organization_id', 'source_topic_id', 'target_topic_id', 'topic_id', 'theme_id'],
    ...['color_scheme_id', 'client_id', 'system_id'],
  ],
  'of other programs': [
    ...['jira_issue_transition_id', 'google_iap_audience_client_id', 'app_store_issuer_id', 'app_store_key_id'],
    ...['artifact_registry_project_id', 'workload_identity_federation_project_id', 'workload_identity_pool_id'],
    ...['workload_identity_pool_provider_id', 'access_key_id'],
  ],
  'nothing: settings without effect': [
    ...['eks_account_id', 'eks_access_key_id', 'slack_app_id', 'snowplow_app_id', 'performance_bar_allowed_group_id'],
    ...['elasticsearch_namespace_ids', 'elasticsearch_project_ids'],
  ],
  'nothing: there are no agents': ['cluster_agent_id'],
  'for administrators and other instances alone': ['after_id', 'entity_id', 'selective_sync_namespace_ids'],
}
export const namesNothing = new Set(Object.values(harmless).flat())

/** Parameters with ids whose names do not end like it. */
const withoutEnding = ['groups', 'namespace', 'namespace_path', 'start_project', 'skip_groups']
export const looksLikeId = (name: string) => /(^|_)i?ids?$/.test(name) || withoutEnding.includes(name)

/** What an operation needs besides, where the values for their schemas do not lead to the look-up. */
export const given: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'commits.create': {
    ...{ branch: 'started', start_branch: 'main', commit_message: 'x' },
    actions: [{ action: 'create', file_path: 'started', content: 'x' }],
  },
  'commits.set_status': { state: 'success' },
  'epic_children.create': { title: 'x' },
  'epic_links.create': { target_epic_iid: 1 },
  'files.delete': { branch: 'topic', commit_message: 'x' },
  'files.update': { branch: 'topic', commit_message: 'x', content: 'x' },
  'group_labels.update_named': { description: 'x' },
  'issue_links.create': { target_issue_iid: 1 },
  'issues.list': { scope: 'all' },
  'iterations.create': { start_date: '2031-01-01', due_date: '2031-01-07' },
  'merge_requests.create': { target_branch: 'main' },
  'project_labels.update_named': { description: 'x' },
  'releases.create': { ref: 'main' },
}

/** Where the contract tells the caller that something exists: the refusal for an id of the neighbour, by operation and parameter. */
export const stated: Readonly<Record<string, string>> = {
  // Contract 26.5.
  'merge_request_blocks.create blocking_merge_request_id':
    '403 {"message":"Lacking permissions to the blocking merge request"}',
  // Contract 04, runners: others get 403 also for reading one.
  'project_runners.assign runner_id': '403 {"message":"403 Forbidden - No access granted"}',
}
