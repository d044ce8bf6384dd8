import { hostname } from 'node:os'
import type { Config } from '../config.ts'
import { isShared } from '../infra/database/index.ts'
import { createJobs, type JobsOptions } from '../infra/jobs/index.ts'
import { loadInstanceKey, openSealer } from '../infra/secrets/index.ts'
import type { Platform, Secrets } from './platform.ts'
import { createSettings, instanceDefinitions } from './settings/index.ts'

/** What is opened before the platform; a test may give further parts in place of the defaults. */
type PlatformParts = Pick<
  Platform,
  | 'config'
  | 'log'
  | 'clock'
  | 'database'
  | 'git'
  | 'storages'
  | 'objects'
  | 'presence'
  | 'monitored'
  | 'externalUrl'
  | 'gate'
  | 'reactions'
  | 'ports'
> &
  Partial<Platform>

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

function openSecrets({ data, secretKey }: Config): Secrets {
  const instanceKey = once(() => loadInstanceKey({ dataFolder: data, configured: secretKey }))
  return { instanceKey, sealer: once(async () => openSealer(await instanceKey())) }
}

/** What precedes a repository's path in its SSH address. @param port where SSH is reached; 22 needs no mention */
function sshPrefixOf(externalUrl: string, port = 22): string {
  const { hostname } = new URL(externalUrl)
  return port === 22 ? `git@${hostname}:` : `ssh://git@${hostname}:${port}/`
}

/** What learns of the work of the platform. */
type Listening = { onJobEnded?: JobsOptions['onEnded'] }

/** Opens the platform. A part that is given replaces the default. */
export function openPlatform(parts: PlatformParts, { onJobEnded }: Listening = {}): Platform {
  const { config, log, clock, database, externalUrl } = parts
  const owner = `${hostname()}:${process.pid}`
  const facts = { host: new URL(externalUrl).hostname, storages: Object.keys(config.storages) }
  return {
    random: Math.random,
    jobs: createJobs({
      database,
      clock,
      log,
      leaseSeconds: 60,
      concurrency: 4,
      alone: !isShared(database),
      owner,
      onEnded: onJobEnded,
    }),
    settings: createSettings({ database, clock, definitions: instanceDefinitions(facts) }),
    secrets: openSecrets(config),
    sshPrefix: sshPrefixOf(externalUrl, config.sshListen?.port),
    ...parts,
  }
}
