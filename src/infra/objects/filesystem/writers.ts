import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../clock/index.ts'
import { syncDirectory, syncFile } from '../../files/index.ts'
import { randomHex } from '../../secrets/index.ts'
import { handled } from '../../streams/index.ts'
import { createDigester, createRunningDigests, type Digester, type Digests, isMismatch, verify } from '../digester.ts'
import type { Expected, ObjectStore } from '../object-store.ts'
import type { StorageKey } from '../storage-key.ts'
import { isWriterId, offsetMismatch, unknownWriter } from '../writer-errors.ts'
import { claim, createIdle, release, sizeOf } from './claims.ts'
import { FOLDER_MODE, publish, receive, translate } from './files.ts'

type Writers = Pick<ObjectStore, 'begin' | 'append' | 'progress' | 'commit' | 'cancel'>

/**
 * Handles uploads in several requests.
 * @param writing the folder of unfinished uploads
 * @param pathOf returns the path of an object
 */
export function createWriters(writing: string, pathOf: (key: StorageKey) => string, clock: Clock): Writers {
  const running = createRunningDigests()

  /** Claims the writer while `work` runs, and releases it unless `work` has ended it. */
  async function holding<T>(id: string, work: (held: string, folder: string) => Promise<T>): Promise<T> {
    if (!isWriterId(id)) throw unknownWriter()
    const folder = join(writing, id)
    const held = await claim(folder, clock.now().getTime())
    try {
      return await work(held, folder)
    } catch (error) {
      if (isMismatch(error)) await rm(folder, { recursive: true, force: true })
      else await release(folder, held)
      throw translate(error)
    }
  }

  return {
    async begin() {
      const id = randomHex(16)
      await mkdir(join(writing, id), { mode: FOLDER_MODE })
      await createIdle(join(writing, id))
      await syncDirectory(join(writing, id))
      await syncDirectory(writing)
      return { id }
    },

    append: (id, offsetBytes, content) =>
      holding(id, async (held, folder) => {
        const sizeBytes = await withFile(held, async (file) => {
          const { size } = await file.stat()
          if (size !== offsetBytes) throw offsetMismatch(size)
          const digester = running.of(id, size)
          return receive(file, content, size, (chunk) => digester?.update(chunk))
        })
        await release(folder, held)
        return { sizeBytes }
      }),

    async progress(id) {
      const sizeBytes = isWriterId(id) ? await sizeOf(join(writing, id)) : null
      return sizeBytes === null ? null : { sizeBytes }
    },

    commit: (id, key, expected = {}) =>
      holding(id, async (held, folder) => {
        const found = await withFile(held, async (file) =>
          digestsOf(file, running.of(id, (await file.stat()).size), expected),
        )
        verify(found, expected)
        await publish(held, pathOf(key))
        running.drop(id)
        await rm(folder, { recursive: true, force: true })
        return { sizeBytes: found.sizeBytes, sha256: found.sha256 }
      }),

    async cancel(id) {
      if (!isWriterId(id)) return
      running.drop(id)
      await rm(join(writing, id), { recursive: true, force: true })
    },
  }
}

/** Runs work on a writer's file, and syncs the file in any case. */
async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r+')
  try {
    return await work(file).finally(() => syncFile(file, path))
  } finally {
    await file.close()
  }
}

async function digestsOf(file: FileHandle, known: Digester | undefined, expected: Expected): Promise<Digests> {
  if (known && expected.sha512 === undefined) return known.digests()
  const digester = createDigester({ withSha512: expected.sha512 !== undefined })
  for await (const chunk of handled(file.createReadStream({ start: 0, autoClose: false, highWaterMark: 256 * 1024 }))) {
    digester.update(chunk)
  }
  return digester.digests()
}
