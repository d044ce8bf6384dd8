import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { storageKey } from './storage-key.ts'
import { backends, breakingOff, contentOf, keysOf, patiently, type TestStore } from './testing.ts'

describe.each(backends)('%s: storing', (_name, open) => {
  const key = storageKey('uploads', 1, 'file.txt')

  test.each([0, 1, 65_537, 3_000_000])('returns %i bytes unchanged', async (sizeBytes) => {
    await using suite = await open()
    const bytes = randomBytes(sizeBytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const chunks = Readable.from(chunksOf(bytes, 10_007))
    expect(await suite.store.put(key, chunks, { sizeBytes, sha256 })).toEqual({ sizeBytes, sha256 })
    const opened = await (await suite.otherNode()).get(key)
    expect(opened).toMatchObject({ sizeBytes, lengthBytes: sizeBytes })
    expect(Buffer.concat(await opened!.stream.toArray()).equals(bytes)).toBe(true)
    expect(await suite.store.head(key)).toMatchObject({ sizeBytes })
  })

  test('SHA-512 is checked when it is expected', async () => {
    await using suite = await open()
    const sha512 = createHash('sha512').update('abc').digest('hex')
    await suite.store.put(key, Readable.from(['abc']), { sha512 })
    await expect(suite.store.put(key, Readable.from(['abd']), { sha512 })).rejects.toMatchObject({
      code: 'digest_mismatch',
    })
    expect(await contentOf(suite.store, 'uploads', '1', 'file.txt')).toBe('abc')
  })

  test.each([
    ['digest_mismatch', { sha256: createHash('sha256').update('another').digest('hex') }],
    ['size_mismatch', { sizeBytes: 4 }],
    ['size_mismatch', { sizeBytes: 2 }],
    ['size_mismatch', { sizeBytes: 0 }],
  ])('unexpected content is refused: %s %j', async (code, expected) => {
    await using suite = await open()
    await expect(suite.store.put(key, Readable.from(['new']), expected)).rejects.toMatchObject({ code })
    expect(await suite.store.head(key)).toBeNull()
    await suite.store.put(key, Readable.from(['old']))
    await expect(suite.store.put(key, Readable.from(['new']), expected)).rejects.toMatchObject({ code })
    expect(await contentOf(suite.store, 'uploads', '1', 'file.txt')).toBe('old')
  })

  test('too much content is refused early, and its source stays open', async () => {
    await using suite = await open()
    const endless = Readable.from(
      (async function* () {
        while (true) yield Buffer.alloc(1000)
      })(),
    )
    await expect(suite.store.put(key, endless, { sizeBytes: 5000 })).rejects.toMatchObject({ code: 'size_mismatch' })
    expect(endless.destroyed).toBe(false)
    endless.destroy()
  })

  test('content that fails leaves nothing', async () => {
    await using suite = await open()
    await expect(suite.store.put(key, breakingOff('half'))).rejects.toThrow('the sender went away')
    const broken = new Readable({ read() {} })
    broken.push('half')
    const failed = expect(suite.store.put(key, broken)).rejects.toThrow()
    broken.destroy()
    await failed
    expect(await suite.store.head(key)).toBeNull()
    expect(await keysOf(suite.store)).toEqual([])
  })

  test('an object is invisible until it is complete, and replaced atomically', async () => {
    await using suite = await open()
    let continueSending = () => {}
    const gate = new Promise<void>((resolve) => {
      continueSending = resolve
    })
    let begun = false
    const slow = async function* () {
      yield Buffer.from('ne')
      begun = true
      await gate
      yield Buffer.from('w')
    }
    await suite.store.put(key, Readable.from(['old']))
    const before = await suite.store.get(key)
    const storing = suite.store.put(key, slow())
    await expect.poll(() => begun, patiently).toBe(true)
    expect(await contentOf(suite.store, 'uploads', '1', 'file.txt')).toBe('old')
    expect(await keysOf(suite.store)).toEqual([key])
    continueSending()
    await storing
    expect(await contentOf(suite.store, 'uploads', '1', 'file.txt')).toBe('new')
    expect(Buffer.concat(await before!.stream.toArray()).toString()).toBe('old')
  })

  test('of concurrent writers of one key one wins, completely', async () => {
    await using suite = await open()
    const nodes = [suite.store, await suite.otherNode()]
    const contents = Array.from({ length: 20 }, (_, index) => String(index % 10).repeat(30_000 + index))
    const storing = contents.map((text, index) =>
      nodes[index % 2]!.put(key, Readable.from(chunksOf(Buffer.from(text), 1000))),
    )
    await Promise.all(storing)
    expect(contents).toContain(await contentOf(suite.store, 'uploads', '1', 'file.txt'))
    expect(await keysOf(suite.store)).toEqual([key])
  })

  test.each(['-rf', '...', '..a', '.hidden', 'a'.repeat(255), 'CON', 'idle'])(
    'the unusual name %s is supported',
    async (segment) => {
      await using suite = await open()
      await suite.store.put(storageKey('a', segment, segment), Readable.from(['content']))
      expect(await contentOf(suite.store, 'a', segment, segment)).toBe('content')
      expect(await keysOf(suite.store)).toEqual([`a/${segment}/${segment}`])
    },
  )
})

describe.each(backends)('%s: reading', (_name, open) => {
  const key = storageKey('letters')

  test('a missing object is null', async () => {
    await using suite = await open()
    await suite.store.put(storageKey('a', 'b'), Readable.from(['x']))
    for (const absent of [storageKey('nothing'), storageKey('a'), storageKey('a', 'b', 'c'), storageKey('a', 'c')]) {
      expect(await suite.store.get(absent)).toBeNull()
      expect(await suite.store.head(absent)).toBeNull()
    }
  })

  test.each([
    [{ firstByte: 0 }, 'abcdefghij'],
    [{ firstByte: 0, lastByte: 0 }, 'a'],
    [{ firstByte: 9 }, 'j'],
    [{ firstByte: 9, lastByte: 9 }, 'j'],
    [{ firstByte: 2, lastByte: 4 }, 'cde'],
    [{ firstByte: 5, lastByte: 10 }, 'fghij'],
    [{ firstByte: 5, lastByte: Number.MAX_SAFE_INTEGER }, 'fghij'],
  ])('the range %j is %s', async (range, expected) => {
    await using suite = await open()
    await suite.store.put(key, Readable.from(['abcdefghij']))
    const opened = await suite.store.get(key, { range })
    expect(opened).toMatchObject({ sizeBytes: 10, lengthBytes: expected.length })
    expect(Buffer.concat(await opened!.stream.toArray()).toString()).toBe(expected)
  })

  test.each([
    ['abcdefghij', { firstByte: 10 }],
    ['abcdefghij', { firstByte: Number.MAX_SAFE_INTEGER }],
    ['abcdefghij', { firstByte: 5, lastByte: 4 }],
    ['', { firstByte: 0 }],
    ['', { firstByte: 0, lastByte: 0 }],
  ])('of %j the range %j is refused with the size', async (content, range) => {
    await using suite = await open()
    await suite.store.put(key, Readable.from([content]))
    const refused = { code: 'range_not_satisfiable', sizeBytes: content.length }
    await expect(suite.store.get(key, { range })).rejects.toMatchObject(refused)
  })

  test.each([{ firstByte: -1 }, { firstByte: 0.5 }, { firstByte: Number.NaN }, { firstByte: 0, lastByte: -1 }])(
    'the range %j is a RangeError',
    async (range) => {
      await using suite = await open()
      await suite.store.put(key, Readable.from(['abc']))
      await expect(suite.store.get(key, { range })).rejects.toThrow(RangeError)
    },
  )

  test('a reader may stop early', async () => {
    await using suite = await open()
    await suite.store.put(key, Readable.from([Buffer.alloc(2_000_000)]))
    const opened = await suite.store.get(key)
    for await (const chunk of opened!.stream) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    expect(opened!.stream.destroyed).toBe(true)
    expect(await suite.store.head(key)).toMatchObject({ sizeBytes: 2_000_000 })
  })
})

describe.each(backends)('%s: listing, copying, deleting', (_name, open) => {
  async function withObjects(suite: TestStore, ...keys: string[][]): Promise<void> {
    for (const [first, ...others] of keys)
      await suite.store.put(storageKey(first!, ...others), Readable.from(['content']))
  }

  test('lists in the order of the keys, by complete segments', async () => {
    await using suite = await open()
    await withObjects(
      suite,
      ['b', 'x'],
      ['a', 'z'],
      ['a', 'b', 'c'],
      ['a', 'b-', 'c'],
      ['ab', 'c'],
      ['a.b'],
      ['a', 'B'],
    )
    expect(await keysOf(suite.store)).toEqual(['a.b', 'a/B', 'a/b-/c', 'a/b/c', 'a/z', 'ab/c', 'b/x'])
    expect(await keysOf(suite.store, storageKey('a'))).toEqual(['a/B', 'a/b-/c', 'a/b/c', 'a/z'])
    expect(await keysOf(suite.store, storageKey('a', 'b'))).toEqual(['a/b/c'])
    expect(await keysOf(suite.store, storageKey('nothing'))).toEqual([])
    expect(await keysOf(suite.store, storageKey('a.b'))).toEqual([])
  })

  test('lists size and time, without unfinished uploads', async () => {
    await using suite = await open()
    await withObjects(suite, ['a', 'b'])
    const { id } = await suite.store.begin()
    await suite.store.append(id, 0, Readable.from(['unfinished']))
    const listed = []
    for await (const each of suite.store.list()) listed.push(each)
    expect(listed).toEqual([
      { key: 'a/b', sizeBytes: 7, modifiedAt: (await suite.store.head(storageKey('a', 'b')))?.modifiedAt },
    ])
  })

  test('deletes exactly one object, also repeatedly', async () => {
    await using suite = await open()
    await withObjects(suite, ['a', 'b', 'c'], ['a', 'd'])
    await suite.store.delete(storageKey('a', 'b', 'c'))
    await suite.store.delete(storageKey('a', 'b', 'c'))
    await suite.store.delete(storageKey('a'))
    expect(await keysOf(suite.store)).toEqual(['a/d'])
  })

  test('concurrent storing and deleting in one folder loses nothing', async () => {
    await using suite = await open()
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const key = storageKey('shared', 'folder', index)
        for (let round = 0; round < 20; round++) {
          await suite.store.put(key, Readable.from([`${round}`]))
          await suite.store.delete(key)
        }
        await suite.store.put(key, Readable.from(['last']))
      }),
    )
    expect((await keysOf(suite.store)).length).toBe(10)
  })

  test('a copy is independent', async () => {
    await using suite = await open()
    const [from, to] = [storageKey('a', 'b'), storageKey('c', 'd', 'e')]
    await withObjects(suite, ['a', 'b'])
    expect(await suite.store.copy(from, to)).toMatchObject({ sizeBytes: 7 })
    await suite.store.put(from, Readable.from(['another']))
    await suite.store.delete(from)
    expect(await contentOf(suite.store, 'c', 'd', 'e')).toBe('content')
    expect(await suite.store.copy(from, to)).toBeNull()
    expect(await contentOf(suite.store, 'c', 'd', 'e')).toBe('content')
    await suite.store.copy(to, to)
    expect(await contentOf(suite.store, 'c', 'd', 'e')).toBe('content')
  })
})

function* chunksOf(bytes: Buffer, chunkBytes: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes)
}
