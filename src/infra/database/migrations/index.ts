import type { RawBuilder } from 'kysely'
import type { Dialect } from '../dialect.ts'
import * as jobs from './0001-jobs.ts'
import * as users from './0002-users.ts'
import * as namespaces from './0003-namespaces.ts'
import * as projects from './0004-projects.ts'
import * as members from './0005-members.ts'
import * as tokens from './0006-tokens.ts'
import * as repositories from './0007-repositories.ts'
import * as settings from './0008-settings.ts'
import * as stars from './0009-stars.ts'
import * as userRemoval from './0010-user-removal.ts'
import * as namespaceRemoval from './0011-namespace-removal.ts'
import * as readmePath from './0012-readme-path.ts'
import * as keys from './0013-keys.ts'
import * as deployKeys from './0014-deploy-keys.ts'
import * as protectedRefs from './0015-protected-refs.ts'
import * as repositoryCare from './0016-repository-care.ts'
import * as events from './0017-events.ts'
import * as releases from './0018-releases.ts'
import * as commitStatuses from './0019-commit-statuses.ts'
import * as notes from './0020-notes.ts'
import * as pushRules from './0021-push-rules.ts'
import * as mirrors from './0022-mirrors.ts'
import * as lfs from './0023-lfs.ts'
import * as wikis from './0024-wikis.ts'

/** One step of the schema. Never changed once released; a later step mends an earlier one. */
export type Migration = { name: string; up: (dialect: Dialect) => RawBuilder<unknown>[] }

/** All steps in the order in which they are applied. */
export const migrations: Migration[] = [
  { name: '0001-jobs', up: jobs.up },
  { name: '0002-users', up: users.up },
  { name: '0003-namespaces', up: namespaces.up },
  { name: '0004-projects', up: projects.up },
  { name: '0005-members', up: members.up },
  { name: '0006-tokens', up: tokens.up },
  { name: '0007-repositories', up: repositories.up },
  { name: '0008-settings', up: settings.up },
  { name: '0009-stars', up: stars.up },
  { name: '0010-user-removal', up: userRemoval.up },
  { name: '0011-namespace-removal', up: namespaceRemoval.up },
  { name: '0012-readme-path', up: readmePath.up },
  { name: '0013-keys', up: keys.up },
  { name: '0014-deploy-keys', up: deployKeys.up },
  { name: '0015-protected-refs', up: protectedRefs.up },
  { name: '0016-repository-care', up: repositoryCare.up },
  { name: '0017-events', up: events.up },
  { name: '0018-releases', up: releases.up },
  { name: '0019-commit-statuses', up: commitStatuses.up },
  { name: '0020-notes', up: notes.up },
  { name: '0021-push-rules', up: pushRules.up },
  { name: '0022-mirrors', up: mirrors.up },
  { name: '0023-lfs', up: lfs.up },
  { name: '0024-wikis', up: wikis.up },
]
