import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type Answer, contextFor, startFake, token } from '../testing.ts'
import { placeOf } from './context.ts'
import { bringImages } from './images.ts'

const digestOf = (content: string | Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`
const layer = 'a layer '.repeat(1000)
const config = '{"os":"linux"}'
const manifest = JSON.stringify({
  schemaVersion: 2,
  config: { digest: digestOf(config), size: config.length },
  layers: [{ digest: digestOf(layer), size: layer.length }],
})
const place = placeOf('projects', 'g/p', 1, 2)

/** A source with one image. `answers` replaces answers by their paths. */
function startSource(answers: (url: string) => Record<string, Answer> = () => ({})) {
  const fake = startFake(async ({ url = '', headers }) => {
    const own = `http://${headers.host}`
    const usual: Record<string, Answer> = {
      '/api/v4/projects/1/registry/repositories?per_page=100': {
        body: [{ id: 3, path: 'g/p', location: `${headers.host}/g/p` }],
      },
      '/api/v4/projects/1/registry/repositories/3/tags?per_page=100': { body: [{ name: 'v1' }] },
      '/v2/': { status: 401, headers: { 'WWW-Authenticate': `Bearer realm="${own}/jwt/auth",service="registry"` } },
      '/jwt/auth?service=registry&scope=repository%3Ag%2Fp%3Apull': { body: { token: 'for-the-registry' } },
      '/v2/g/p/manifests/v1': {
        body: manifest,
        headers: { 'Content-Type': 'application/vnd.oci.image.manifest.v1+json' },
      },
      [`/v2/g/p/blobs/${digestOf(config)}`]: { body: config },
      [`/v2/g/p/blobs/${digestOf(layer)}`]: { body: layer },
    }
    return { ...usual, ...answers(own) }[url] ?? { status: 404, body: {} }
  })
  return fake
}

/** A registry that stores what it gets. */
async function startTarget() {
  const stored: string[] = []
  const fake = await startFake(async (request) => {
    const { method, url = '' } = request
    if (url === '/api/v4/projects/2')
      return { body: { container_registry_image_prefix: `${request.headers.host}/g/p` } }
    if (url === '/v2/') return { body: {} }
    if (method === 'POST') return { status: 202, headers: { Location: '/v2/g/p/blobs/uploads/1' } }
    if (method !== 'PUT') return { status: 404, body: {} }
    const body = await buffer(request).catch(() => null)
    if (body) stored.push(digestOf(body))
    return { status: 201 }
  })
  return { ...fake, stored, [Symbol.asyncDispose]: fake[Symbol.asyncDispose] }
}

async function broughtFrom(answers?: (url: string) => Record<string, Answer>) {
  await using source = await startSource(answers)
  await using target = await startTarget()
  const context = contextFor({ source: source.url, target: target.url })
  await bringImages(context, place)
  const { received, credentials } = source
  return {
    problems: context.state.problems().map(({ what, reason }) => `${what}: ${reason}`),
    stored: target.stored,
    received,
    credentials,
  }
}

test('an image is brought with its parts, each checked', async () => {
  const { problems, stored, credentials, received } = await broughtFrom()
  expect(problems).toEqual([])
  expect(stored).toEqual([digestOf(config), digestOf(layer), digestOf(manifest)])
  const blobs = credentials.filter((_, index) => received[index]?.includes('/blobs/'))
  expect(new Set(blobs)).toEqual(new Set(['Bearer for-the-registry']))
})

test('a part in a store elsewhere is read without any credentials', async () => {
  await using store = await startFake(() => ({ body: layer }))
  const blob = `/v2/g/p/blobs/${digestOf(layer)}`
  const { problems, stored } = await broughtFrom(() => ({
    [blob]: { status: 307, headers: { Location: `${store.url}/signed` } },
  }))
  expect([problems, stored.length, store.credentials]).toEqual([[], 3, [undefined]])
})

test('the token is not sent to a realm elsewhere', async () => {
  await using other = await startFake(() => ({ body: { token } }))
  const challenge = `Bearer realm="${other.url}/jwt/auth",service="registry"`
  const { problems } = await broughtFrom(() => ({
    '/v2/': { status: 401, headers: { 'WWW-Authenticate': challenge } },
  }))
  expect(problems).toEqual([`image g/p:v1: the registry asks for a token of ${other.url}, where the token is not sent`])
  expect(other.received).toEqual([])
})

const tags = '/api/v4/projects/1/registry/repositories/3/tags?per_page=100'
const repositories = '/api/v4/projects/1/registry/repositories?per_page=100'
test.each<[string, Record<string, Answer>, RegExp]>([
  ['another content', { [`/v2/g/p/blobs/${digestOf(layer)}`]: { body: layer.replace('a', 'b') } }, /another content/],
  ['less than it names', { [`/v2/g/p/blobs/${digestOf(layer)}`]: { body: 'x' } }, /sends 1 of 8000 bytes/],
  ['more than it names', { [`/v2/g/p/blobs/${digestOf(config)}`]: { body: layer } }, /more than 14 bytes/],
  ['a manifest that is not JSON', { '/v2/g/p/manifests/v1': { body: 'x' } }, /not JSON/],
  ['a part without a digest', { '/v2/g/p/manifests/v1': { body: { layers: [{ size: 1 }] } } }, /without a SHA-256/],
  [
    'a part without a size',
    { '/v2/g/p/manifests/v1': { body: { layers: [{ digest: digestOf(layer) }] } } },
    /without a size/,
  ],
  ['a name of a tag that is a path', { [tags]: { body: [{ name: '../../../admin' }] } }, /a name that is none/],
  [
    'an image of another project',
    { [repositories]: { body: [{ id: 3, path: 'g/other', location: 'x/g' }] } },
    /not below the project/,
  ],
])('%s is not stored', async (_name, answers, message) => {
  const { problems, stored } = await broughtFrom(() => answers)
  expect(problems).toEqual([expect.stringMatching(message)])
  expect(stored).not.toContain(digestOf(manifest))
})
