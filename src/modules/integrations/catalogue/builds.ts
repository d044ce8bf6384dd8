import { branchRules } from './chats.ts'
import { delivers, type Entry, mails } from './entry.ts'
import { address, addressOr, each, type Field, type Fields, flag, oneOf, secret, text } from './fields.ts'

const changes = ['push_events', 'merge_requests_events', 'tag_push_events'] as const
const verifies: Fields = { enable_ssl_verification: { ...flag, default: true } }
const login: Fields = { username: text, password: secret }
const hostName: Field = { type: 'text', form: 'host name' }

/** Programs that are notified of changes: they build, publish or record something. */
export const builds: Readonly<Record<string, Entry>> = {
  jenkins: delivers('Jenkins', {
    required: { jenkins_url: address, project_name: text },
    optional: { ...login, ...verifies },
    events: changes,
  }),
  teamcity: delivers('JetBrains TeamCity', {
    required: { teamcity_url: address, build_type: text },
    optional: { ...login, ...verifies },
    events: ['push_events', 'merge_requests_events'],
  }),
  bamboo: delivers('Atlassian Bamboo', {
    required: { bamboo_url: address, build_key: text, ...login },
    optional: verifies,
    events: ['push_events'],
  }),
  'drone-ci': delivers('Drone', {
    required: { drone_url: address, token: secret },
    optional: verifies,
    events: changes,
  }),
  buildkite: delivers('Buildkite', {
    required: { token: secret, project_url: address },
    optional: { enable_ssl_verification: flag },
    events: changes,
  }),
  packagist: delivers('Packagist', {
    required: { username: text, token: secret },
    optional: { server: addressOr('https://packagist.org') },
    events: changes,
  }),
  'squash-tm': delivers('Squash TM', {
    required: { url: address },
    optional: { token: secret },
    events: ['issues_events', 'confidential_issues_events'],
  }),
  datadog: delivers('Datadog', {
    required: { api_key: secret },
    optional: {
      api_url: address,
      datadog_site: { ...hostName, default: 'datadoghq.com' },
      ...each(text, 'datadog_env', 'datadog_service', 'datadog_tags'),
      ...each(flag, 'datadog_ci_visibility', 'archive_trace_events'),
    },
    events: ['pipeline_events', 'job_events'],
  }),
  pushover: delivers('Pushover', {
    required: { api_key: secret, user_key: secret, priority: text },
    optional: each(text, 'device', 'sound'),
    events: ['push_events'],
  }),
  'emails-on-push': mails('Emails on push', {
    required: { recipients: text },
    optional: {
      ...each(flag, 'disable_diffs', 'send_from_committer_email'),
      branches_to_be_notified: { ...oneOf(...branchRules), default: 'all' },
    },
    events: ['push_events', 'tag_push_events'],
  }),
  'pipelines-email': mails('Pipeline status emails', {
    required: { recipients: text },
    optional: {
      ...each(flag, 'notify_only_broken_pipelines', 'add_pusher', 'notify_only_default_branch'),
      branches_to_be_notified: oneOf(...branchRules),
    },
    events: ['pipeline_events'],
  }),
}
