import { openForRestore, type Tx } from '../../infra/database/index.ts'
import type { Git } from '../../infra/git/index.ts'
import { type ObjectStore, parseStorageKey, type StorageKey } from '../../infra/objects/index.ts'
import type { Header } from '../format/lines.ts'
import type { Progress } from '../progress.ts'
import { restoreFiles, type Wanted } from './files.ts'
import { keysIn, wholeOf } from './place.ts'
import { verify } from './restore.ts'
import { restoreRows } from './rows.ts'
import { expectKnownSchema, expectKnownTables, migrationsOf } from './schema.ts'
import { openSources } from './sources.ts'

/** A checked backup of which parts are restored, into a place that has others already. */
export type Contents = AsyncDisposable & {
  readonly header: Header
  /** The files of keys that it has. */
  keys(): Promise<{ file: string; content: Buffer }[]>
  repositoryIds(): Promise<Set<number>>
  objectKeys(): AsyncIterable<StorageKey>
  /**
   * Fills an empty database, or one into which the same was begun and interrupted.
   * @param also is done in the transaction of the rows
   * @throws DatabaseNotEmpty, RestoreUnfinished
   */
  fillDatabase(database: { url: string; durable?: boolean }, also: (tx: Tx) => Promise<void>): Promise<void>
  restoreFiles(place: { git: Git; objects: ObjectStore }, wanted: Wanted): Promise<void>
}

/**
 * Opens a backup, and checks all of it.
 * @param basePaths files that it is based on, where they are not beside it
 * @throws BackupRefused with one sentence for the operator
 */
export async function openContents(path: string, basePaths: readonly string[], progress: Progress): Promise<Contents> {
  await using opened = new AsyncDisposableStack()
  const sources = opened.use(await openSources(path, basePaths))
  const { main } = sources
  expectKnownSchema(main.header)
  await verify(sources, progress)
  await expectKnownTables(main)
  const resources = opened.move()
  return {
    header: main.header,
    async keys() {
      const found: { file: string; content: Buffer }[] = []
      for (const line of await keysIn(main)) found.push({ file: line.file, content: await wholeOf(sources.read(line)) })
      return found
    },
    async repositoryIds() {
      const ids = new Set<number>()
      for await (const line of main.lines()) if (line.kind === 'repository') ids.add(line.id)
      return ids
    },
    async *objectKeys() {
      for await (const line of main.lines()) if (line.kind === 'object') yield parseStorageKey(line.key)
    },
    async fillDatabase({ url, durable = true }, also) {
      const known = migrationsOf(main.header)
      const database = await openForRestore({ url, durable, migrations: known, mayContinue: true })
      try {
        await restoreRows(sources, database, progress, also)
      } finally {
        await database.close()
      }
    },
    restoreFiles: (place, wanted) => restoreFiles(sources, place, progress, wanted),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
