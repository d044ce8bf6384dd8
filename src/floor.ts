import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Clock } from './infra/clock/index.ts'
import type { Database } from './infra/database/index.ts'
import type { Git } from './infra/git/index.ts'
import { createJobs, type Jobs } from './infra/jobs/index.ts'
import type { ObjectStore } from './infra/objects/index.ts'
import { createRepositories, type Gate, type Repositories } from './modules/repositories/index.ts'
import { createSettings, instanceDefinitions, type Settings } from './modules/settings/index.ts'

/** What the parts of the platform stand on. */
export type Floor = {
  config: Config
  log: Logger
  clock: Clock
  database: Database
  git: Git
  objects: ObjectStore
  jobs: Jobs
  settings: Settings
  repositories: Repositories
  gate: Gate
  externalUrl: string
}

export type FloorNeeds = Pick<Floor, 'config' | 'log' | 'clock' | 'database' | 'git' | 'objects' | 'externalUrl'>

/** Builds what every module stands on. */
export function openFloor(needs: FloorNeeds): Floor {
  const { config, log, clock, database, git, externalUrl } = needs
  const gate: Gate = { rules: [], listeners: [] }
  const owner = `${hostname()}:${process.pid}`
  const jobs = createJobs({ database, clock, log, leaseSeconds: 60, concurrency: 4, owner })
  const facts = { host: new URL(externalUrl).hostname, storages: Object.keys(config.storages) }
  const settings = createSettings({ database, clock, definitions: instanceDefinitions(facts) })
  const repositories = createRepositories({ database, git, clock, gate, jobs, log })
  return { ...needs, jobs, settings, repositories, gate }
}
