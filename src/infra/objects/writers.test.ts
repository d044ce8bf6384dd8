import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { storageKey } from './storage-key.ts'
import { backends, breakingOff, contentOf, keysOf, patiently, type TestStore } from './testing.ts'

const key = storageKey('blobs', 'one')

describe.each(backends)('%s: uploads in parts', (_name, open) => {
  test('appends in several requests on several nodes and commits', async () => {
    await using suite = await open()
    const other = await suite.otherNode()
    const { id } = await suite.store.begin()
    expect(await suite.store.progress(id)).toEqual({ sizeBytes: 0 })
    expect(await suite.store.append(id, 0, Readable.from(['abc']))).toEqual({ sizeBytes: 3 })
    expect(await other.append(id, 3, Readable.from(['de']))).toEqual({ sizeBytes: 5 })
    expect(await suite.store.append(id, 5, Readable.from(['f', 'g']))).toEqual({ sizeBytes: 7 })
    expect(await other.progress(id)).toEqual({ sizeBytes: 7 })
    expect(await keysOf(suite.store)).toEqual([])
    const sha256 = createHash('sha256').update('abcdefg').digest('hex')
    expect(await suite.store.commit(id, key, { sha256, sizeBytes: 7 })).toEqual({ sizeBytes: 7, sha256 })
    expect(await contentOf(other, 'blobs', 'one')).toBe('abcdefg')
  })

  test('an empty upload is an empty object', async () => {
    await using suite = await open()
    const { id } = await suite.store.begin()
    await suite.store.append(id, 0, Readable.from([]))
    expect((await suite.store.commit(id, key)).sizeBytes).toBe(0)
    expect(await contentOf(suite.store, 'blobs', 'one')).toBe('')
  })

  test('SHA-512 is checked when it is expected', async () => {
    await using suite = await open()
    const { id } = await suite.store.begin()
    await suite.store.append(id, 0, Readable.from(['abc']))
    const stored = await suite.store.commit(id, key, { sha512: createHash('sha512').update('abc').digest('hex') })
    expect(stored.sha256).toBe(createHash('sha256').update('abc').digest('hex'))
  })

  test('a committed or cancelled writer is gone', async () => {
    await using suite = await open()
    const committed = await suite.store.begin()
    await suite.store.commit(committed.id, key)
    const cancelled = await suite.store.begin()
    await suite.store.append(cancelled.id, 0, Readable.from(['abc']))
    await suite.store.cancel(cancelled.id)
    await suite.store.cancel(cancelled.id)
    for (const { id } of [committed, cancelled]) await expectUnknown(suite, id)
  })

  test.each(['', '.', '..', '../../etc', 'put-1', '0'.repeat(32), `${'0'.repeat(31)}/`, 'é'.repeat(32), '\0'])(
    'the writer %j does not exist',
    async (id) => {
      await using suite = await open()
      await suite.store.put(key, Readable.from(['content']))
      await suite.store.cancel(id)
      await expectUnknown(suite, id)
      expect(await contentOf(suite.store, 'blobs', 'one')).toBe('content')
    },
  )
})

describe.each(backends)('%s: failed uploads', (_name, open) => {
  test.each([-1, 0, 2, 4, 1.5, Number.NaN])(
    'the offset %d is refused for a writer of three bytes',
    async (offsetBytes) => {
      await using suite = await open()
      const { id } = await suite.store.begin()
      await suite.store.append(id, 0, Readable.from(['abc']))
      const source = Readable.from(['xyz'])
      const refused = { code: 'offset_mismatch', sizeBytes: 3 }
      await expect(suite.store.append(id, offsetBytes, source)).rejects.toMatchObject(refused)
      expect(source.destroyed).toBe(false)
      expect(await suite.store.append(id, 3, source)).toEqual({ sizeBytes: 6 })
    },
  )

  test('a failed append can be continued', async () => {
    await using suite = await open()
    const { id } = await suite.store.begin()
    await suite.store.append(id, 0, Readable.from(['abc']))
    await expect(suite.store.append(id, 3, breakingOff('de', 'f'))).rejects.toThrow('the sender went away')
    expect(await suite.store.progress(id)).toEqual({ sizeBytes: 6 })
    await suite.store.append(id, 6, Readable.from(['ghi']))
    const sha256 = createHash('sha256').update('abcdefghi').digest('hex')
    expect(await suite.store.commit(id, key, { sha256 })).toEqual({ sizeBytes: 9, sha256 })
  })

  test.each([{ sha256: '0'.repeat(64) }, { sha512: '0'.repeat(128) }, { sizeBytes: 4 }])(
    'a commit of other content than %j ends the writer and stores nothing',
    async (expected) => {
      await using suite = await open()
      await suite.store.put(key, Readable.from(['old']))
      const { id } = await suite.store.begin()
      await suite.store.append(id, 0, Readable.from(['abc']))
      await expect(suite.store.commit(id, key, expected)).rejects.toMatchObject({ code: /_mismatch$/ })
      await expectUnknown(suite, id)
      expect(await contentOf(suite.store, 'blobs', 'one')).toBe('old')
    },
  )
})

describe.each(backends)('%s: concurrent uploads', (_name, open) => {
  test('concurrent appends and commits fail as busy', async () => {
    await using suite = await open()
    const { id } = await suite.store.begin()
    const source = new Readable({ read() {} })
    source.push('abc')
    const appending = suite.store.append(id, 0, source)
    await expect.poll(() => suite.store.progress(id), patiently).toEqual({ sizeBytes: 3 })
    for (const node of [suite.store, await suite.otherNode()]) {
      await expect(node.append(id, 3, Readable.from(['x']))).rejects.toMatchObject({ code: 'writer_busy' })
      await expect(node.commit(id, key)).rejects.toMatchObject({ code: 'writer_busy' })
    }
    source.push(null)
    await appending
    await suite.store.commit(id, key)
    expect(await contentOf(suite.store, 'blobs', 'one')).toBe('abc')
  })

  test('a cancelled append fails', async () => {
    await using suite = await open()
    const { id } = await suite.store.begin()
    const source = new Readable({ read() {} })
    source.push('abc')
    const failed = expect(suite.store.append(id, 0, source)).rejects.toMatchObject({ code: 'writer_unknown' })
    await expect.poll(() => suite.store.progress(id), patiently).toEqual({ sizeBytes: 3 })
    await (await suite.otherNode()).cancel(id)
    source.push(null)
    await failed
    expect(await suite.store.progress(id)).toBeNull()
  })

  test('of concurrent appends at one offset one succeeds', async () => {
    await using suite = await open()
    const { id } = await suite.store.begin()
    const texts = Array.from({ length: 10 }, (_, index) => String(index).repeat(1000))
    const results = await Promise.allSettled(texts.map((text) => suite.store.append(id, 0, Readable.from([text]))))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await suite.store.commit(id, key)
    expect(texts).toContain(await contentOf(suite.store, 'blobs', 'one'))
  })

  test('of concurrent commits one succeeds', async () => {
    await using suite = await open()
    const { id } = await suite.store.begin()
    await suite.store.append(id, 0, Readable.from(['abc']))
    const commits = Array.from({ length: 5 }, () => suite.store.commit(id, key))
    const results = await Promise.allSettled(commits)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await contentOf(suite.store, 'blobs', 'one')).toBe('abc')
  })
})

async function expectUnknown({ store }: TestStore, id: string): Promise<void> {
  expect(await store.progress(id)).toBeNull()
  await expect(store.append(id, 0, Readable.from(['x']))).rejects.toMatchObject({ code: 'writer_unknown' })
  await expect(store.commit(id, key)).rejects.toMatchObject({ code: 'writer_unknown' })
}
