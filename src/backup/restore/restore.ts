import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { DatabaseNotEmpty, openForRestore } from '../../infra/database/index.ts'
import { openGit } from '../../infra/git/index.ts'
import { openObjects } from '../../infra/objects/index.ts'
import { createPrivateFile } from '../../infra/secrets/index.ts'
import { prepareStorages } from '../../platform/repositories/index.ts'
import { BackupRefused } from '../format/refused.ts'
import type { Progress } from '../progress.ts'
import { restoreFiles } from './files.ts'
import { expectEmptyPlace, keysIn, keysToWrite, wholeOf } from './place.ts'
import { restoreRows } from './rows.ts'
import { expectKnownSchema, expectKnownTables, migrationsOf } from './schema.ts'
import { openSources, type Sources } from './sources.ts'

export type RestoreOptions = {
  config: Config
  path: string
  /** The files that an incremental backup is based on, where they are not beside it. */
  basePaths?: readonly string[]
  clock: Clock
  progress: Progress
}

/** Checks a backup, with everything that it needs. @throws BackupRefused with one sentence for the operator */
export async function verifyBackup({ path, basePaths = [], progress }: Omit<RestoreOptions, 'config' | 'clock'>) {
  await using sources = await openSources(path, basePaths)
  await verify(sources, progress)
}

/** Reads and checks everything of a backup. @throws BackupRefused */
export async function verify(sources: Sources, progress: Progress): Promise<void> {
  await progress.step('check of the file', sources.verifiedBytes, 'bytes')
  await sources.verify((bytes) => progress.advance(bytes))
}

/**
 * Restores a backup into an empty place, on whichever engine and object store. Nothing is written before the whole file was
 * checked. Until the end, the database is marked so that no server starts on it.
 * @throws BackupRefused with one sentence for the operator
 */
export async function restoreBackup(options: RestoreOptions): Promise<void> {
  const { config, clock, progress } = options
  await using opened = new AsyncDisposableStack()
  const sources = opened.use(await openSources(options.path, options.basePaths ?? []))
  const { main } = sources
  expectKnownSchema(main.header)
  await verify(sources, progress)
  await expectKnownTables(main)
  await mkdir(config.data, { recursive: true, mode: 0o700 })
  await prepareStorages(config)
  const git = opened.use(await openGit({ storages: config.storages }))
  const objects = await openObjects({ location: config.objectsUrl, clock })
  await expectEmptyPlace(config, git, objects, main)
  const keys = await keysToWrite(config, main, await keysIn(main), (line) => wholeOf(sources.read(line)))
  const database = opened.adopt(
    await openForRestore({ url: config.databaseUrl, migrations: migrationsOf(main.header) }).catch((error) => {
      const text = 'the database is not empty: a backup is restored into an empty place'
      throw error instanceof DatabaseNotEmpty ? new BackupRefused(text) : error
    }),
    (one) => one.close(),
  )
  for (const { file, content } of keys) {
    const target = join(config.data, file)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await createPrivateFile(target, content.toString('utf8'))
  }
  await restoreFiles(sources, { git, objects }, progress)
  await restoreRows(sources, database, progress)
}
