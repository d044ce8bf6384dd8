import { afterAll, beforeAll, expect, test } from 'vitest'
import { queriesOf } from '../../../testing/index.ts'
import { blobOf } from '../http/testing.ts'
import { descriptorOf, type Images, ociIndex, ociManifest, startImages } from '../manifests/testing.ts'
import { type RegistryRows, registryRows } from './testing.ts'

let images: Images
let rows: RegistryRows
beforeAll(async () => {
  images = await startImages()
  rows = registryRows(images.server)
})
afterAll(() => images.server.stop())

/** The address of the tags of the root repository of a project. */
async function tagsOf(name: string): Promise<string> {
  const project = `/projects/${encodeURIComponent(name)}/registry/repositories`
  const { body } = await images.owner.get(project)
  return `${project}/${body[0].id}/tags`
}

const linux = { os: 'linux', architecture: 'amd64' }

test('an image has the platform of its config and the layers of its manifest', async () => {
  const name = await images.project('single')
  const text = await images.image(name, 'v1', ['one', 'second'], linux)
  const tags = await tagsOf(name)
  const { body } = await images.owner.get(`${tags}/v1?details=true`)
  const size = 'one'.length + 'second'.length
  const { digest } = blobOf(text)
  expect(body).toMatchObject({
    digest,
    total_size: size,
    media_type: ociManifest,
    published_at: expect.stringMatching(/^\d{4}-/),
    platforms: [{ ...linux, variant: null, digest, size }],
    layers: ['one', 'second'].map((layer) => ({
      digest: blobOf(layer).digest,
      media_type: 'application/vnd.oci.image.layer.v1.tar+gzip',
      size: layer.length,
    })),
  })
  const { body: plain } = await images.owner.get(`${tags}/v1`)
  expect(Object.keys(plain)).not.toContain('layers')
})

test('an index has the platforms that it lists, with the sizes of their images', async () => {
  const name = await images.project('several')
  const amd = await images.image(name, undefined, ['amd'], linux)
  const arm = await images.image(name, undefined, ['arm64'], { os: 'linux', architecture: 'arm64' })
  const platforms = [linux, { os: 'linux', architecture: 'arm64', variant: 'v8' }]
  const manifests = [amd, arm].map((text, index) => ({
    ...descriptorOf(blobOf(text), ociManifest),
    platform: platforms[index],
  }))
  const index = JSON.stringify({ schemaVersion: 2, mediaType: ociIndex, manifests })
  expect((await images.put(name, index, { reference: 'all', type: ociIndex })).status).toBe(201)
  const { body } = await images.owner.get(`${await tagsOf(name)}/all?details=true`)
  expect([body.media_type, body.layers]).toEqual([ociIndex, []])
  expect(body.platforms).toEqual([
    { ...linux, variant: null, digest: blobOf(amd).digest, size: 3 },
    { os: 'linux', architecture: 'arm64', variant: 'v8', digest: blobOf(arm).digest, size: 5 },
  ])
})

test('an artifact whose config names no system has no platform, whatever its texts are', async () => {
  const name = await images.project('artifact')
  for (const [tag, config] of Object.entries({ none: {}, odd: { os: 7, architecture: ['x'] }, empty: { os: '' } }))
    await images.image(name, tag, [], config)
  const tags = await tagsOf(name)
  for (const tag of ['none', 'odd', 'empty']) {
    const { status, body } = await images.owner.get(`${tags}/${tag}?details=true`)
    expect([status, body.platforms, body.layers], tag).toEqual([200, [], []])
  }
  const { project_id: id } = (await images.owner.get(tags.slice(0, tags.lastIndexOf('/')).replace(/\/\d+$/, '')))
    .body[0]
  const unread = await rows.repository({ id, full_path: name }, 'unread')
  await rows.image(unread, 'no JSON', { tags: ['v1'] })
  const { body } = await images.owner.get(`/projects/${id}/registry/repositories/${unread}/tags/v1?details=true`)
  expect([body.platforms, body.layers]).toEqual([[], []])
})

test('a list has the details of its tags on request, in a constant number of queries', async () => {
  const name = await images.project('listed')
  for (const tag of ['a', 'b', 'c']) await images.image(name, tag, [tag], linux)
  const tags = await tagsOf(name)
  const { body } = await images.owner.get(`${tags}?details=true&per_page=2`)
  expect(body).toEqual([
    expect.objectContaining({ name: 'a', total_size: 1, media_type: ociManifest, digest: expect.any(String) }),
    expect.objectContaining({ name: 'b', published_at: expect.any(String), created_at: expect.any(String) }),
  ])
  expect((await images.owner.get(tags)).body[0]).toEqual({
    name: 'a',
    path: `${name}:a`,
    location: expect.stringMatching(/listed:a$/),
  })
  const queries = (perPage: number) =>
    queriesOf(images.server, () => images.owner.get(`${tags}?details=true&per_page=${perPage}`))
  expect(await queries(3)).toBe(await queries(1))
  expect((await images.owner.get(`${tags}?details=maybe`)).body.error).toBe('details is invalid')
})
