/** Pulls from a secondary: the primary decides each use of a token, and what it confirmed is pulled without it (contract 15). */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Answer, clientOf, type Person } from '../../../testing/index.ts'
import { blobOf, registryOf } from '../../container-registry/http/testing.ts'
import { imageOf, ociManifest } from '../../container-registry/manifests/testing.ts'
import { basic, loginOf } from '../../container-registry/tokens/testing.ts'
import { allCopied, type Pair, startPair } from '../testing.ts'

const patience = { timeout: 60_000, interval: 100 }
const name = 'owner/images/web'
const layer = blobOf('a layer')
const manifest = Buffer.from(imageOf(blobOf('{}'), [layer]))
const { digest } = blobOf(manifest)
let pair: Pair
let owner: Person

beforeAll(async () => {
  pair = await startPair()
  owner = await pair.primary.user('owner')
  await pair.primary.make.project('images', owner)
  const registry = registryOf(pair.primary)
  const scope = `${name}:pull,push` as const
  for (const blob of [blobOf('{}'), layer]) {
    await registry.send('POST', `${name}/blobs/uploads/?digest=${blob.digest}`, { scope, body: blob.content })
  }
  const headers = { 'Content-Type': ociManifest }
  expect((await registry.send('PUT', `${name}/manifests/1`, { scope, headers, body: manifest })).status).toBe(201)
  const report = async () => (await pair.primary.root.get(`/geo_sites/${pair.nodeId}/status`)).body
  await vi.waitFor(async () => expect(await report()).toMatchObject(allCopied('container_repositories', 1)), patience)
})
afterAll(() => pair?.[Symbol.asyncDispose]())

const servedBy = ({ headers }: Answer) => headers.get('x-fennec-geo-served')
const atSecondary = (path: string, authorization?: string) =>
  clientOf(pair.secondary.url).get(`root:${path}`, authorization ? { headers: { Authorization: authorization } } : {})

/** Asks the secondary for a token, as clients of the registry do. */
const askToken = (person: Person | null, repository = name) => {
  const login = person && loginOf(person)
  const scope = `repository:${repository}:pull`
  return atSecondary(`/jwt/auth?service=container_registry&scope=${scope}`, login ? basic(login) : undefined)
}
const pull = (path: string, token?: string) => atSecondary(`/v2/${name}/${path}`, token && `Bearer ${token}`)

test('a token of the registry ends at the secondary with the right and the credential that it came from', async () => {
  const { primary } = pair
  const reader = await primary.user('reader')
  const project = (await owner.get(`/projects/${encodeURIComponent('owner/images')}`)).body
  await owner.post(`/projects/${project.id}/members`, { user_id: reader.id, access_level: 20 })
  const token = async () => (await askToken(reader)).body.token as string
  const first = await token()
  const before = await pull(`blobs/${layer.digest}`, first)
  expect([before.status, before.body, servedBy(before)]).toEqual([200, 'a layer', 'local'])
  const byDigest = await pull(`manifests/${digest}`, first)
  expect([byDigest.status, byDigest.headers.get('content-type'), servedBy(byDigest)]).toEqual([
    ...[200, ociManifest, 'local'],
  ])
  await owner.delete(`/projects/${project.id}/members/${reader.id}`)
  expect((await pull(`blobs/${layer.digest}`, first)).status).toBe(401)
  expect((await pull(`manifests/${digest}`, first)).status).toBe(401)
  await owner.post(`/projects/${project.id}/members`, { user_id: reader.id, access_level: 20 })
  const second = await token()
  expect((await pull(`blobs/${layer.digest}`, second)).status).toBe(200)
  await primary.root.post(`/users/${reader.id}/block`)
  expect((await pull(`blobs/${layer.digest}`, second)).status).toBe(401)
})

/** Waits until the secondary knows that its primary does not answer. */
const cut = async () => {
  pair.link.cut()
  const readiness = async () => (await fetch(`${pair.secondary.url}/-/readiness`)).json()
  await expect.poll(readiness, patience).toMatchObject({ status: 'ok', primary_check: [{ status: 'failed' }] })
}

const problem = ({ status, body }: Answer) => [status, body.errors?.[0]?.code, body.errors?.[0]?.message]
const unanswered = 'This secondary cannot answer this request while its primary cannot be reached.'

test('images are pulled without the primary by those to whom it has confirmed it', async () => {
  const stranger = await pair.primary.user('stranger')
  const revoked = await pair.primary.user('revoked')
  const { id } = (await owner.get(`/projects/${encodeURIComponent('owner/images')}`)).body
  await owner.post(`/projects/${id}/members`, { user_id: revoked.id, access_level: 20 })
  const challenge = await pull('manifests/1')
  expect([challenge.status, servedBy(challenge)]).toEqual([401, 'primary'])
  expect(challenge.headers.get('www-authenticate')).toContain(`realm="${pair.secondary.url}/jwt/auth"`)
  const earlier = (await askToken(owner)).body.token
  const ended = (await askToken(revoked)).body.token
  expect((await pull(`blobs/${layer.digest}`, ended)).status).toBe(200)
  await owner.delete(`/projects/${id}/members/${revoked.id}`)
  expect((await pull(`blobs/${layer.digest}`, ended)).status).toBe(401)
  expect((await askToken(stranger)).status).toBe(200)
  await cut()
  try {
    const asked = await atSecondary('/v2/')
    expect([asked.status, servedBy(asked)]).toEqual([401, 'local'])
    expect(asked.headers.get('www-authenticate')).toMatch(`Bearer realm="${pair.secondary.url}/jwt/auth"`)
    expect((await askToken(owner, 'owner/images/other')).status).toBe(503)
    const token = (await askToken(owner)).body.token
    expect((await atSecondary('/v2/', `Bearer ${token}`)).status).toBe(200)
    for (const bearer of [token, earlier]) {
      const head = await fetch(`${pair.secondary.url}/v2/${name}/manifests/1`, {
        ...{ method: 'HEAD', headers: { Authorization: `Bearer ${bearer}` } },
      })
      expect([head.status, head.headers.get('docker-content-digest')]).toEqual([200, digest])
      const byTag = await pull('manifests/1', bearer)
      expect([byTag.status, byTag.headers.get('content-type'), servedBy(byTag)]).toEqual([200, ociManifest, 'local'])
      expect((await pull(`manifests/${digest}`, bearer)).status).toBe(200)
      expect((await pull(`blobs/${layer.digest}`, bearer)).body).toBe('a layer')
      expect(problem(await pull('manifests/unknown', bearer))).toEqual([503, 'UNAVAILABLE', unanswered])
    }
    for (const person of [stranger, revoked, null]) {
      expect(problem(await askToken(person))).toEqual([503, 'UNAVAILABLE', unanswered])
    }
    expect(problem(await pull('manifests/1', ended))).toEqual([503, 'UNAVAILABLE', unanswered])
    expect((await pull('manifests/1', `${token.slice(0, -2)}xx`)).status).toBe(401)
    const pushed = await fetch(`${pair.secondary.url}/v2/${name}/blobs/uploads/`, {
      ...{ method: 'POST', headers: { Authorization: `Bearer ${token}` } },
    })
    expect([pushed.status, await pushed.json()]).toMatchObject([
      503,
      { errors: [{ message: 'This secondary accepts no changes while its primary cannot be reached.' }] },
    ])
  } finally {
    pair.link.restore()
  }
})
