import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manualClock } from '../clock/index.ts'
import type { ObjectStore } from './object-store.ts'
import { openObjects } from './open.ts'
import { openFixtureStore, openServiceStore, serviceUrl } from './s3/testing.ts'
import { storageKey } from './storage-key.ts'

/** An empty object store, which is deleted at the end of the test. */
export interface TestStore extends AsyncDisposable {
  store: ObjectStore
  /** Opens the same objects as another process. */
  otherNode(): Promise<ObjectStore>
}

/** Opens an object store in a temporary folder. */
export async function openTestStore(start = '2000-01-01T00:00:00Z'): Promise<TestStore & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'fennec-objects-'))
  const open = () => openObjects({ location: folder, clock: manualClock({ start }) })
  return {
    folder,
    store: await open(),
    otherNode: open,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The backends of the object store. Each passes `objects.test.ts` and `writers.test.ts` (design §4). */
export const backends: [name: string, open: () => Promise<TestStore>][] = [
  ['filesystem', openTestStore],
  ['s3', () => openFixtureStore()],
  ...(serviceUrl === undefined ? [] : [['s3 service', openServiceStore] as [string, () => Promise<TestStore>]]),
]

/** Options of `expect.poll` for a loaded machine. */
export const patiently = { timeout: 25_000, interval: 5 }

/** Reads an object to its end, null when it is absent. */
export async function contentOf(store: ObjectStore, ...segments: [string, ...string[]]): Promise<string | null> {
  const opened = await store.get(storageKey(...segments))
  return opened && Buffer.concat(await opened.stream.toArray()).toString()
}

/** All keys below a prefix, in the order of the list. */
export async function keysOf(store: ObjectStore, prefix?: Parameters<ObjectStore['list']>[0]): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys
}

/** Content that fails after these chunks. */
export async function* breakingOff(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
  throw new Error('the sender went away')
}
