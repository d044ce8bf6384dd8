import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, migrationNames, openDatabase } from '../../infra/database/index.ts'
import { ignoreMissing } from '../../infra/files/index.ts'
import { openGit } from '../../infra/git/index.ts'
import { openObjects } from '../../infra/objects/index.ts'
import { keyIdOf, randomHex, readInstanceKey, secretKeyName } from '../../infra/secrets/index.ts'
import { migrations } from '../../migrations/index.ts'
import { recordBackup } from '../../platform/instance/index.ts'
import { formatVersion, type Header, keyFiles } from '../format/lines.ts'
import { BackupRefused } from '../format/refused.ts'
import { type BackupWriter, writeBackup } from '../format/writer.ts'
import type { Progress } from '../progress.ts'
import { type BaseBackup, openBase } from './base.ts'
import { copyObjects, sizeOfObjects } from './objects.ts'
import { captureRefs } from './refs.ts'
import { copyRepositories, repositoriesIn } from './repositories.ts'
import { copyTables, inSnapshot, stopDeletions } from './snapshot.ts'

export type BackupOptions = {
  config: Config
  path: string
  clock: Clock
  progress: Progress
  /** Whether the keys of the data folder are left out. */
  withoutKeys?: boolean
  /** An earlier backup, whose contents are not written again. */
  basePath?: string | undefined
}

async function headerOf(
  { config, clock }: BackupOptions,
  database: Database,
  base: BaseBackup | undefined,
): Promise<Header> {
  const key = await readInstanceKey({ dataFolder: config.data, configured: config.secretKey })
  return {
    kind: 'backup',
    format: formatVersion,
    id: randomHex(16),
    startedAt: clock.now().toISOString(),
    engine: database.engine,
    migrations: await migrationNames(database.read),
    secretKeyId: key && keyIdOf(key),
    bases: base?.bases ?? [],
  }
}

async function copyKeys({ data, secretKey }: Config, writer: BackupWriter): Promise<void> {
  for (const file of keyFiles) {
    // The key in use is the configured one.
    if (file === secretKeyName && secretKey !== undefined) continue
    const content = await readFile(join(data, file)).catch(ignoreMissing)
    if (content) await writer.whole({ kind: 'key', file }, content)
  }
}

/** Records the backup in the database, where administrators see it. It is complete, also where that fails. */
async function record(
  { path, clock, basePath, progress }: BackupOptions,
  database: Database,
  { startedAt, sizeBytes }: { startedAt: string; sizeBytes: number },
): Promise<void> {
  const backup = { path: resolve(path), size_bytes: sizeBytes, is_incremental: basePath !== undefined }
  const times = { started_at: startedAt, finished_at: clock.now().toISOString() }
  await database
    .write((tx) => recordBackup(tx, { ...backup, ...times }))
    .catch((error: Error) => progress.note(`The backup could not be recorded in the database: ${error.message}`))
}

/**
 * Writes everything that an installation stores into one file, while it runs. The database is that of one moment; the refs of all
 * repositories are those of the same moment (decision 0017).
 * @returns the size of the file
 * @throws BackupRefused with one sentence for the operator
 */
export async function createBackup(options: BackupOptions): Promise<{ sizeBytes: number }> {
  const { config, path, clock, progress, basePath } = options
  await using opened = new AsyncDisposableStack()
  const base = basePath === undefined ? undefined : opened.use(await openBase(basePath))
  const database = opened.adopt(await openDatabase({ url: config.databaseUrl, migrations, mayMigrate: false }), (one) =>
    one.close(),
  )
  const git = opened.use(await openGit({ storages: config.storages }))
  const objects = await openObjects({ location: config.objectsUrl, clock })
  const held = opened.adopt(await stopDeletions(database, clock, progress), (one) => one.release())
  const header = await headerOf(options, database, base)
  const writer = await writeBackup(path, header)
  try {
    if (options.withoutKeys !== true) await copyKeys(config, writer)
    const refs = opened.use(await captureRefs(git, `${writer.temporaryPath}.refs`))
    let repositories: Awaited<ReturnType<typeof repositoriesIn>> = { rows: [], bytes: 0 }
    await progress.step('refs')
    await inSnapshot({ database, clock }, refs, async (reader) => {
      repositories = await repositoriesIn(reader)
      await copyTables(reader, writer, progress)
    })
    await progress.step('repositories', repositories.bytes, 'bytes')
    await copyRepositories(git, repositories.rows, refs, { writer, base, progress })
    await progress.step('objects', (await sizeOfObjects(objects)).bytes, 'bytes')
    await copyObjects(objects, { writer, base, progress })
    if (!(await held.isIntact())) throw new BackupRefused('the connection that held the lock of the backup was lost')
    const sizeBytes = await writer.finish()
    await record(options, database, { startedAt: header.startedAt, sizeBytes })
    return { sizeBytes }
  } catch (error) {
    await writer.abort()
    throw error
  }
}
