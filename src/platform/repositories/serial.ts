import { Mutex } from 'async-mutex'
import { type Platform, perPlatform } from '../platform.ts'

const mutexes = perPlatform(() => new Map<number, Mutex>())

/** Runs tasks with the same key one after another, in the order of the calls. */
export async function oneAtATime<T>(platform: Platform, key: number, task: () => Promise<T>): Promise<T> {
  const byKey = mutexes(platform)
  const mutex = byKey.get(key) ?? new Mutex()
  byKey.set(key, mutex)
  try {
    return await mutex.runExclusive(task)
  } finally {
    if (!mutex.isLocked()) byKey.delete(key)
  }
}
