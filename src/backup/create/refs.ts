import { type FileHandle, open, rm } from 'node:fs/promises'
import type { Reader } from '../../infra/database/index.ts'
import { diskPath, type Git, type Repository } from '../../infra/git/index.ts'
import { type RepositoryRow, repositoriesAfter } from '../../platform/repositories/index.ts'

const portion = 200
/** Repositories whose refs are read at the same time. */
const atOnce = 16

/** The refs and the default branch of repositories, as of their generations. They are in a file: together they may be large. */
export type CapturedRefs = AsyncDisposable & {
  /** Reads the refs of the repositories whose generation has changed since they were read. @returns how many these were */
  update(db: Reader): Promise<number>
  /** The refs of a repository; null when it was not on disk. */
  of(repositoryId: number): Promise<{ head: string; refs: string } | null>
}

type Place = { generation: number; at: number; length: number }

/** Opens the repository of a row. */
export function repositoryOf(git: Git, row: Pick<RepositoryRow, 'id' | 'storage' | 'disk_path'>): Repository {
  const path = diskPath(row.disk_path)
  if (path === null) throw new Error(`repository ${row.id} has no legal path`)
  return git.repository({ storage: row.storage, diskPath: path })
}

async function readFrom(file: FileHandle, { at, length }: Place): Promise<string> {
  const buffer = Buffer.alloc(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, at + done)
    if (bytesRead === 0) throw new Error('the refs could not be read again')
    done += bytesRead
  }
  return buffer.toString('utf8')
}

/**
 * Creates the collection.
 * @param path of a temporary file
 */
export async function captureRefs(git: Git, path: string): Promise<CapturedRefs> {
  const file = await open(path, 'wx+', 0o600)
  const places = new Map<number, Place>()
  let end = 0

  async function capture(row: RepositoryRow): Promise<void> {
    const repository = repositoryOf(git, row)
    if (!(await repository.exists())) {
      places.delete(row.id)
      return
    }
    const text = Buffer.from(`${await repository.head()}\n${await repository.allRefs()}`)
    const place = { generation: row.generation, at: end, length: text.length }
    end += text.length
    await file.write(text, 0, text.length, place.at)
    places.set(row.id, place)
  }

  return {
    async update(db) {
      let changed = 0
      for (let after = 0; ; ) {
        const rows = await repositoriesAfter(db, after, portion)
        const stale = rows.filter(({ id, generation }) => generation > 0 && places.get(id)?.generation !== generation)
        changed += stale.length
        for (let at = 0; at < stale.length; at += atOnce) await Promise.all(stale.slice(at, at + atOnce).map(capture))
        if (rows.length < portion) return changed
        after = rows.at(-1)?.id ?? 0
      }
    },
    async of(repositoryId) {
      const place = places.get(repositoryId)
      if (!place) return null
      const text = await readFrom(file, place)
      const headEnd = text.indexOf('\n')
      return { head: text.slice(0, headEnd), refs: text.slice(headEnd + 1) }
    },
    async [Symbol.asyncDispose]() {
      await file.close()
      await rm(path, { force: true })
    },
  }
}
