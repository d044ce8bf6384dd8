import { join } from 'node:path'
import type { Logger } from 'pino'
import { removeAbandonedFiles } from './api/index.ts'
import { type Config, requestFolder } from './config.ts'
import type { Clock } from './infra/clock/index.ts'
import { type Database, openDatabase } from './infra/database/index.ts'
import { leaveUnsynced } from './infra/files/index.ts'
import { type Git, limitsOfOneOf, openGit } from './infra/git/index.ts'
import type { ObjectStore } from './infra/objects/index.ts'
import { emptyDatabase, migrations } from './migrations/index.ts'
import { openPlaces, openPresence, openServerObjects, type Presence, type RootPassword } from './platform/index.ts'
import { expectOwnHostKeys, expectOwnPlaces } from './platform/instance/index.ts'
import { foldersOf } from './platform/monitoring/index.ts'
import type { Storages } from './platform/repositories/index.ts'
import { rootAccount } from './ports.ts'

/** Whether there are users, and the password that root gets where there are none. */
type Root = { anyUserExists(): Promise<boolean>; password: RootPassword }

/** What is opened before the server listens. */
export type Stores = {
  storages: Storages
  database: Database
  presence: Presence
  objects: ObjectStore
  /** The port and the objects do not wait for it. */
  git: Promise<Git>
  root: Root
}

/** How the stores are opened. */
type StoreOptions = {
  config: Config
  log: Logger
  clock: Clock
  /** As that of the app. */
  durable?: boolean
  /** Whether missing migrations are applied. */
  mayMigrate: boolean
  /** Takes what closes them. */
  opened: AsyncDisposableStack
}

const megabyte = 1024 * 1024

/** Whether a server copies another one, its primary (contract 15). */
export const isSecondary = ({ geo }: Config): boolean => geo.role === 'secondary'

/** The folders in which a server stores. */
export const placesOf = (config: Config): string[] => foldersOf(config).map(({ path }) => path)

/** Where the host keys for SSH are. */
export const hostKeyFolder = ({ data }: Config): string => join(data, 'ssh')

/**
 * Opens what the server stores. Git opens meanwhile.
 * @throws Error when the folders, the database, the objects or the host keys are not those of this server
 */
export async function openStores(options: StoreOptions): Promise<Stores> {
  const { config, log, clock, durable, mayMigrate, opened } = options
  if (durable === false) opened.use(leaveUnsynced(placesOf(config)))
  const storages = await openPlaces(config, log)
  const database = opened.adopt(
    await openDatabase({
      url: config.databaseUrl,
      migrations,
      model: emptyDatabase,
      durable,
      exclusive: true,
      mayMigrate,
    }),
    (one) => one.close(),
  )
  const presence = opened.adopt(await openPresence(database, { clock, log }), (one) => one.close())
  const root = await prepareRoot(config, database)
  const git = beginGit(options, storages)
  const objects = await openServerObjects(config, { clock, database })
  await expectOwnPlaces(database, config)
  if (config.sshListen) await expectOwnHostKeys(database, hostKeyFolder(config))
  await removeAbandonedFiles(requestFolder(config), clock)
  return { storages, database, presence, objects, git, root }
}

async function prepareRoot(config: Config, database: Database): Promise<Root> {
  // The users of a secondary are at its primary.
  const anyUserExists = async () => isSecondary(config) || rootAccount.anyUserExists(database.read)
  const password = rootAccount.rootPassword(config.rootPassword)
  // Hashing is slow on purpose, so it overlaps with opening. `firstBoot` reports a failure.
  if (!(await anyUserExists())) password.hash().catch(() => {})
  return { anyUserExists, password }
}

/** Begins to open git; who awaits it learns of a failure. */
function beginGit({ config, log, durable, opened }: StoreOptions, storages: Storages): Promise<Git> {
  const limits = {
    ...limitsOfOneOf(config.workers),
    processMemoryBytes: config.gitMemoryMib * megabyte,
    unpackSeconds: config.pushUnpackSeconds,
    unpackedBytes: config.pushUnpackedMib * megabyte,
  }
  const opening = openGit({
    storages: config.storages,
    requireStorage: storages.require,
    limits,
    log: (level, text, detail) => log[level](detail, text),
    ...(durable === undefined ? {} : { durable }),
  })
  opening.catch(() => {})
  opened.defer(async () => (await opening.catch(() => null))?.[Symbol.asyncDispose]())
  return opening
}
