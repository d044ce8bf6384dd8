import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Clock } from '../../infra/clock/index.ts'
import {
  continueIds,
  DatabaseNotEmpty,
  loadRows,
  openForRestore,
  type RestoredDatabase,
  type TableDescription,
  type Tx,
  withoutForeignKeys,
  withoutTriggers,
} from '../../infra/database/index.ts'
import { forEachOf } from '../../infra/files/index.ts'
import { diskPath, type Git, openGit, refName } from '../../infra/git/index.ts'
import { type ObjectStore, openObjects, parseStorageKey } from '../../infra/objects/index.ts'
import { createPrivateFile } from '../../infra/secrets/index.ts'
import { migrations } from '../../migrations/index.ts'
import { forgetBackups, forgetPlaces } from '../../platform/instance/index.ts'
import { prepareStorages } from '../../platform/repositories/index.ts'
import { areRefs, type Line, type ObjectLine, type RepositoryLine } from '../format/lines.ts'
import { BackupRefused } from '../format/refused.ts'
import type { Progress } from '../progress.ts'
import { expectEmptyPlace, keysIn, keysToWrite, wholeOf } from './place.ts'
import { expectKnownSchema, expectKnownTables, migrationsOf, tablesIn } from './schema.ts'
import { openSources, type Sources } from './sources.ts'

export type RestoreOptions = {
  config: Config
  path: string
  /** The files that an incremental backup is based on, where they are not beside it. */
  basePaths?: readonly string[]
  clock: Clock
  progress: Progress
}

/** Each object waits for the disk, or for a service. */
const objectsAtOnce = 8

/** Checks a backup, with everything that it needs. @throws BackupRefused with one sentence for the operator */
export async function verifyBackup({ path, basePaths = [], progress }: Omit<RestoreOptions, 'config' | 'clock'>) {
  await using sources = await openSources(path, basePaths)
  await verify(sources, progress)
}

async function verify(sources: Sources, progress: Progress): Promise<void> {
  await progress.step('check of the file', sources.verifiedBytes)
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
  await restoreFiles(sources, git, objects, progress)
  await restoreRows(sources, database, progress)
}

/** Puts repositories and objects in their places. */
async function restoreFiles(sources: Sources, git: Git, objects: ObjectStore, progress: Progress): Promise<void> {
  const lines = peekable(sources.main.lines())
  await progress.step('repositories')
  for (let line = await lines.peek(); line && line.kind !== 'object'; line = await lines.peek()) {
    lines.take()
    if (line.kind === 'repository') await restoreRepository(sources, git, line, lines, progress)
  }
  await progress.step('objects')
  await forEachOf(objectLines(lines), objectsAtOnce, async (line) => {
    await objects.put(parseStorageKey(line.key), sources.read(line), { sizeBytes: line.sizeBytes })
    progress.advance(line.sizeBytes)
  })
}

type Lines = ReturnType<typeof peekable>

function peekable(lines: AsyncIterable<Line>) {
  const iterator = lines[Symbol.asyncIterator]()
  let next: Line | null | undefined
  return {
    async peek(): Promise<Line | null> {
      if (next === undefined) {
        const { value, done } = await iterator.next()
        next = done ? null : value
      }
      return next
    },
    take(): void {
      next = undefined
    },
  }
}

async function* objectLines(lines: Lines): AsyncGenerator<ObjectLine> {
  for (let line = await lines.peek(); line?.kind === 'object'; line = await lines.peek()) {
    lines.take()
    yield line
  }
}

async function restoreRepository(
  sources: Sources,
  git: Git,
  { id, storage, path: text, head: headText, format }: RepositoryLine,
  lines: Lines,
  progress: Progress,
): Promise<void> {
  const [path, head, refsLine] = [diskPath(text), refName(headText), await lines.peek()]
  if (!path || !head || refsLine?.kind !== 'refs') throw new BackupRefused(`repository ${id} of the backup is invalid`)
  lines.take()
  const refs = (await wholeOf(sources.read(refsLine))).toString('utf8')
  if (!areRefs(refs)) throw new BackupRefused(`repository ${id} of the backup has invalid refs`)
  async function* files() {
    for (let line = await lines.peek(); line?.kind === 'git'; line = await lines.peek()) {
      lines.take()
      yield { name: line.file, content: sources.read(line) }
      progress.advance(line.sizeBytes)
    }
  }
  await git.repository({ storage, diskPath: path }).restore({ head, objectFormat: format, refs, files: files() })
}

async function loadTables(sources: Sources, tables: readonly TableDescription[], tx: Tx, progress: Progress) {
  let current: TableDescription | undefined
  for await (const line of sources.main.lines()) {
    if (line.kind === 'repository' || line.kind === 'object') break
    if (line.kind === 'table') {
      current = tables.find(({ name }) => name === line.name)
      progress.advance(1)
    }
    if (line.kind !== 'rows' || !current) continue
    const rows = (await wholeOf(sources.read(line))).toString('utf8')
    await loadRows(tx, current, rows.split('\n').slice(0, -1))
  }
}

/** Fills the database, and ends the restore, in one transaction. */
async function restoreRows(sources: Sources, database: RestoredDatabase, progress: Progress): Promise<void> {
  const tables = await tablesIn(sources.main)
  await progress.step('database', tables.length)
  await database.finish(migrations, async (tx) => {
    await withoutForeignKeys(tx, () => withoutTriggers(tx, () => loadTables(sources, tables, tx, progress)))
    for (const table of tables) await continueIds(tx, table)
    // The new place has its own. A backup of an older release has none recorded.
    const has = (name: string) => tables.some((table) => table.name === name)
    if (has('instance_facts')) await forgetPlaces(tx)
    if (has('backups')) await forgetBackups(tx)
  })
}
