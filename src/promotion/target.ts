import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Contents, openContents, type Progress } from '../backup/index.ts'
import type { Config } from '../config.ts'
import {
  type Database,
  DatabaseInUse,
  DatabaseNotEmpty,
  followedUntil,
  isReplica,
  isServed,
  openDatabase,
} from '../infra/database/index.ts'
import { randomHex } from '../infra/secrets/index.ts'
import { migrations } from '../migrations/index.ts'
import { latestTimeIn, promotionIn } from '../modules/replication/index.ts'
import { beginPromotion, begunPromotion } from '../platform/instance/index.ts'
import { PromotionRefused } from './refused.ts'

/** The database of the new primary. */
export type Target = {
  database: Database
  /** What it is from, in words, and the moment whose state it has. */
  from: string
  at: string | null
  contents: Contents | null
}

type Given = {
  config: Config
  url: string
  backup: { path: string; basePaths: readonly string[] } | undefined
  isDryRun: boolean
  progress: Progress
  opened: AsyncDisposableStack
}

/** Opens a database that no server uses. @throws PromotionRefused */
export async function openUnused(
  options: { url: string; mayMigrate: boolean },
  inUse: string,
  opened: AsyncDisposableStack,
): Promise<Database> {
  const database = await openDatabase({ ...options, migrations, exclusive: true }).catch((error) => {
    throw error instanceof DatabaseInUse ? new PromotionRefused(inUse) : error
  })
  opened.defer(() => database.close())
  if (await isServed(database.read)) throw new PromotionRefused(inUse)
  return database
}

const inUse = 'a server uses the database that is to be that of the primary: stop it first'

/** A database that is there: one that a replica of PostgreSQL was, or that was restored. */
async function openExisting({ url, opened }: Given): Promise<Target> {
  const database = await openUnused({ url, mayMigrate: false }, inUse, opened)
  if (await isReplica(database.read)) {
    throw new PromotionRefused(
      'the database is a replica that follows another server still: make that server writable first (select pg_promote())',
    )
  }
  const at = (await followedUntil(database.read)) ?? (await latestTimeIn(database.read))
  return { database, from: 'the one that was there', at, contents: null }
}

/** Whether a database was filled from this backup by a promotion that was interrupted, or has ended. */
async function isFilledFrom(url: string, { header }: Contents): Promise<boolean> {
  await using database = await openDatabase({ url, migrations, mayMigrate: false })
    .then((one) => Object.assign(one, { [Symbol.asyncDispose]: () => one.close() }))
    .catch(() => undefined)
  if (!database) return false
  const [begun, ended] = [await begunPromotion(database.read), await promotionIn(database.read)]
  return begun === header.id || ended?.backupId === header.id
}

/** Fills the database from the backup, unless that was done. */
async function fill(contents: Contents, url: string): Promise<void> {
  const { id } = contents.header
  await contents
    .fillDatabase({ url }, (tx) => beginPromotion(tx, id))
    .catch(async (error) => {
      if (error instanceof DatabaseInUse) throw new PromotionRefused(inUse)
      if (!(error instanceof DatabaseNotEmpty)) throw error
      if (await isFilledFrom(url, contents)) return
      throw new PromotionRefused('the database is not empty: --backup is restored into an empty one')
    })
}

/** A database in a file that is deleted afterwards. */
async function openTrial({ config, opened }: Given): Promise<string> {
  const path = join(config.data, `promotion-${randomHex(8)}.db`)
  opened.defer(async () => {
    for (const ending of ['', '-wal', '-shm', '.lock']) await rm(path + ending, { force: true })
  })
  return `sqlite:${path}`
}

async function openFromBackup(given: Given, { path, basePaths }: NonNullable<Given['backup']>): Promise<Target> {
  const { opened, isDryRun, progress } = given
  const contents = opened.use(await openContents(path, basePaths, progress))
  const url = isDryRun ? await openTrial(given) : given.url
  await fill(contents, url)
  const database = await openUnused({ url, mayMigrate: false }, inUse, opened)
  return { database, from: `that of the backup ${path}`, at: contents.header.startedAt, contents }
}

/** Opens the database of the new primary; an empty one is filled from the backup first. @throws PromotionRefused */
export function openTarget(given: Given): Promise<Target> {
  return given.backup ? openFromBackup(given, given.backup) : openExisting(given)
}
