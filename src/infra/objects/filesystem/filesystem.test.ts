import { mkdir, readdir, readFile, readlink, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../clock/index.ts'
import { ObjectError, openObjects, storageKey } from '../index.ts'
import { breakingOff, contentOf, keysOf, openTestStore, patiently, type TestStore } from '../testing.ts'
import { translate } from './files.ts'

/** Later than any file that a test makes. */
const FUTURE = '2200-01-01T00:00:00Z'
const HOUR_MS = 3_600_000

describe('the folder of objects', () => {
  test('the path is the key, readable only by the owner', async () => {
    await using suite = await openTestStore()
    await suite.store.put(storageKey('blobs', 'sha256', 'ab', 'abcd'), Readable.from(['content']))
    const path = join(suite.folder, 'blobs', 'sha256', 'ab', 'abcd')
    expect(await readFile(path, 'utf8')).toBe('content')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(suite.folder, 'blobs'))).mode & 0o777).toBe(0o700)
  })

  test('chunks of all sizes arrive in order, also when they come faster than they are written', async () => {
    await using suite = await openTestStore()
    const sizes = Array.from({ length: 400 }, (_, index) => (index * 7919) % 70_001)
    const chunks = sizes.map((size, index) => Buffer.alloc(size, `${index},`))
    const key = storageKey('chunks')
    await suite.store.put(key, Readable.from(chunks))
    const content = Buffer.concat(chunks)
    expect((await readFile(join(suite.folder, 'chunks'))).equals(content)).toBe(true)
    const { id } = await suite.store.begin()
    const failing = async function* () {
      yield* chunks
      throw new Error('broken off')
    }
    await suite.store.append(id, 0, Readable.from(failing())).catch(() => {})
    expect(await suite.store.progress(id)).toEqual({ sizeBytes: content.length })
    await suite.store.append(id, content.length, Readable.from(chunks))
    await suite.store.commit(id, key)
    expect((await readFile(join(suite.folder, 'chunks'))).equals(Buffer.concat([content, content]))).toBe(true)
  })

  test('a file is closed when its content was read, in part or not at all', async () => {
    await using suite = await openTestStore()
    const key = storageKey('large')
    await suite.store.put(key, Readable.from([Buffer.alloc(1_000_000)]))
    const path = join(suite.folder, 'large')
    const openFiles = async () => {
      const names = await readdir('/proc/self/fd').catch(() => [])
      const targets = await Promise.all(names.map((name) => readlink(join('/proc/self/fd', name)).catch(() => '')))
      return targets.filter((target) => target === path).length
    }
    const [unread, begun, whole] = [await suite.store.get(key), await suite.store.get(key), await suite.store.get(key)]
    for await (const chunk of begun!.stream) if (chunk.length > 0) break
    expect(Buffer.concat(await whole!.stream.toArray())).toHaveLength(1_000_000)
    unread!.stream.destroy()
    await expect.poll(openFiles).toBe(0)
  })

  test('a file that has become shorter is no whole content', async () => {
    await using suite = await openTestStore()
    const key = storageKey('shorter')
    await suite.store.put(key, Readable.from([Buffer.alloc(1_000_000)]))
    const opened = await suite.store.get(key)
    await truncate(join(suite.folder, 'shorter'), 300_000)
    await expect(opened!.stream.toArray()).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('failures leave no unfinished file', async () => {
    await using suite = await openTestStore()
    const key = storageKey('a', 'b')
    await suite.store.put(key, Readable.from(['x']))
    await suite.store.put(key, breakingOff('half')).catch(() => {})
    await suite.store.put(key, Readable.from(['x']), { sha256: 'no' }).catch(() => {})
    await suite.store.put(storageKey('a'), Readable.from(['x'])).catch(() => {})
    await suite.store.copy(key, storageKey('a')).catch(() => {})
    const { id } = await suite.store.begin()
    await suite.store.commit(id, storageKey('c'))
    expect(await readdir(join(suite.folder, '.writing'))).toEqual([])
  })

  test('deletion removes empty folders, except the root', async () => {
    await using suite = await openTestStore()
    await suite.store.put(storageKey('a', 'b', 'c'), Readable.from(['x']))
    await suite.store.put(storageKey('a', 'd'), Readable.from(['x']))
    await suite.store.delete(storageKey('a', 'b', 'c'))
    expect(await readdir(join(suite.folder, 'a'))).toEqual(['d'])
    await suite.store.delete(storageKey('a', 'd'))
    expect(await readdir(suite.folder)).toEqual(['.writing'])
  })

  test('an object cannot be the folder of another', async () => {
    await using suite = await openTestStore()
    await suite.store.put(storageKey('a', 'b'), Readable.from(['content']))
    const conflict = { code: 'key_conflict' }
    await expect(suite.store.put(storageKey('a'), Readable.from(['x']))).rejects.toMatchObject(conflict)
    await expect(suite.store.put(storageKey('a', 'b', 'c'), Readable.from(['x']))).rejects.toMatchObject(conflict)
    const { id } = await suite.store.begin()
    await expect(suite.store.commit(id, storageKey('a'))).rejects.toMatchObject(conflict)
    await suite.store.commit(id, storageKey('c'))
    expect(await keysOf(suite.store)).toEqual(['a/b', 'c'])
  })

  test('files that are not objects are not listed', async () => {
    await using suite = await openTestStore()
    await suite.store.put(storageKey('a', 'b'), Readable.from(['content']))
    await writeFile(join(suite.folder, '.hidden'), 'x')
    await writeFile(join(suite.folder, 'a', 'not a key'), 'x')
    await mkdir(join(suite.folder, 'a', 'empty'))
    await symlink('/etc/passwd', join(suite.folder, 'a', 'link'))
    expect(await keysOf(suite.store)).toEqual(['a/b'])
  })

  test('a full disk has its own error', () => {
    const full = translate(Object.assign(new Error('write'), { code: 'ENOSPC' }))
    expect(full).toBeInstanceOf(ObjectError)
    expect(full).toMatchObject({ code: 'storage_full' })
    const other = Object.assign(new Error('read'), { code: 'EIO' })
    expect(translate(other)).toBe(other)
  })
})

describe('leftovers of a crash', () => {
  /** As if processes had died in the middle of a put, of an append and between two appends. */
  async function crash(suite: TestStore & { folder: string }): Promise<{ idle: string; torn: string }> {
    const writing = join(suite.folder, '.writing')
    await writeFile(join(writing, 'put-0123'), 'torn')
    const idle = await suite.store.begin()
    await suite.store.append(idle.id, 0, Readable.from(['abc']))
    const torn = '0'.repeat(32)
    await mkdir(join(writing, torn))
    await writeFile(join(writing, torn, 'busy-0-dead'), 'abc')
    return { idle: idle.id, torn }
  }

  test('are not objects, and are not removed at the start within a day', async () => {
    await using suite = await openTestStore()
    const { idle, torn } = await crash(suite)
    const restarted = await suite.otherNode()
    expect(await keysOf(restarted)).toEqual([])
    expect(await restarted.progress(idle)).toEqual({ sizeBytes: 3 })
    expect(await restarted.progress(torn)).toEqual({ sizeBytes: 3 })
    expect(await readdir(join(suite.folder, '.writing'))).toHaveLength(3)
  })

  test('are removed at the start when they are older', async () => {
    await using suite = await openTestStore()
    const { idle, torn } = await crash(suite)
    await suite.store.put(storageKey('kept'), Readable.from(['content']))
    const later = await openObjects({ location: suite.folder, clock: manualClock({ start: FUTURE }) })
    expect(await readdir(join(suite.folder, '.writing'))).toEqual([])
    expect(await later.progress(idle)).toBeNull()
    expect(await later.progress(torn)).toBeNull()
    expect(await contentOf(later, 'kept')).toBe('content')
  })

  test('are not what this process writes, however far the clock leaps ahead meanwhile', async () => {
    await using suite = await openTestStore()
    const clock = manualClock({ start: new Date() })
    const store = await openObjects({ location: suite.folder, clock })
    const content = new Readable({ read() {} })
    content.push('con')
    const putting = store.put(storageKey('slow'), content)
    await expect.poll(() => readdir(join(suite.folder, '.writing')), patiently).toHaveLength(1)
    clock.advance(1000 * HOUR_MS)
    expect(await store.removeAbandoned(HOUR_MS)).toBe(0)
    content.push('tent')
    content.push(null)
    await putting
    expect(await contentOf(store, 'slow')).toBe('content')
  })

  test('have an age limit that the caller sets', async () => {
    await using suite = await openTestStore()
    await crash(suite)
    const { mtime } = await stat(join(suite.folder, '.writing', 'put-0123'))
    const clock = manualClock({ start: new Date(mtime.getTime() + HOUR_MS) })
    const store = await openObjects({ location: suite.folder, clock, abandonedAfterMs: 2 * HOUR_MS })
    expect(await readdir(join(suite.folder, '.writing'))).toHaveLength(3)
    expect(await store.removeAbandoned(HOUR_MS / 2)).toBe(3)
    expect(await readdir(join(suite.folder, '.writing'))).toEqual([])
  })

  test('an append of a dead process can be continued after a minute, and the dead one is fenced off', async () => {
    await using suite = await openTestStore(FUTURE)
    const clock = manualClock({ start: FUTURE })
    const successor = await openObjects({ location: suite.folder, clock, abandonedAfterMs: Number.MAX_SAFE_INTEGER })
    const { id } = await suite.store.begin()
    const stuck = new Readable({ read() {} })
    stuck.push('abc')
    const lost = expect(suite.store.append(id, 0, stuck)).rejects.toMatchObject({ code: 'writer_unknown' })
    await expect.poll(() => suite.store.progress(id), patiently).toEqual({ sizeBytes: 3 })
    clock.advance(59_000)
    const busy = { code: 'writer_busy' }
    await expect(successor.append(id, 3, Readable.from(['def']))).rejects.toMatchObject(busy)
    clock.advance(1_000)
    expect(await successor.append(id, 3, Readable.from(['def']))).toEqual({ sizeBytes: 6 })
    stuck.push('XYZ')
    stuck.push(null)
    await lost
    await successor.commit(id, storageKey('a'))
    expect(await contentOf(suite.store, 'a')).toBe('abcdef')
  })
})
