import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { storageKey } from '../storage-key.ts'
import { breakingOff, contentOf, keysOf } from '../testing.ts'
import { LIMITS } from './bucket.ts'
import type { Received } from './fixture-server.ts'
import { parseS3Location } from './location.ts'
import { type FixtureStore, openFixtureStore } from './testing.ts'

const key = storageKey('blobs', 'one')

/** Opens a store with parts of ten bytes, two of which are sent directly and the others in groups of three. */
async function openSmall(): Promise<FixtureStore> {
  const fixture = await openFixtureStore({ partBytes: 10, directParts: 2, groupParts: 3, copyBytes: 40 })
  fixture.server.limits.minimalPartBytes = 10
  return fixture
}

function countOf({ server }: FixtureStore, operation: Received['operation']): number {
  return server.requests.filter((one) => one.operation === operation).length
}

describe('objects in parts', () => {
  test.each([9, 10, 11, 20, 21, 50, 51, 137])('%i bytes are stored in parts and groups', async (sizeBytes) => {
    await using fixture = await openSmall()
    const text = randomBytes(sizeBytes)
      .toString('latin1')
      .replace(/[^a-z]/g, 'x')
    const sha256 = createHash('sha256').update(text).digest('hex')
    await fixture.store.put(key, Readable.from([text.slice(0, 7), text.slice(7)]), { sha256 })
    expect(await contentOf(fixture.store, 'blobs', 'one')).toBe(text)
    expect([...fixture.server.objects.keys()]).toEqual(['some/prefix/blobs/one'])
    expect(fixture.server.uploads.size).toBe(0)
  })

  test('unexpected or broken content leaves no parts', async () => {
    await using fixture = await openSmall()
    const text = 'x'.repeat(75)
    await expect(fixture.store.put(key, Readable.from([text]), { sha256: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'digest_mismatch',
    })
    await expect(fixture.store.put(key, Readable.from([text]), { sizeBytes: 70 })).rejects.toMatchObject({
      code: 'size_mismatch',
    })
    await expect(fixture.store.put(key, breakingOff(text))).rejects.toThrow('the sender went away')
    expect(fixture.server.uploads.size).toBe(0)
    expect(await fixture.store.head(key)).toBeNull()
  })

  test('large objects are copied in parts, also by services that cannot copy parts', async () => {
    await using fixture = await openSmall()
    const text = 'abcdefghij'.repeat(20)
    fixture.server.limits.copyBytes = 40
    await fixture.store.put(key, Readable.from([text]))
    expect(await fixture.store.copy(key, storageKey('copied'))).toMatchObject({ sizeBytes: 200 })
    expect(countOf(fixture, 'UploadPartCopy')).toBeGreaterThan(4)
    fixture.server.fault = ({ operation }) =>
      operation === 'UploadPartCopy' ? { status: 501, code: 'NotImplemented' } : undefined
    await fixture.store.copy(key, storageKey('sent'))
    expect(await contentOf(fixture.store, 'copied')).toBe(text)
    expect(await contentOf(fixture.store, 'sent')).toBe(text)
  })

  test('a list of several pages is complete and sorted', async () => {
    await using fixture = await openFixtureStore()
    fixture.server.limits.pageKeys = 3
    const names = ['b', 'a-', 'a.', 'c', 'd', 'a', 'e', 'f']
    for (const name of names) await fixture.store.put(storageKey('list', name), Readable.from([name]))
    expect(await keysOf(fixture.store, storageKey('list'))).toEqual(names.sort().map((name) => `list/${name}`))
  })

  test('other names in the bucket are not listed', async () => {
    await using fixture = await openFixtureStore()
    const { objects } = fixture.server
    await fixture.store.put(key, Readable.from(['x']))
    for (const other of ['', 'a b', '.hidden', 'a//b']) {
      objects.set(`some/prefix/${other}`, [...objects.values()][0]!)
    }
    objects.set('some/prefixed', [...objects.values()][0]!)
    expect(await keysOf(fixture.store)).toEqual(['blobs/one'])
  })
})

describe('failures of the service', () => {
  /** Applies a fault to the first request of an operation. */
  function once(
    fixture: FixtureStore,
    operation: Received['operation'],
    fault: ReturnType<FixtureStore['server']['fault']>,
  ) {
    let isDone = false
    fixture.server.fault = (request) => {
      if (isDone || request.operation !== operation) return undefined
      isDone = true
      return fault
    }
  }

  test.each([
    ['PutObject', { status: 503, code: 'SlowDown' }],
    ['PutObject', { status: 500, code: 'InternalError' }],
    ['PutObject', 'break'],
    ['PutObject', 'break after the work'],
    ['GetObject', { status: 503, code: 'SlowDown' }],
    ['GetObject', 'break'],
    ['GetObject', 'break in the body'],
  ] as const)('one failure of %s is repaired: %j', async (operation, fault) => {
    await using fixture = await openFixtureStore()
    once(fixture, operation, fault)
    await fixture.store.put(key, Readable.from(['abcdefghij']))
    expect(await contentOf(fixture.store, 'blobs', 'one')).toBe('abcdefghij')
    expect(countOf(fixture, operation)).toBe(2)
  })

  test.each([
    ['UploadPart', 'break'],
    ['CompleteMultipartUpload', 'break'],
    ['CompleteMultipartUpload', 'break after the work'],
  ] as const)('one failure of %s is repaired in an upload of parts: %s', async (operation, fault) => {
    await using fixture = await openSmall()
    once(fixture, operation, fault)
    await fixture.store.put(key, Readable.from(['abcdefghij'.repeat(7)]))
    expect(await contentOf(fixture.store, 'blobs', 'one')).toBe('abcdefghij'.repeat(7))
  })

  test('a download that breaks is continued within its range', async () => {
    await using fixture = await openFixtureStore()
    await fixture.store.put(key, Readable.from(['abcdefghij']))
    once(fixture, 'GetObject', 'break in the body')
    const opened = await fixture.store.get(key, { range: { firstByte: 2, lastByte: 7 } })
    expect(Buffer.concat(await opened!.stream.toArray()).toString()).toBe('cdefgh')
    expect(countOf(fixture, 'GetObject')).toBe(2)
  })

  test('a download does not continue with the bytes of a newer object', async () => {
    await using fixture = await openFixtureStore()
    await fixture.store.put(key, Readable.from(['abcdefghij']))
    once(fixture, 'GetObject', 'break in the body')
    const opened = await fixture.store.get(key)
    await fixture.store.put(key, Readable.from(['0123456789']))
    await expect(opened!.stream.toArray()).rejects.toThrow()
  })

  test.each([
    ['storage_full', { status: 507, code: 'InsufficientStorage' }],
    ['storage_full', { status: 403, code: 'QuotaExceeded' }],
    ['key_conflict', { status: 409, code: 'ObjectParentIsFile' }],
    ['unavailable', { status: 403, code: 'AccessDenied' }],
    ['unavailable', { status: 404, code: 'NoSuchBucket' }],
    ['unavailable', { status: 404, code: 'XAdminUserNotFound' }],
    ['unavailable', { status: 503, code: 'ServiceUnavailable' }],
    ['unavailable', 'break'],
  ] as const)('a lasting failure has the code %s: %j', async (code, fault) => {
    await using fixture = await openFixtureStore()
    fixture.server.fault = () => fault
    await expect(fixture.store.put(key, Readable.from(['x']))).rejects.toMatchObject({ code })
    if (code === 'unavailable') await expect(fixture.store.get(key)).rejects.toMatchObject({ code })
  })
})

describe('opening a bucket', () => {
  test.each([
    ['no bucket', 's3://another', {}, /^FENNEC_OBJECTS_URL: there is no bucket another at http:\/\/127[.0-9:]+$/],
    [
      'a wrong key',
      's3://fixture',
      { accessKeyId: 'wrong' },
      /^FENNEC_OBJECTS_URL: the bucket fixture at .* refuses the access key \(InvalidAccessKeyId\)$/,
    ],
  ])('stops the start with one line: %s', async (_name, bucket, key, message) => {
    await using fixture = await openFixtureStore()
    const credentials = { accessKeyId: 'fixture-key', secretAccessKey: 'hush', ...key }
    const location = parseS3Location(`${bucket}?endpoint=${fixture.server.url}`)
    const opening = fixture.open({ location, credentials })
    await expect(opening).rejects.toThrow(message)
  })

  test('without credentials names the variables to set', async () => {
    await using fixture = await openFixtureStore()
    const missing = Object.assign(new Error('no'), { name: 'CredentialsProviderError' })
    const opening = fixture.open({ credentials: () => Promise.reject(missing) })
    await expect(opening).rejects.toThrow(/^FENNEC_OBJECTS_URL: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY$/)
  })

  test('a service that cannot be reached is named', async () => {
    const fixture = await openFixtureStore()
    await fixture[Symbol.asyncDispose]()
    await expect(fixture.open()).rejects.toThrow(
      /^FENNEC_OBJECTS_URL: the bucket fixture at .* cannot be reached \(.*ECONNREFUSED.*\)$/,
    )
  })
})

describe('addresses of objects', () => {
  test('an object is downloaded without credentials until the address expires', async () => {
    await using fixture = await openFixtureStore()
    await fixture.store.put(key, Readable.from(['content']))
    const contentDisposition = "attachment; filename*=UTF-8''%C3%A4%20b.txt"
    const url = await fixture.store.urlOf(key, { expiresSeconds: 1200, contentDisposition })
    const query = new URL(url ?? '').searchParams
    expect(query.get('X-Amz-Expires')).toBe('1200')
    expect(query.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/)
    expect(query.get('response-content-disposition')).toBe(contentDisposition)
    const response = await fetch(url ?? '')
    expect([response.status, await response.text()]).toEqual([200, 'content'])
    expect(response.headers.get('content-disposition')).toBe(contentDisposition)
    expect(url).not.toContain('fixture-secret')
  })
})

test('the limits allow 5 TB', () => {
  const { partBytes, directParts, groupParts } = LIMITS
  const groups = 10_000 - directParts
  expect(groups * groupParts * partBytes).toBeGreaterThan(5 * 1024 ** 4)
  expect(groupParts * partBytes).toBeLessThanOrEqual(5 * 1024 ** 3)
})
