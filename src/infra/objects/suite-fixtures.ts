import type { ObjectStore } from './object-store.ts'
import { storageKey } from './storage-key.ts'

/** An object store of a test's own, empty at first, gone at the end. */
export interface SuiteStore extends AsyncDisposable {
  store: ObjectStore
  /** The same objects as another process sees them. */
  otherNode(): Promise<ObjectStore>
}

/** For `expect.poll`: how long a loaded machine may take for what must happen. */
export const patiently = { timeout: 25_000, interval: 5 }

/** Reads an object to its end, null when it is absent. */
export async function contentOf(store: ObjectStore, ...segments: [string, ...string[]]): Promise<string | null> {
  const opened = await store.get(storageKey(...segments))
  return opened && Buffer.concat(await opened.stream.toArray()).toString()
}

/** All keys below a prefix, in the order in which they came. */
export async function keysOf(store: ObjectStore, prefix?: Parameters<ObjectStore['list']>[0]): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys
}

/** Content whose sender goes away after these chunks. */
export async function* breakingOff(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
  throw new Error('the sender went away')
}
