/** Pulls from a secondary: the primary decides each use of a token, and what it confirmed is pulled without it (contract 15). */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Answer, clientOf, type Person } from '../../../testing/index.ts'
import { blobOf, registryOf } from '../../container-registry/http/testing.ts'
import { imageOf, ociManifest } from '../../container-registry/manifests/testing.ts'
import { basic, loginOf } from '../../container-registry/tokens/testing.ts'
import { allCopied, type Pair, startPair } from '../testing.ts'

vi.setConfig({ testTimeout: 90_000 })
const patience = { timeout: 40_000, interval: 100 }
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
}, 90_000)
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
