import { Mutex } from 'async-mutex'

const locks = new WeakMap<object, Map<number, Mutex>>()

/** Runs tasks with the same key one after another, in the order of the calls. @param owner of the keys */
export async function oneAtATime<T>(owner: object, key: number, task: () => Promise<T>): Promise<T> {
  const byKey = locks.get(owner) ?? new Map<number, Mutex>()
  locks.set(owner, byKey)
  const mutex = byKey.get(key) ?? new Mutex()
  byKey.set(key, mutex)
  try {
    return await mutex.runExclusive(task)
  } finally {
    if (!mutex.isLocked()) byKey.delete(key)
  }
}
