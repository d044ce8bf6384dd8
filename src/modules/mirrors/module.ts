import type { Operation } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import type { Lookup } from '../../infra/net/index.ts'
import type { Sealer } from '../../infra/secrets/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import type { Repositories } from '../repositories/index.ts'
import type { Settings } from '../settings/index.ts'
import { mirrorOperations } from './operations.ts'
import { createPullMirrors } from './pull-mirrors.ts'
import { createPullRuns } from './pull-runs.ts'
import { createPushMirrors, type PushMirrors } from './push-mirrors.ts'
import { createPushRuns } from './push-runs.ts'
import { createRemotes } from './remote.ts'
import { createSchedule } from './schedule.ts'

export type MirrorModuleNeeds = {
  database: Database
  clock: Clock
  jobs: Jobs
  repositories: Repositories
  settings: Pick<Settings, 'current'>
  platform: Platform
  sealer(): Promise<Sealer>
  project: ProjectSubject
  /** Finds the addresses of a name; the system's own way unless told. */
  lookup?: Lookup
}

export type MirrorModule = {
  operations: Operation[]
  /** Has the mirrors follow a push. */
  afterPush: PushMirrors['afterPush']
}

/** Mirrors: projects that are pushed elsewhere, and projects that are pulled from there (contract 22). */
export function createMirrorModule(needs: MirrorModuleNeeds): MirrorModule {
  const schedule = createSchedule(needs)
  const remotes = createRemotes(needs)
  schedule.define(createPushRuns({ ...needs, remotes }))
  schedule.define(createPullRuns({ ...needs, remotes }))
  const pushMirrors = createPushMirrors({ ...needs, schedule })
  const pullMirrors = createPullMirrors({ ...needs, schedule })
  return {
    operations: mirrorOperations({ pushMirrors, pullMirrors, project: needs.project }),
    afterPush: pushMirrors.afterPush,
  }
}
