/** What needs the object store is answered with 503 while it is away, whatever it is, and succeeds when it is back (contract 00). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ObjectError, type ObjectStore } from '../src/infra/objects/index.ts'
import { deliver } from '../src/modules/alerts/testing.ts'
import { blobOf, registryOf } from '../src/modules/container-registry/http/testing.ts'
import { objectOf } from '../src/modules/lfs/testing.ts'
import { exported, exportsOf } from '../src/modules/relation-exports/testing.ts'
import { makeRunner, queuedProject, workOn } from '../src/modules/runners/testing.ts'
import { type Person, startTestServer, type TestServer, zipOf } from '../src/testing/index.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let server: TestServer
let owner: Person
/** Each request, which takes what it changes away. Sent once without the store, and then with it. */
const requests: Record<string, () => Promise<{ status: number }>> = {}

function form(field: string, name: string, content: Buffer | string = png): FormData {
  const body = new FormData()
  body.set(field, new Blob([content as never]), name)
  return body
}

const made = <Body>({ status, body }: { status: number; body: Body }): Body => {
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body
}

async function prepareUploads(base: string): Promise<void> {
  const { id, url } = made(await owner.post(`${base}/uploads`, form('file', 'a.txt', 'content')))
  requests['storing an upload'] = () => owner.post(`${base}/uploads`, form('file', 'b.txt', 'content'))
  requests['reading an upload'] = () => owner.get(`${base}${url}`)
  requests['deleting an upload'] = () => owner.delete(`${base}/uploads/${id}`)
}

async function prepareAvatar(base: string): Promise<void> {
  made(await owner.put(base, form('avatar', 'a.png')))
  requests['reading an avatar'] = () => owner.get(`${base}/avatar`)
  requests['storing an avatar'] = () => owner.put(base, form('avatar', 'b.png'))
}

async function prepareMetricImages(base: string): Promise<void> {
  const { url, token } = made(await owner.post(`${base}/alert_management_integrations`, { name: 'a' }))
  await deliver(url, token, { title: 'a' })
  const images = `${base}/alert_management_alerts/1/metric_images`
  const image = made(await owner.post(images, form('file', 'a.png')))
  requests['storing a metric image'] = () => owner.post(images, form('file', 'b.png'))
  requests['reading a metric image'] = () => owner.get(`root:${image.file_path}`)
  requests['deleting a metric image'] = () => owner.delete(`${images}/${image.id}`)
}

async function prepareJobs(): Promise<void> {
  const config = 'one: {script: a, artifacts: {paths: [a]}}\ntwo: {script: a, artifacts: {paths: [a]}}'
  const { id } = await queuedProject(server, owner, 'built', { config })
  const runner = await makeRunner(server)
  const [first, second] = [await runner.take(), await runner.take()]
  const archive = zipOf({ 'a.txt': 'hello' })
  made(await workOn(server, first).upload(archive, '?artifact_format=zip'))
  made(await workOn(server, first).update({ state: 'success' }))
  const artifacts = `/projects/${id}/jobs/${first.id}/artifacts`
  requests['reading artifacts'] = () => owner.get(artifacts)
  requests['reading a file of artifacts'] = () => owner.get(`${artifacts}/a.txt`)
  requests['storing artifacts'] = () => workOn(server, second).upload(archive, '?artifact_format=zip')
  requests['storing a log'] = () => workOn(server, second).trace('line', '0-3')
}

function lfs(method: string, path: string, body?: Buffer | string) {
  const headers = {
    Authorization: `Basic ${btoa(`${owner.username}:${owner.token}`)}`,
    'Content-Type': typeof body === 'string' ? 'application/vnd.git-lfs+json' : 'application/octet-stream',
  }
  return fetch(`${server.url}/owner/stored.git/${path}`, { method, headers, body: (body ?? null) as never })
}

async function prepareLfs(): Promise<void> {
  const [known, fresh] = [objectOf(), objectOf()]
  const put = ({ oid, size, content }: typeof known) => lfs('PUT', `gitlab-lfs/objects/${oid}/${size}`, content)
  expect((await put(known)).status).toBe(200)
  const batch = JSON.stringify({ operation: 'upload', objects: [{ oid: known.oid, size: known.size }] })
  requests['storing an LFS object'] = () => put(fresh)
  requests['reading an LFS object'] = () => lfs('GET', `gitlab-lfs/objects/${known.oid}`)
  requests['announcing an LFS object'] = () => lfs('POST', 'info/lfs/objects/batch', batch)
}

async function prepareImages(): Promise<void> {
  const registry = registryOf(server)
  const scope = 'owner/stored:pull,push' as const
  const [known, whole, chunked] = [blobOf(), blobOf(), blobOf()]
  const uploads = 'owner/stored/blobs/uploads/'
  const send = (blob: typeof known) =>
    registry.send('POST', `${uploads}?digest=${blob.digest}`, { scope, body: blob.content })
  made(await send(known))
  const open = (await registry.send('POST', uploads, { scope })).headers.get('location') ?? ''
  requests['storing a blob'] = () => send(whole)
  requests['storing a chunk'] = () => registry.send('PATCH', open, { scope, body: chunked.content })
  requests['reading a blob'] = () => registry.send('GET', `owner/stored/blobs/${known.digest}`, { scope })
}

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  const { id } = await server.make.project('stored', owner)
  const base = `/projects/${id}`
  made(await owner.post(`${base}/labels`, { name: 'a', color: '#112233' }))
  await exported(server, owner, base)
  requests['reading an export'] = () => owner.get(`${exportsOf(base)}/download?relation=labels`)
  await prepareUploads(base)
  await prepareAvatar(base)
  await prepareMetricImages(base)
  await prepareJobs()
  await prepareLfs()
  await prepareImages()
})
afterAll(() => server?.stop())

/** Does some work while each method of the object store fails as one does that is away. */
async function whileAway<Result>(work: () => Promise<Result>): Promise<Result> {
  const { objects } = server.app.platform
  const original = { ...objects }
  const fails = () => Promise.reject(new ObjectError('unavailable', 'away'))
  const failing = Object.fromEntries(Object.keys(original).map((name) => [name, fails]))
  const list: ObjectStore['list'] = async function* () {
    yield await fails()
  }
  Object.assign(objects, failing, { list })
  return work().finally(() => Object.assign(objects, original))
}

test('everything that needs the object store is answered with 503 while it is away, and works when it is back', async () => {
  const statuses = async () => {
    const sent = Object.entries(requests).map(async ([name, send]) => [name, (await send()).status] as const)
    return Object.fromEntries(await Promise.all(sent))
  }
  const away = await whileAway(statuses)
  expect(away).toEqual(Object.fromEntries(Object.keys(requests).map((name) => [name, 503])))
  expect(await whileAway(async () => (await fetch(`${server.url}/-/readiness`)).status)).toBe(503)
  for (const [name, send] of Object.entries(requests)) expect((await send()).status, name).toBeLessThan(300)
})
