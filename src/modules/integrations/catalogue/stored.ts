import { type Entry, elsewhere, stored } from './entry.ts'
import { address, each, flag, integer, privateKey, secret, serviceAccount, text } from './fields.ts'

const slashCommands = { required: { token: secret }, optional: { username: text } }
const push = ['push_events'] as const

/** Integrations whose settings are kept for clients. */
export const storedEntries: Readonly<Record<string, Entry>> = {
  'external-wiki': stored('External wiki', { required: { external_wiki_url: address } }),
  confluence: stored('Confluence Workspace', { required: { confluence_url: { ...address, below: 'atlassian.net' } } }),
  asana: stored('Asana', { required: { api_key: secret }, optional: { restrict_to_branch: text }, events: push }),
  assembla: stored('Assembla', { required: { token: secret }, optional: { subdomain: text }, events: push }),
  campfire: stored('Campfire', {
    required: { token: secret },
    optional: each(text, 'subdomain', 'room'),
    events: push,
  }),
  pivotaltracker: stored('Pivotal Tracker', {
    required: { token: secret },
    optional: { restrict_to_branch: text },
    events: push,
  }),
  irker: stored('irker (IRC gateway)', {
    required: { recipients: text },
    optional: {
      default_irc_uri: text,
      server_host: { ...text, default: 'localhost' },
      server_port: { ...integer, default: 6659 },
      colorize_messages: flag,
    },
    events: push,
  }),
  prometheus: stored('Prometheus', {
    required: { api_url: address },
    optional: {
      manual_configuration: flag,
      google_iap_audience_client_id: text,
      google_iap_service_account_json: serviceAccount,
    },
  }),
  harbor: stored('Harbor', {
    required: { url: address, project_name: text, username: text, password: secret },
  }),
  github: stored('GitHub', {
    required: { token: secret, repository_url: address },
    optional: { static_context: flag },
    events: ['pipeline_events'],
  }),
  'git-guardian': stored('GitGuardian', { required: { token: secret } }),
  'slack-slash-commands': stored('Slack slash commands', slashCommands),
  'mattermost-slash-commands': stored('Mattermost slash commands', slashCommands),
  'apple-app-store': stored('Apple App Store Connect', {
    required: {
      ...each(text, 'app_store_issuer_id', 'app_store_key_id', 'app_store_private_key_file_name'),
      app_store_private_key: privateKey,
    },
    optional: { app_store_protected_refs: flag },
  }),
  'google-play': stored('Google Play', {
    required: { ...each(text, 'package_name', 'service_account_key_file_name'), service_account_key: serviceAccount },
    optional: { google_play_protected_refs: flag },
  }),
  'google-cloud-platform-artifact-registry': stored('Google Artifact Management', {
    required: each(
      text,
      'artifact_registry_project_id',
      'artifact_registry_location',
      'artifact_registry_repositories',
    ),
  }),
  'google-cloud-platform-workload-identity-federation': stored('Google Cloud IAM', {
    required: {
      workload_identity_federation_project_id: text,
      workload_identity_federation_project_number: integer,
      ...each(text, 'workload_identity_pool_id', 'workload_identity_pool_provider_id'),
    },
  }),
  'diffblue-cover': stored('Diffblue Cover', {
    required: { diffblue_license_key: secret, diffblue_access_token_name: text, diffblue_access_token_secret: secret },
  }),
  'gitlab-slack-application': elsewhere('GitLab for Slack app'),
  'jira-cloud-app': elsewhere('GitLab for Jira Cloud app'),
}
