import { basename } from 'node:path'
import type { Base, Line, Part } from '../format/lines.ts'
import { type BackupFile, openBackup } from '../format/reader.ts'

/** An earlier backup whose contents need not be written again. */
export type BaseBackup = AsyncDisposable & {
  /** All files that hold its contents, itself first. */
  bases: Base[]
  startedAt: string
  /** The files of a repository by name. Must be asked in the order of the ids. */
  filesOf(repositoryId: number, path: string): Promise<ReadonlyMap<string, Part>>
  /** A stored object. Must be asked in the order of the keys. */
  objectOf(key: string): Promise<(Part & { modifiedMs: number }) | null>
}

/** Reads lines one by one, with a look at the next. */
function cursorOf(file: BackupFile, isWanted: (line: Line) => boolean) {
  const lines = file.lines()[Symbol.asyncIterator]()
  let next: Line | null | undefined
  async function peek(): Promise<Line | null> {
    while (next === undefined) {
      const { value, done } = await lines.next()
      if (done) next = null
      else if (isWanted(value)) next = value
    }
    return next
  }
  return {
    peek,
    skip: () => {
      next = undefined
    },
    close: async () => void (await lines.return?.()),
  }
}

/** Where a content is, as seen from a backup that is based on this one. */
function asBase({ at, storedBytes, sizeBytes, sha256, zstd, base }: Part): Part {
  return { at, storedBytes, sizeBytes, sha256, zstd, base: base === undefined ? 0 : base + 1 }
}

/** Opens an earlier backup. @throws BackupRefused when it cannot be read */
export async function openBase(path: string): Promise<BaseBackup> {
  const file = await openBackup(path)
  const repositories = cursorOf(file, ({ kind }) => kind === 'repository' || kind === 'git')
  const objects = cursorOf(file, ({ kind }) => kind === 'object')

  async function filesOf(repositoryId: number, diskPath: string): Promise<ReadonlyMap<string, Part>> {
    const files = new Map<string, Part>()
    let isOne = false
    for (let line = await repositories.peek(); line; line = await repositories.peek()) {
      if (line.kind === 'repository') {
        if (line.id > repositoryId) break
        isOne = line.id === repositoryId && line.path === diskPath
      } else if (line.kind === 'git' && isOne) files.set(line.file, asBase(line))
      repositories.skip()
    }
    return files
  }

  async function objectOf(key: string): Promise<(Part & { modifiedMs: number }) | null> {
    for (let line = await objects.peek(); line?.kind === 'object' && line.key <= key; line = await objects.peek()) {
      objects.skip()
      if (line.key === key) return { ...asBase(line), modifiedMs: line.modifiedMs }
    }
    return null
  }

  return {
    bases: [{ id: file.header.id, file: basename(path) }, ...file.header.bases],
    startedAt: file.header.startedAt,
    filesOf,
    objectOf,
    async [Symbol.asyncDispose]() {
      await repositories.close()
      await objects.close()
      await file[Symbol.asyncDispose]()
    },
  }
}
