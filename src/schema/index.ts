import type { Migration } from '../infra/database/index.ts'
import * as accessRequests from './access-requests.ts'
import * as alerts from './alerts.ts'
import * as broadcastMessages from './broadcast-messages.ts'
import * as containerRegistry from './container-registry.ts'
import * as deployKeys from './deploy-keys.ts'
import * as epics from './epics.ts'
import * as events from './events.ts'
import * as features from './features.ts'
import * as internalIds from './internal-ids.ts'
import * as issuables from './issuables.ts'
import * as issues from './issues.ts'
import * as iterations from './iterations.ts'
import * as jobs from './jobs.ts'
import * as keys from './keys.ts'
import * as labels from './labels.ts'
import * as lfs from './lfs.ts'
import * as members from './members.ts'
import * as mergeRequests from './merge-requests.ts'
import * as milestones from './milestones.ts'
import * as mirrors from './mirrors.ts'
import * as namespaces from './namespaces.ts'
import * as notes from './notes.ts'
import * as pipelineSchedules from './pipeline-schedules.ts'
import * as pipelines from './pipelines.ts'
import * as projects from './projects.ts'
import * as protectedBranches from './protected-branches.ts'
import * as pushRules from './push-rules.ts'
import * as rateLimit from './rate-limit.ts'
import * as releases from './releases.ts'
import * as repositories from './repositories.ts'
import * as routes from './routes.ts'
import * as runners from './runners.ts'
import * as settings from './settings.ts'
import * as snippets from './snippets.ts'
import * as spam from './spam.ts'
import * as tokens from './tokens.ts'
import * as uploads from './uploads.ts'
import * as users from './users.ts'
import * as variables from './variables.ts'
import * as wikis from './wikis.ts'

/**
 * The schema: one migration for each module that owns tables, in the order of their foreign keys. A released migration is
 * never changed; a later one alters what it created.
 */
export const migrations: readonly Migration[] = [
  { name: 'jobs', up: jobs.up },
  { name: 'rate-limit', up: rateLimit.up },
  { name: 'users', up: users.up },
  { name: 'settings', up: settings.up },
  { name: 'namespaces', up: namespaces.up },
  { name: 'projects', up: projects.up },
  { name: 'routes', up: routes.up },
  { name: 'members', up: members.up },
  { name: 'tokens', up: tokens.up },
  { name: 'repositories', up: repositories.up },
  { name: 'keys', up: keys.up },
  { name: 'deploy-keys', up: deployKeys.up },
  { name: 'protected-branches', up: protectedBranches.up },
  { name: 'events', up: events.up },
  { name: 'releases', up: releases.up },
  { name: 'internal-ids', up: internalIds.up },
  { name: 'pipelines', up: pipelines.up },
  { name: 'runners', up: runners.up },
  { name: 'notes', up: notes.up },
  { name: 'push-rules', up: pushRules.up },
  { name: 'mirrors', up: mirrors.up },
  { name: 'lfs', up: lfs.up },
  { name: 'wikis', up: wikis.up },
  { name: 'pipeline-schedules', up: pipelineSchedules.up },
  { name: 'variables', up: variables.up },
  { name: 'features', up: features.up },
  { name: 'broadcast-messages', up: broadcastMessages.up },
  { name: 'container-registry', up: containerRegistry.up },
  { name: 'labels', up: labels.up },
  { name: 'milestones', up: milestones.up },
  { name: 'iterations', up: iterations.up },
  { name: 'spam', up: spam.up },
  { name: 'snippets', up: snippets.up },
  { name: 'issuables', up: issuables.up },
  { name: 'issues', up: issues.up },
  { name: 'epics', up: epics.up },
  { name: 'access-requests', up: accessRequests.up },
  { name: 'merge-requests', up: mergeRequests.up },
  { name: 'alerts', up: alerts.up },
  { name: 'uploads', up: uploads.up },
]
