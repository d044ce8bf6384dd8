import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../clock/index.ts'
import { storageKey } from '../../storage-key.ts'
import { breakingOff, contentOf, keysOf, patiently } from '../../testing.ts'
import { type FixtureStore, openFixtureStore } from '../testing.ts'

const key = storageKey('blobs', 'one')
const FUTURE = '2200-01-01T00:00:00Z'
const DAY_MS = 86_400_000

/** Opens a store with pieces of ten bytes, and uploads of two parts and groups of three. */
async function openSmall(): Promise<FixtureStore> {
  const fixture = await openFixtureStore({ partBytes: 10, directParts: 2, groupParts: 3, copyBytes: 40 })
  fixture.server.limits.minimalPartBytes = 10
  return fixture
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The keys of unfinished uploads. */
function unfinishedOf({ server }: FixtureStore): string[] {
  return [...server.objects.keys()].filter((one) => one.includes('.writing'))
}

describe('pieces of a writer', () => {
  test.each([
    ['one append', ['abcdefghij'.repeat(9)]],
    ['complete pieces', ['abcdefghij'.repeat(3), 'klmnopqrst', 'uvwxyzabcdefghij']],
    ['pieces of different sizes', ['abc', 'd'.repeat(27), 'ef', 'g'.repeat(10), 'h']],
    ['small pieces', ['a', 'b', 'c']],
    ['many small pieces', 'abcdefghijklmnopqrstuvwxyz'.split('')],
    ['an empty append at the end', ['abcdefghijkl', '']],
  ])('become an object that another node commits: %s', async (_name, texts) => {
    await using fixture = await openSmall()
    const { id } = await fixture.store.begin()
    let sizeBytes = 0
    for (const text of texts) {
      sizeBytes = (await fixture.store.append(id, sizeBytes, Readable.from([Buffer.from(text)]))).sizeBytes
    }
    const whole = texts.join('')
    const other = await fixture.otherNode()
    expect(await other.progress(id)).toEqual({ sizeBytes: whole.length })
    const sha256 = sha256Of(whole)
    expect(await other.commit(id, key, { sha256 })).toEqual({ sizeBytes: whole.length, sha256 })
    expect(await contentOf(fixture.store, 'blobs', 'one')).toBe(whole)
    expect([...fixture.server.objects.keys()]).toEqual(['some/prefix/blobs/one'])
    expect(fixture.server.uploads.size).toBe(0)
  })

  test('the node that received all bytes does not read them again, and the service copies complete parts', async () => {
    await using fixture = await openSmall()
    const { id } = await fixture.store.begin()
    await fixture.store.append(id, 0, Readable.from(['abcdefghij'.repeat(8)]))
    fixture.server.requests.length = 0
    await fixture.store.commit(id, key, { sha256: sha256Of('abcdefghij'.repeat(8)) })
    const used = new Set(fixture.server.requests.map(({ operation }) => operation))
    expect(used).not.toContain('GetObject')
    expect(used).not.toContain('UploadPart')
  })

  test('bytes received before a failure of the sender are stored', async () => {
    await using fixture = await openSmall()
    const { id } = await fixture.store.begin()
    await expect(fixture.store.append(id, 0, breakingOff('abcdefghij', 'klm'))).rejects.toThrow('the sender went away')
    expect(await (await fixture.otherNode()).progress(id)).toEqual({ sizeBytes: 13 })
  })

  test('a commit that fails leaves the writer, and can be repeated', async () => {
    await using fixture = await openSmall()
    const { id } = await fixture.store.begin()
    await fixture.store.append(id, 0, Readable.from(['abcdefghij'.repeat(8)]))
    fixture.server.fault = ({ operation }) =>
      operation === 'CompleteMultipartUpload' ? { status: 403, code: 'AccessDenied' } : undefined
    await expect(fixture.store.commit(id, key)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await fixture.store.head(key)).toBeNull()
    fixture.server.fault = () => undefined
    await fixture.store.commit(id, key, { sizeBytes: 80 })
    expect(await contentOf(fixture.store, 'blobs', 'one')).toBe('abcdefghij'.repeat(8))
  })
})

describe('failures of the service during an append', () => {
  test('bytes before the first piece that was not stored can be continued by any node', async () => {
    await using fixture = await openSmall()
    const { id } = await fixture.store.begin()
    fixture.server.fault = (request) =>
      request.key.includes('piece-0000000000000010-') ? { status: 403, code: 'AccessDenied' } : undefined
    await expect(fixture.store.append(id, 0, Readable.from(['a'.repeat(40)]))).rejects.toMatchObject({
      code: 'unavailable',
    })
    fixture.server.fault = () => undefined
    expect(await fixture.store.progress(id)).toEqual({ sizeBytes: 10 })
    const other = await fixture.otherNode()
    expect(await other.append(id, 10, Readable.from(['b'.repeat(10)]))).toEqual({ sizeBytes: 20 })
    expect(await fixture.store.append(id, 20, Readable.from(['c'.repeat(20)]))).toEqual({ sizeBytes: 40 })
    const whole = `${'a'.repeat(10)}${'b'.repeat(10)}${'c'.repeat(20)}`
    await fixture.store.commit(id, key, { sha256: sha256Of(whole) })
    expect(await contentOf(fixture.store, 'blobs', 'one')).toBe(whole)
  })

  test('a piece that arrives after the failure was reported does not count', async () => {
    await using fixture = await openSmall()
    const { id } = await fixture.store.begin()
    fixture.server.fault = ({ key: name }) =>
      name.includes('piece-') ? { status: 403, code: 'AccessDenied' } : undefined
    await expect(fixture.store.append(id, 0, Readable.from(['lost']))).rejects.toMatchObject({ code: 'unavailable' })
    const sent = fixture.server.requests.find(({ key: name }) => name.includes('piece-'))
    fixture.server.objects.set(sent!.key, { ...[...fixture.server.objects.values()][0]!, body: Buffer.from('lost') })
    fixture.server.fault = () => undefined
    expect(await fixture.store.progress(id)).toEqual({ sizeBytes: 0 })
    await fixture.store.append(id, 0, Readable.from(['kept']))
    await fixture.store.commit(id, key)
    expect(await contentOf(fixture.store, 'blobs', 'one')).toBe('kept')
  })
})

describe('writers on several nodes', () => {
  test('an append of a dead node can be continued, and the dead one is fenced off', async () => {
    await using fixture = await openSmall()
    const successor = await fixture.open({ staleMs: 0 })
    const { id } = await fixture.store.begin()
    const stuck = new Readable({ read() {} })
    stuck.push('abcdefghij')
    const lost = expect(fixture.store.append(id, 0, stuck)).rejects.toMatchObject({ code: 'writer_unknown' })
    await expect.poll(() => successor.progress(id), patiently).toEqual({ sizeBytes: 10 })
    const busy = { code: 'writer_busy' }
    await expect((await fixture.otherNode()).append(id, 10, Readable.from(['x']))).rejects.toMatchObject(busy)
    expect(await successor.append(id, 10, Readable.from(['def']))).toEqual({ sizeBytes: 13 })
    stuck.push('XYZ'.repeat(10))
    stuck.push(null)
    await lost
    expect(await successor.progress(id)).toEqual({ sizeBytes: 13 })
    await fixture.store.commit(id, key, { sha256: sha256Of('abcdefghijdef') })
    expect(await contentOf(fixture.store, 'blobs', 'one')).toBe('abcdefghijdef')
    expect(unfinishedOf(fixture)).toEqual([])
  })

  test('a node that could not show that it lives does not claim success', async () => {
    await using fixture = await openSmall()
    const clock = manualClock({ start: FUTURE })
    const store = await fixture.open({ clock })
    const { id } = await store.begin()
    const source = new Readable({ read() {} })
    source.push('abc')
    const lost = expect(store.append(id, 0, source)).rejects.toMatchObject({ code: 'writer_unknown' })
    await expect.poll(() => store.progress(id), patiently).toEqual({ sizeBytes: 3 })
    const beats = () => fixture.server.requests.filter((one) => one.key.includes('claim-')).length
    fixture.server.fault = ({ key: name }) =>
      name.includes('claim-') ? { status: 403, code: 'AccessDenied' } : undefined
    const before = beats()
    clock.advance(15_000)
    await expect.poll(beats, patiently).toBeGreaterThan(before)
    clock.advance(30_000)
    source.push(null)
    await lost
  })

  test('a running append shows that it lives', async () => {
    await using fixture = await openSmall()
    const clock = manualClock({ start: FUTURE })
    const store = await fixture.open({ clock })
    const { id } = await store.begin()
    const source = new Readable({ read() {} })
    source.push('abc')
    const appending = store.append(id, 0, source)
    const claims = () => fixture.server.requests.filter((one) => one.key.includes('claim-')).length
    await expect.poll(claims, patiently).toBe(1)
    await expect.poll(() => clock.pendingTimers, patiently).toBe(1)
    for (let beat = 2; beat <= 4; beat++) {
      clock.advance(15_000)
      await expect.poll(claims, patiently).toBe(beat)
      await expect.poll(() => clock.pendingTimers, patiently).toBe(1)
    }
    source.push(null)
    expect(await appending).toEqual({ sizeBytes: 3 })
    expect(clock.pendingTimers).toBe(0)
  })

  test('of appends of many nodes at one offset at most one succeeds', async () => {
    await using fixture = await openSmall()
    const { id } = await fixture.store.begin()
    const nodes = await Promise.all(Array.from({ length: 6 }, () => fixture.otherNode()))
    const results = await Promise.allSettled(
      nodes.map((node, index) => node.append(id, 0, Readable.from([String(index).repeat(25)]))),
    )
    const won = results.flatMap((result, index) => (result.status === 'fulfilled' ? [index] : []))
    expect(won.length).toBeLessThanOrEqual(1)
    const expected = won.length === 1 ? String(won[0]).repeat(25) : ''
    expect(await fixture.store.progress(id)).toEqual({ sizeBytes: expected.length })
    await fixture.store.commit(id, key)
    expect(await contentOf(fixture.store, 'blobs', 'one')).toBe(expected)
  })
})

describe('abandoned data', () => {
  async function abandon(fixture: FixtureStore): Promise<string> {
    const { id } = await fixture.store.begin()
    await fixture.store.append(id, 0, Readable.from(['abcdefghijklm']))
    await fixture.store.put(storageKey('kept'), Readable.from(['content']))
    const { server } = fixture
    server.uploads.set('torn', { key: 'some/prefix/torn', startedAt: new Date(), parts: new Map() })
    server.uploads.set('foreign', { key: 'other/torn', startedAt: new Date(), parts: new Map() })
    server.objects.set('some/prefix/.writing/0123/group', [...server.objects.values()][0]!)
    return id
  }

  test('is removed when it was not used for a time, and nothing else', async () => {
    await using fixture = await openSmall()
    const id = await abandon(fixture)
    expect(await fixture.store.removeAbandoned(DAY_MS)).toBe(0)
    expect(await fixture.store.progress(id)).toEqual({ sizeBytes: 13 })
    const later = await fixture.open({ clock: manualClock({ start: FUTURE }) })
    fixture.server.limits.pageKeys = 1
    expect(await later.removeAbandoned(DAY_MS)).toBe(3)
    expect(await later.progress(id)).toBeNull()
    expect(unfinishedOf(fixture)).toEqual([])
    expect([...fixture.server.uploads.keys()]).toEqual(['foreign'])
    expect(await keysOf(later)).toEqual(['kept'])
  })

  test('an old upload with new parts is in use', async () => {
    await using fixture = await openSmall()
    const stored = { body: Buffer.from(''), etag: '', modifiedAt: new Date() }
    const startedAt = new Date(Date.now() - 2 * DAY_MS)
    fixture.server.uploads.set('slow', { key: 'some/prefix/slow', startedAt, parts: new Map([[1, stored]]) })
    const now = await fixture.open({ clock: manualClock({ start: new Date() }) })
    expect(await now.removeAbandoned(DAY_MS)).toBe(0)
    fixture.server.uploads.get('slow')!.parts.clear()
    expect(await now.removeAbandoned(DAY_MS)).toBe(1)
  })

  test('services without a list of uploads are supported', async () => {
    await using fixture = await openSmall()
    await abandon(fixture)
    fixture.server.fault = ({ operation }) =>
      operation === 'ListMultipartUploads' ? { status: 501, code: 'NotImplemented' } : undefined
    const later = await fixture.open({ clock: manualClock({ start: FUTURE }) })
    expect(await later.removeAbandoned(DAY_MS)).toBe(2)
  })
})
