import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onPostgres, startTestServer } from '../../../testing/index.ts'
import { blobOf, codeOf, registryOf } from '../http/testing.ts'
import { hasSubjectAmong } from './store/removal.ts'
import { type Images, indexOf, ociIndex, startImages } from './testing.ts'

let images: Images
beforeAll(async () => {
  images = await startImages()
})
afterAll(() => images.server.stop())

const statusOf = async (name: string, reference: string) => (await images.get(name, reference)).status

describe('the deletion of a tag', () => {
  test('leaves its manifest and other tags on it', async () => {
    const name = await images.project('tags')
    const text = await images.image(name, 'v1', ['layer'])
    await images.put(name, text, { reference: 'v2' })
    const { status, body } = await images.remove(name, 'v2')
    expect([status, body]).toEqual([202, ''])
    expect(codeOf(await images.get(name, 'v2'))).toEqual([404, 'MANIFEST_UNKNOWN'])
    expect(codeOf(await images.remove(name, 'v2'))).toEqual([404, 'MANIFEST_UNKNOWN'])
    expect([await statusOf(name, 'v1'), await statusOf(name, blobOf(text).digest)]).toEqual([200, 200])
    await images.remove(name, 'v1')
    expect([await statusOf(name, 'v1'), await statusOf(name, blobOf(text).digest)]).toEqual([404, 200])
  })

  test('of two at once one succeeds', async () => {
    const name = await images.project('twice')
    await images.image(name, 'v1', ['layer'])
    const answers = await Promise.all([images.remove(name, 'v1'), images.remove(name, 'v1')])
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 404])
  })

  test('has a deprecated address, which takes tags only', async () => {
    const name = await images.project('legacy')
    const text = await images.image(name, 'v1', ['layer'])
    const remove = (tag: string) =>
      images.registry.send('DELETE', `${name}/tags/reference/${tag}`, { scope: `${name}:delete` })
    const { status, headers } = await remove('v1')
    expect([status, headers.get('deprecation'), headers.get('warning')]).toEqual([
      202,
      'true',
      '299 - "tags/reference is deprecated, use manifests/<tag>"',
    ])
    for (const unknown of ['v1', blobOf(text).digest, 'a%2Fb', '%00']) {
      expect(codeOf(await remove(unknown))).toEqual([404, 'MANIFEST_UNKNOWN'])
    }
    expect(await statusOf(name, blobOf(text).digest)).toBe(200)
  })

  test('has no deprecated address when it is switched off', async () => {
    await using server = await startTestServer({ settings: { FENNEC_REGISTRY_LEGACY_TAG_DELETE: 'off' } })
    await server.make.project('off', await server.user('someone'))
    const path = 'someone/off/tags/reference/v1'
    const { status, body } = await registryOf(server).send('DELETE', path, { scope: 'someone/off:delete' })
    expect([status, body]).toEqual([404, ''])
  })
})

describe('the deletion of a manifest', () => {
  test('removes every tag on it, and leaves its referrers', async () => {
    const name = await images.project('manifests')
    const text = await images.image(name, 'v1', ['layer'])
    await images.put(name, text, { reference: 'v2' })
    const { digest, size } = blobOf(text)
    const subject = { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest, size }
    const signature = await images.image(name, undefined, [], {}, { subject })
    expect((await images.remove(name, digest)).status).toBe(202)
    for (const reference of ['v1', 'v2', digest]) expect(await statusOf(name, reference)).toBe(404)
    expect(codeOf(await images.remove(name, digest))).toEqual([404, 'MANIFEST_UNKNOWN'])
    const { body } = await images.registry.send('GET', `${name}/referrers/${digest}`, { scope: `${name}:pull` })
    const { manifests } = JSON.parse(body)
    expect(manifests.map((each: { digest: string }) => each.digest)).toEqual([blobOf(signature).digest])
    expect((await images.put(name, text, { reference: 'v1' })).status).toBe(201)
  })

  test('is refused while an index lists it', async () => {
    const name = await images.project('listed')
    const child = await images.image(name, 'child', ['layer'])
    const index = indexOf([child])
    await images.put(name, index, { reference: 'index', type: ociIndex })
    const { status, body } = await images.remove(name, blobOf(child).digest)
    expect([status, body]).toEqual([
      405,
      { errors: [{ code: 'UNSUPPORTED', message: 'manifest is referenced by an index' }] },
    ])
    expect((await images.remove(name, 'child')).status).toBe(202)
    expect((await images.remove(name, blobOf(index).digest)).status).toBe(202)
    expect((await images.remove(name, blobOf(child).digest)).status).toBe(202)
  })

  test('finds nothing in other repositories and in those without content', async () => {
    const name = await images.project('mine')
    const text = await images.image(name, 'v1', ['layer'])
    const other = await images.project('theirs')
    for (const reference of ['v1', blobOf(text).digest]) {
      for (const place of [other, `${name}/below`]) {
        expect(codeOf(await images.remove(place, reference))).toEqual([404, 'MANIFEST_UNKNOWN'])
        expect(codeOf(await images.get(place, reference))).toEqual([404, 'MANIFEST_UNKNOWN'])
      }
    }
    expect(await statusOf(name, 'v1')).toBe(200)
  })

  test('is refused in an archived project, and so is a push', async () => {
    const name = await images.project('archived')
    const text = await images.image(name, 'v1', ['layer'])
    await images.owner.post(`/projects/${encodeURIComponent(name)}/archive`)
    expect(codeOf(await images.remove(name, 'v1'))).toEqual([403, 'DENIED'])
    expect(codeOf(await images.put(name, text))).toEqual([403, 'DENIED'])
    expect(await statusOf(name, 'v1')).toBe(200)
  })
})

// PostgreSQL plans by statistics, and reads tables of a few rows without an index.
test.skipIf(onPostgres)('the referrers of a deleted manifest are found through an index', async () => {
  const { read } = images.server.app.platform.database
  const plan = sql<{ detail: string }>`explain query plan
    update registry_manifests set is_referenced = false where ${hasSubjectAmong(read, [1, 2])}`
  const { rows } = await plan.execute(read as never)
  expect(rows.map(({ detail }) => detail).join()).toContain('INDEX registry_manifests_subject')
})
