import { forEachOf } from '../../infra/files/index.ts'
import { diskPath, type Git, refName } from '../../infra/git/index.ts'
import { type ObjectStore, parseStorageKey, type StorageKey } from '../../infra/objects/index.ts'
import { areRefs, type Line, type ObjectLine, type RepositoryLine } from '../format/lines.ts'
import { BackupRefused } from '../format/refused.ts'
import type { Progress } from '../progress.ts'
import { wholeOf } from './place.ts'
import type { Sources } from './sources.ts'

/** Each object waits for the disk, or for a service. */
const objectsAtOnce = 8

/** What of the files is restored, and where. */
export type Wanted = {
  /** Where a repository is restored to; null: not at all. */
  storageOf(repository: RepositoryLine): string | null | Promise<string | null>
  object(key: StorageKey, sizeBytes: number): boolean | Promise<boolean>
}

/** Everything, in the storages of the backup. */
export const everything: Wanted = { storageOf: ({ storage }) => storage, object: () => true }

/** Puts repositories and objects in their places. */
export async function restoreFiles(
  sources: Sources,
  { git, objects }: { git: Git; objects: ObjectStore },
  progress: Progress,
  wanted: Wanted = everything,
): Promise<void> {
  const lines = peekable(sources.main.lines())
  await progress.step('repositories', undefined, 'bytes')
  for (let line = await lines.peek(); line && line.kind !== 'object'; line = await lines.peek()) {
    lines.take()
    if (line.kind !== 'repository') continue
    const storage = await wanted.storageOf(line)
    if (storage !== null) await restoreRepository(sources, git, { ...line, storage }, lines, progress)
  }
  await progress.step('objects', undefined, 'bytes')
  await forEachOf(objectLines(lines), objectsAtOnce, async (line) => {
    const key = parseStorageKey(line.key)
    if (await wanted.object(key, line.sizeBytes)) {
      await objects.put(key, sources.read(line), { sizeBytes: line.sizeBytes })
    }
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
