import { hostname } from 'node:os'
import { createJobs } from '../infra/jobs/index.ts'
import type { Platform } from './platform.ts'
import { createSettings, instanceDefinitions } from './settings/index.ts'

/** What is opened before the platform, or given by a test in place of it. */
export type PlatformParts = Pick<
  Platform,
  'config' | 'log' | 'clock' | 'database' | 'git' | 'objects' | 'externalUrl' | 'gate'
> &
  Partial<Platform>

/** Puts the platform together; a part that is given is taken as it is. */
export function openPlatform(parts: PlatformParts): Platform {
  const { config, log, clock, database, externalUrl } = parts
  const owner = `${hostname()}:${process.pid}`
  const facts = { host: new URL(externalUrl).hostname, storages: Object.keys(config.storages) }
  return {
    random: Math.random,
    jobs: createJobs({ database, clock, log, leaseSeconds: 60, concurrency: 4, owner }),
    settings: createSettings({ database, clock, definitions: instanceDefinitions(facts) }),
    ...parts,
  }
}
