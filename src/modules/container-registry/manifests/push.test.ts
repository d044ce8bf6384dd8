import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blobOf, codeOf } from '../http/testing.ts'
import { tagDetail, tagNames } from '../tags/store.ts'
import {
  descriptorOf,
  dockerList,
  dockerManifest,
  type Images,
  imageOf,
  indexOf,
  ociIndex,
  ociManifest,
  startImages,
} from './testing.ts'

let images: Images
beforeAll(async () => {
  images = await startImages()
})
afterAll(() => images.server.stop())

const read = () => images.server.app.platform.database.read

async function repositoryId(name: string): Promise<number> {
  const rows = await read().selectFrom('registry_repositories').select(['id', 'path']).execute()
  return rows.find(({ path }) => path === name)?.id ?? 0
}

const detail = async (name: string, tag: string) => tagDetail(read(), await repositoryId(name), tag)

describe('a pushed manifest', () => {
  test('is pulled by tag and digest as it was sent', async () => {
    const name = await images.project('plain')
    const [config, layer] = [await images.blob(name, '{}'), await images.blob(name)]
    // Duplicate and unknown members, numbers beyond all precision, blanks: nothing is changed.
    const text = `${imageOf(config, [layer], { unknown: { a: [1] } }).slice(0, -1)},\n "unknown":1e999, "é😀":12345678901234567890 }\n`
    const { digest, size } = blobOf(text)
    const pushed = await images.put(name, text, { reference: 'v1', type: `${ociManifest}; charset=utf-8` })
    expect([pushed.status, pushed.body]).toEqual([201, ''])
    expect(pushed.headers.get('location')).toBe(`/v2/${name}/manifests/${digest}`)
    expect(pushed.headers.get('docker-content-digest')).toBe(digest)
    expect(pushed.headers.get('oci-subject')).toBeNull()
    for (const reference of ['v1', digest]) {
      const found = await images.get(name, reference, { Accept: dockerManifest })
      expect([found.status, found.bytes.toString()]).toEqual([200, text])
      const head = await images.registry.send('HEAD', `${name}/manifests/${reference}`, { scope: `${name}:pull` })
      expect([head.status, head.bytes.length]).toEqual([200, 0])
      for (const { headers } of [found, head]) {
        expect(headers.get('content-type')).toBe(ociManifest)
        expect(headers.get('content-length')).toBe(String(size))
        expect(headers.get('docker-content-digest')).toBe(digest)
        expect(headers.get('etag')).toBe(`"${digest}"`)
      }
      for (const known of [digest, `"${digest}"`, `"x", W/"${digest}"`]) {
        const again = await images.get(name, reference, { 'If-None-Match': known })
        expect([again.status, again.bytes.length]).toEqual([304, 0])
      }
      expect((await images.get(name, reference, { 'If-None-Match': '"other"' })).status).toBe(200)
    }
  })

  test('may be pushed by its sha256 or sha512 digest', async () => {
    const name = await images.project('digests')
    const text = imageOf(await images.blob(name), [])
    for (const reference of [blobOf(text).digest, blobOf(text, 'sha512').digest]) {
      const { status, headers } = await images.put(name, text, { reference })
      expect([status, headers.get('docker-content-digest')]).toEqual([201, reference])
      expect((await images.get(name, reference)).bytes.toString()).toBe(text)
    }
    expect(codeOf(await images.put(name, text, { reference: blobOf('other').digest }))).toEqual([400, 'DIGEST_INVALID'])
    expect(await tagNames(read(), [await repositoryId(name)])).toEqual(new Map())
  })

  test('may be pushed again, and keeps the time when it was first stored', async () => {
    const name = await images.project('again')
    const text = await images.image(name, 'v1', ['layer'])
    const before = await detail(name, 'v1')
    expect((await images.put(name, text, { reference: 'v1' })).status).toBe(201)
    expect(await detail(name, 'v1')).toEqual(before)
    expect((await images.put(name, text, { reference: 'v2' })).status).toBe(201)
    expect(await tagNames(read(), [await repositoryId(name)])).toEqual(
      new Map([[await repositoryId(name), ['v1', 'v2']]]),
    )
  })

  test.each([
    ['OCI', ociManifest, ociIndex],
    ['Docker', dockerManifest, dockerList],
  ])('is an image or an index of %s', async (kind, imageType, indexType) => {
    const name = await images.project(`types-${kind.toLowerCase()}`)
    const [config, layer] = [await images.blob(name), await images.blob(name)]
    const image = imageOf(config, [layer], { mediaType: imageType })
    expect((await images.put(name, image, { reference: 'image', type: imageType })).status).toBe(201)
    const index = indexOf([image], { mediaType: indexType })
    expect((await images.put(name, index, { reference: 'index', type: indexType })).status).toBe(201)
    expect((await images.get(name, 'index')).headers.get('content-type')).toBe(indexType)
    expect(await detail(name, 'image')).toMatchObject({ config_digest: config.digest, total_size: layer.size })
    expect(await detail(name, 'index')).toMatchObject({ config_digest: null, total_size: layer.size })
  })

  test('has the type of its body, or of its members, when the request names none', async () => {
    const name = await images.project('untyped')
    const config = await images.blob(name)
    const image = imageOf(config, [], { mediaType: undefined, layers: undefined })
    const cases: [string, string, string][] = [
      ['oci', image, ociManifest],
      ['docker', imageOf(config, [], { mediaType: dockerManifest }), dockerManifest],
      ['index', indexOf([], { mediaType: undefined }), ociIndex],
      ['list', indexOf([image], { mediaType: dockerList }), dockerList],
    ]
    for (const [tag, text, type] of cases) {
      expect((await images.put(name, text, { reference: tag, type: null })).status).toBe(201)
      expect((await images.get(name, tag)).headers.get('content-type')).toBe(type)
    }
  })

  test('may have foreign layers that are elsewhere', async () => {
    const name = await images.project('foreign')
    const mediaType = 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip'
    const absent = { ...descriptorOf(blobOf(), mediaType), urls: ['https://example.com/layer'] }
    const [config, layer] = [await images.blob(name), await images.blob(name)]
    const withLayers = (...layers: object[]) => imageOf(config, [], { layers })
    const stored = descriptorOf(layer, mediaType)
    expect((await images.put(name, withLayers(absent, stored), { reference: 'v1' })).status).toBe(201)
    expect((await detail(name, 'v1'))?.total_size).toBe(layer.size)
    for (const refused of [
      { ...absent, urls: [] },
      { ...absent, urls: ['ftp://example.com/layer'] },
      { ...absent, mediaType: 'application/vnd.oci.image.layer.v1.tar' },
    ]) {
      expect(codeOf(await images.put(name, withLayers(refused)))).toEqual([400, 'MANIFEST_BLOB_UNKNOWN'])
    }
  })
})

describe('what a tag says', () => {
  const date = '2020-02-03T04:05:06.000Z'

  test('is the date of the config, else of the annotations, else of the push', async () => {
    const name = await images.project('dates')
    const annotations = { 'org.opencontainers.image.created': '2021-01-01T00:00:00Z' }
    await images.image(name, 'config', [], { created: '2020-02-03T05:05:06.000000000999+01:00' }, { annotations })
    await images.image(name, 'annotated', [], { created: '1970-01-01T00:00:00Z' }, { annotations })
    expect((await detail(name, 'config'))?.created_at).toBe(date)
    expect((await detail(name, 'annotated'))?.created_at).toBe('2021-01-01T00:00:00.000Z')
    const before = images.server.app.platform.clock.now().toISOString()
    const odd = ['yesterday', 1, null, {}, '2020-02-30T00:00:00Z', '9999-12-31T23:59:59-01:00', '2020-01-01']
    for (const [index, created] of odd.entries()) await images.image(name, `odd${index}`, [], { created })
    for (const index of odd.keys()) expect(((await detail(name, `odd${index}`))?.created_at ?? '') >= before).toBe(true)
  })

  test('of an index is the newest date, and the size of distinct layers of all its manifests', async () => {
    const name = await images.project('sums')
    const old = await images.image(name, undefined, ['base', 'old'], { created: '2019-01-01T00:00:00Z' })
    const young = await images.image(name, undefined, ['base', 'young'], { created: date })
    const undated = await images.image(name, undefined, ['base', 'base'], {})
    const inner = indexOf([young, undated])
    expect((await images.put(name, inner, { type: ociIndex })).status).toBe(201)
    const cache = await images.blob(name, 'cache')
    const outer = JSON.parse(indexOf([old, inner]))
    outer.manifests.push(descriptorOf(cache, 'application/octet-stream'))
    expect((await images.put(name, JSON.stringify(outer), { reference: 'all', type: ociIndex })).status).toBe(201)
    expect(await detail(name, 'all')).toMatchObject({
      created_at: date,
      total_size: 4 + 3 + 5 + 5,
      config_digest: null,
    })
    expect((await images.put(name, undated, { reference: 'twice' })).status).toBe(201)
    expect((await detail(name, 'twice'))?.total_size).toBe(8)
  })
})

describe('a refused manifest', () => {
  let name: string
  let config: ReturnType<typeof blobOf>
  beforeAll(async () => {
    name = await images.project('refused')
    config = await images.blob(name, '{}')
  })

  const stored = async () => {
    const rows = await read()
      .selectFrom('registry_manifests')
      .select('id')
      .where('repository_id', '=', await repositoryId(name))
      .execute()
    return rows.length
  }

  test('names each missing blob once', async () => {
    const [one, two] = [blobOf(), blobOf()]
    const { status, body } = await images.put(name, imageOf(config, [one, two, one, config]), { reference: 'v1' })
    const problem = (detail: object) => ({
      code: 'MANIFEST_BLOB_UNKNOWN',
      message: 'blob unknown to registry',
      detail,
    })
    expect([status, body]).toEqual([
      400,
      { errors: [problem({ digest: one.digest }), problem({ digest: two.digest })] },
    ])
    const image = imageOf(config, [])
    const index = await images.put(name, indexOf([image]), { type: ociIndex })
    expect(index.body.errors[0]).toEqual(problem({ digest: blobOf(image).digest }))
    expect(await stored()).toBe(0)
  })

  test('does not find blobs of another repository', async () => {
    const other = await images.project('other')
    const foreign = await images.blob(other)
    expect(codeOf(await images.put(name, imageOf(config, [foreign])))).toEqual([400, 'MANIFEST_BLOB_UNKNOWN'])
    expect(codeOf(await images.put(`${other}/empty`, imageOf(foreign, [])))).toEqual([400, 'MANIFEST_BLOB_UNKNOWN'])
    expect(await repositoryId(`${other}/empty`)).toBe(0)
  })

  const digest = `sha256:${'0'.repeat(64)}`
  const base = () => JSON.parse(imageOf(config, [])) as Record<string, unknown>
  const cases: [string, (body: ReturnType<typeof base>) => unknown, string | undefined][] = [
    ['schema version 1', (body) => ({ ...body, schemaVersion: 1 }), 'schemaVersion'],
    ['a schema version that is a text', (body) => ({ ...body, schemaVersion: '2' }), 'schemaVersion'],
    ['another type in the body', (body) => ({ ...body, mediaType: dockerManifest }), 'mediaType'],
    ['a type that is a number', (body) => ({ ...body, mediaType: 7 }), 'mediaType'],
    ['no config', ({ config: _, ...body }) => body, 'config'],
    ['a config that is an array', (body) => ({ ...body, config: [] }), 'config'],
    ['layers that are an object', (body) => ({ ...body, layers: {} }), 'layers'],
    ['a layer that is null', (body) => ({ ...body, layers: [null] }), 'layers[0]'],
    ['a layer without a type', (body) => ({ ...body, layers: [{ digest, size: 1 }] }), 'layers[0].mediaType'],
    [
      'a type with a line break',
      (body) => ({ ...body, layers: [{ mediaType: 'a/b\r\nX: y', digest, size: 1 }] }),
      'layers[0].mediaType',
    ],
    [
      'a digest with upper-case letters',
      (body) => ({ ...body, layers: [{ mediaType: 'a/b', digest: `sha256:${'A'.repeat(64)}`, size: 1 }] }),
      'layers[0].digest',
    ],
    [
      'another algorithm',
      (body) => ({ ...body, subject: { mediaType: 'a/b', digest: 'md5:0', size: 1 } }),
      'subject.digest',
    ],
    ['a negative size', (body) => ({ ...body, layers: [{ mediaType: 'a/b', digest, size: -1 }] }), 'layers[0].size'],
    [
      'a fraction as size',
      (body) => ({ ...body, layers: [{ mediaType: 'a/b', digest, size: 0.5 }] }),
      'layers[0].size',
    ],
    [
      'a size that is a text',
      (body) => ({ ...body, layers: [{ mediaType: 'a/b', digest, size: '1' }] }),
      'layers[0].size',
    ],
    [
      'addresses that are no array',
      (body) => ({ ...body, layers: [{ mediaType: 'a/b', digest, size: 1, urls: 'x' }] }),
      'layers[0].urls',
    ],
    ['annotations that are an array', (body) => ({ ...body, annotations: ['x'] }), 'annotations'],
    ['an annotation that is a number', (body) => ({ ...body, annotations: { a: 'b', c: 1 } }), 'annotations.c'],
    ['an artifact type that is an object', (body) => ({ ...body, artifactType: {} }), 'artifactType'],
    ['members of an index', (body) => ({ ...body, manifests: [] }), 'manifests'],
    ['an array', (body) => [body], undefined],
    ['null', () => null, undefined],
    ['a text', () => 'x', undefined],
  ]
  test.each(cases)('has %s', async (_, change, place) => {
    const { status, body } = await images.put(name, JSON.stringify(change(base())), { reference: 'bad' })
    expect([status, body.errors[0].code, body.errors[0].detail?.place]).toEqual([400, 'MANIFEST_INVALID', place])
    expect(body.errors[0].detail.reason).toEqual(expect.any(String))
    expect(await stored()).toBe(0)
  })

  test.each([
    ['an infinite size', '"size":1e400'],
    ['a size without exact value', '"size":9007199254740993'],
  ])('has %s', async (_, member) => {
    const layer = `{"mediaType":"a/b","digest":"${digest}",${member}}`
    const text = JSON.stringify({ ...base(), layers: ['x'] }).replace('"x"', layer)
    const { status, body } = await images.put(name, text)
    expect([status, body.errors[0].detail.place]).toEqual([400, 'layers[0].size'])
  })

  test.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['a byte order mark', `\ufeff${JSON.stringify({ schemaVersion: 2 })}`],
    ['bytes that are not UTF-8', Buffer.from('{"schemaVersion":2,"x":"\xff"}', 'latin1')],
    ['a surrogate as UTF-8', Buffer.from('7b2278223a22eda080227d', 'hex')],
    ['a zero byte', '{"schemaVersion":2}\0'],
    ['brackets without an end', '['.repeat(1_000_000)],
  ])('contains %s', async (_, content) => {
    const reference = `sha256:${createHash('sha256').update(content).digest('hex')}`
    expect(codeOf(await images.put(name, content as string, { reference }))).toEqual([400, 'MANIFEST_INVALID'])
    expect(codeOf(await images.put(name, content as string, { reference: 'v1' }))).toEqual([400, 'MANIFEST_INVALID'])
  })

  test.each([
    'application/vnd.docker.distribution.manifest.v1+json',
    'application/vnd.docker.distribution.manifest.v1+prettyjws',
    'application/json',
    'text/plain',
    'x',
  ])('is of the type %s', async (type) => {
    const text = JSON.stringify({ ...base(), mediaType: undefined })
    expect(codeOf(await images.put(name, text, { type }))).toEqual([400, 'MANIFEST_INVALID'])
  })

  test.each(['-v1', '.v1', 'v1%20', 'v%2F1', 'é', 'a'.repeat(129), 'v1%00'])('has the tag %s', async (tag) => {
    const answer = await images.put(name, imageOf(config, []), { reference: tag })
    expect(codeOf(answer)).toEqual([400, 'TAG_INVALID'])
    expect(codeOf(await images.get(name, tag))).toEqual([404, 'MANIFEST_UNKNOWN'])
    expect(codeOf(await images.remove(name, tag))).toEqual([404, 'MANIFEST_UNKNOWN'])
  })

  test.each(['sha256:0', 'sha256:', ':', 'md5:d41d8cd98f00b204e9800998ecf8427e', `sha256:${'A'.repeat(64)}`, 'a:b:c'])(
    'has the digest %s',
    async (reference) => {
      expect(codeOf(await images.put(name, imageOf(config, []), { reference }))).toEqual([400, 'DIGEST_INVALID'])
      expect(codeOf(await images.get(name, reference))).toEqual([400, 'DIGEST_INVALID'])
      expect(codeOf(await images.remove(name, reference))).toEqual([400, 'DIGEST_INVALID'])
    },
  )
})

describe('a large manifest', () => {
  const limit = 4 * 1024 * 1024
  const padded = (text: string, sizeBytes: number) => text + ' '.repeat(sizeBytes - text.length)

  test('has 4 MiB at most', async () => {
    const name = await images.project('large')
    const text = imageOf(await images.blob(name), [])
    expect((await images.put(name, padded(text, limit), { reference: 'v1' })).status).toBe(201)
    expect((await images.get(name, 'v1')).bytes.length).toBe(limit)
    const refused = await images.put(name, padded(text, limit + 1), { reference: 'v2' })
    expect([...codeOf(refused), refused.body.errors[0].message]).toEqual([413, 'MANIFEST_INVALID', 'manifest invalid'])
    expect((await images.get(name, 'v2')).status).toBe(404)
  })

  test('is not read beyond the limit when it announces no size', async () => {
    const name = await images.project('unannounced')
    const token = await images.registry.tokenFor([`${name}:pull,push`])
    let sentBytes = 0
    const body = new ReadableStream({
      pull(controller) {
        sentBytes += 1_048_576
        if (sentBytes > 1_000 * 1_048_576) controller.close()
        else controller.enqueue(new Uint8Array(1_048_576).fill(0x20))
      },
    })
    const request = { method: 'PUT', body, duplex: 'half', headers: { Authorization: `Bearer ${token}` } }
    const status = await fetch(`${images.server.url}/v2/${name}/manifests/v1`, request as never).then(
      (response) => response.status,
      () => 'closed',
    )
    expect([413, 'closed']).toContain(status)
    expect(sentBytes).toBeLessThan(100 * 1_048_576)
  })

  test('may list ten thousand layers', async () => {
    const name = await images.project('many')
    const [config, layer, other] = [
      await images.blob(name),
      await images.blob(name, 'x'),
      await images.blob(name, 'yz'),
    ]
    const layers = Array.from({ length: 10_000 }, (_, index) => (index % 2 ? layer : other))
    expect((await images.put(name, imageOf(config, layers), { reference: 'v1' })).status).toBe(201)
    expect((await detail(name, 'v1'))?.total_size).toBe(15_000)
    const absent = Array.from({ length: 10_000 }, (_, index) => blobOf(`absent ${index}`))
    const refused = await images.put(name, imageOf(config, absent), { reference: 'v2' })
    expect([refused.status, refused.body.errors.length]).toEqual([400, 10_000])
  })

  test('may be nested a million deep where its members are not known', async () => {
    const name = await images.project('deep')
    const depth = 1_000_000
    const text = imageOf(await images.blob(name), []).replace('{', `{"x":${'['.repeat(depth)}${']'.repeat(depth)},`)
    expect((await images.put(name, text, { reference: 'v1' })).status).toBe(201)
    expect((await images.get(name, 'v1')).bytes.toString() === text).toBe(true)
    const annotated = imageOf(await images.blob(name), [], { annotations: 'x' }).replace(
      '"x"',
      '['.repeat(depth) + ']'.repeat(depth),
    )
    expect(codeOf(await images.put(name, annotated))).toEqual([400, 'MANIFEST_INVALID'])
  })
})

describe('two writers', () => {
  test('of one tag both succeed, and the tag points at one of the two', async () => {
    const name = await images.project('writers')
    const texts = await Promise.all(['a', 'b', 'c', 'd'].map((layer) => images.image(name, undefined, [layer])))
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(texts.map((text) => images.put(name, text, { reference: 'latest' })))
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
      expect(texts).toContain((await images.get(name, 'latest')).bytes.toString())
    }
  })

  test('of which one deletes leave no tag without a manifest', async () => {
    const name = await images.project('race')
    const text = await images.image(name, 'v1', ['layer'])
    const { digest } = blobOf(text)
    for (let round = 0; round < 8; round += 1) {
      const reference = round % 2 === 0 ? digest : 'v1'
      const [pushed, removed] = await Promise.all([
        images.put(name, text, { reference: 'v1' }),
        images.remove(name, reference),
      ])
      expect([201, [202, 404].includes(removed.status)]).toEqual([pushed.status, true])
      const byTag = (await images.get(name, 'v1')).status
      const byDigest = (await images.get(name, digest)).status
      expect([200, 404]).toContain(byTag)
      if (byTag === 200) expect(byDigest).toBe(200)
    }
  })
})
