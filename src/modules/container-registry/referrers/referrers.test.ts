import { afterAll, beforeAll, expect, test } from 'vitest'
import { queriesOf } from '../../../testing/index.ts'
import { blobOf, codeOf } from '../http/testing.ts'
import {
  descriptorOf,
  type Images,
  imageOf,
  indexOf,
  ociIndex,
  ociManifest,
  startImages,
} from '../manifests/testing.ts'

let images: Images
beforeAll(async () => {
  images = await startImages()
})
afterAll(() => images.server.stop())

const subjectOf = (text: string) => descriptorOf(blobOf(text), ociManifest)

async function referrers(name: string, digest: string, query = '') {
  const answer = await images.registry.send('GET', `${name}/referrers/${digest}${query}`, { scope: `${name}:pull` })
  return { ...answer, manifests: answer.status === 200 ? JSON.parse(answer.body).manifests : undefined }
}

test('manifests are listed by their subject, which need not exist', async () => {
  const name = await images.project('subjects')
  const subject = subjectOf('never pushed')
  const none = await referrers(name, subject.digest)
  expect([none.status, none.headers.get('content-type')]).toEqual([200, ociIndex])
  expect(JSON.parse(none.body)).toEqual({ schemaVersion: 2, mediaType: ociIndex, manifests: [] })

  const config = await images.blob(name, '{}')
  const annotations = { 'a.b': 'é\u0000😀', __proto__x: '', constructor: 'x' }
  const typed = imageOf(config, [], { subject, artifactType: 'application/vnd.example+json', annotations })
  const pushed = await images.put(name, typed)
  expect([pushed.status, pushed.headers.get('oci-subject')]).toEqual([201, subject.digest])
  const untyped = imageOf(config, [], { subject, artifactType: '' })
  const index = indexOf([], { subject })
  await images.put(name, untyped, { reference: 'tagged' })
  await images.put(name, index, { type: ociIndex })
  await images.put(name, imageOf(config, [], { subject: subjectOf('another') }))

  const expected = [
    { ...subjectOf(typed), artifactType: 'application/vnd.example+json', annotations },
    { ...subjectOf(untyped), artifactType: 'application/vnd.oci.image.config.v1+json' },
    { ...descriptorOf(blobOf(index), ociIndex) },
  ]
  const found = await referrers(name, subject.digest)
  expect(found.manifests).toHaveLength(3)
  expect(found.manifests).toEqual(expect.arrayContaining(expected))
  expect(found.headers.get('oci-filters-applied')).toBeNull()

  const filtered = await referrers(name, subject.digest, '?artifactType=application%2Fvnd.example%2Bjson')
  expect([filtered.manifests, filtered.headers.get('oci-filters-applied')]).toEqual([[expected[0]], 'artifactType'])
  for (const odd of ['x', '%00', '%F0%9F%98%80', 'a'.repeat(5000)]) {
    expect((await referrers(name, subject.digest, `?artifactType=${odd}`)).manifests).toEqual([])
  }
})

test('a repository without content has no referrers, and a malformed digest is refused', async () => {
  const name = await images.project('unknown')
  expect((await referrers(name, blobOf().digest)).manifests).toEqual([])
  for (const malformed of ['sha256:0', 'latest', 'md5:d41d8cd98f00b204e9800998ecf8427e', '%00']) {
    expect(codeOf(await referrers(name, malformed))).toEqual([400, 'DIGEST_INVALID'])
  }
})

test('more than a thousand are listed in pages, in the order in which they were stored', async () => {
  const name = await images.project('paged')
  await images.blob(name)
  const { database } = images.server.app.platform
  const { id } = await database.read
    .selectFrom('registry_repositories')
    .select('id')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const subject = blobOf('subject').digest
  const rows = Array.from({ length: 2_001 }, (_, index) => ({
    repository_id: id,
    digest: blobOf(`referrer ${index}`).digest,
    media_type: ociManifest,
    size_bytes: 1,
    config_digest: null,
    artifact_type: 'a/b',
    subject_digest: subject,
    annotations: null,
    layers_size_bytes: 0,
    image_created_at: null,
    used_at: '2026-01-01T00:00:00.000Z',
    // Many share a time.
    created_at: `2026-01-01T00:00:0${Math.floor(index / 300)}.000Z`,
  }))
  await database.write(async (tx) => {
    for (let start = 0; start < rows.length; start += 100) {
      await tx
        .insertInto('registry_manifests')
        .values(rows.slice(start, start + 100))
        .execute()
    }
  })
  const expected = rows
    .toSorted((a, b) => (a.created_at + a.digest < b.created_at + b.digest ? -1 : 1))
    .map(({ digest }) => digest)
  const seen: string[] = []
  const next = (headers: Headers) => /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  for (let path: string | undefined = `/v2/${name}/referrers/${subject}?artifactType=a%2Fb`; path !== undefined; ) {
    const { body, headers } = await images.registry.send('GET', path, { scope: `${name}:pull` })
    seen.push(...JSON.parse(body).manifests.map((each: { digest: string }) => each.digest))
    path = next(headers)
    if (path === undefined) continue
    expect(path).toMatch(/\?artifactType=a%2Fb&last=sha256%3A/)
    // The walk goes on when the last entry was removed meanwhile.
    await images.remove(name, seen.at(-1) ?? '')
  }
  expect(seen).toEqual(expected)
  const first = await referrers(name, subject, `?last=${expected[10]}`)
  expect(first.manifests[0].digest).toBe(expected[11])
  expect(await queriesOf(images.server, () => referrers(name, subject))).toBeLessThanOrEqual(11)
})

test('an answer is bounded however large the annotations are', async () => {
  const name = await images.project('annotated')
  const subject = descriptorOf(blobOf('annotated subject'), ociManifest)
  const texts: string[] = []
  for (let number = 0; number < 4; number += 1) {
    const annotations = { text: 'x'.repeat(3 * 1024 * 1024), number: `${number}` }
    texts.push(await images.image(name, undefined, [], {}, { subject, annotations }))
  }
  const seen: string[] = []
  const lengths: number[] = []
  for (let path: string | undefined = `${name}/referrers/${subject.digest}`; path !== undefined; ) {
    const { bytes, headers } = await images.registry.send('GET', path, { scope: `${name}:pull` })
    const { manifests } = JSON.parse(bytes.toString())
    for (const { digest, annotations } of manifests) {
      seen.push(digest)
      expect(annotations.text).toHaveLength(3 * 1024 * 1024)
    }
    lengths.push(manifests.length)
    path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  }
  expect(lengths).toEqual([2, 2])
  expect(seen.toSorted()).toEqual(texts.map((text) => blobOf(text).digest).sort())
})
