import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ACCESS_KEY, type S3Server, startS3Server } from '../src/infra/objects/s3/fixture-server.ts'
import { startTestServer } from '../src/testing/index.ts'

const patiently = { timeout: 30_000, interval: 25 }
const unavailable = { status: 503, body: { message: '503 Service Unavailable' } }

let service: S3Server
beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', ACCESS_KEY.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', ACCESS_KEY.secretAccessKey)
  service = await startS3Server()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await service[Symbol.asyncDispose]()
})

const listening = (server: Server, port: number) =>
  new Promise<number>((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

/** A port at which the service is not yet: `open` brings it there. */
async function gateTo({ url }: S3Server) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const other = connect(Number(new URL(url).port), '127.0.0.1')
    for (const one of [socket, other]) sockets.add(one.on('error', () => {}))
    socket.pipe(other).pipe(socket)
  })
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resolve())
    })
  const port = await listening(server, 0)
  await close()
  return { url: `http://127.0.0.1:${port}`, open: () => listening(server, port), close }
}

const start = (objectsUrl: string) => startTestServer({ objectsUrl, isOwn: true })
type Running = Awaited<ReturnType<typeof start>>

const readiness = async ({ url }: Running) => {
  const answer = await fetch(`${url}/-/readiness`)
  return { status: answer.status, body: await answer.json() }
}
const unreachable = {
  status: 503,
  body: {
    status: 'failed',
    master_check: [{ status: 'failed' }],
    object_store_check: [{ status: 'failed', message: 'the object store is unreachable' }],
  },
}

async function attach(server: Running, projectId: number) {
  const body = new FormData()
  body.append('file', new Blob(['content']), 'a.txt')
  const headers = { 'PRIVATE-TOKEN': server.rootToken }
  const answer = await fetch(`${server.url}/api/v4/projects/${projectId}/uploads`, { method: 'POST', headers, body })
  return { status: answer.status, body: await answer.json() }
}

test('a server starts while its object store is away, is not ready, and is when the store is back', async () => {
  const gate = await gateTo(service)
  await using server = await start(`s3://${service.bucket}/a?endpoint=${gate.url}`)
  expect(await readiness(server)).toEqual(unreachable)
  const project = await server.root.post('/projects', { name: 'here' })
  expect(project.status).toBe(201)
  expect(await attach(server, project.body.id)).toMatchObject(unavailable)
  await gate.open()
  await expect.poll(async () => (await readiness(server)).status, patiently).toBe(200)
  expect(await attach(server, project.body.id)).toMatchObject({ status: 201 })
  await gate.close()
  expect(await readiness(server)).toEqual(unreachable)
})

test('a service that fails, and one that does not answer, keep no server from starting', async () => {
  service.fault = () => ({ status: 503, code: 'ServiceUnavailable' })
  await using failing = await start(`s3://${service.bucket}/a?endpoint=${service.url}`)
  expect(await readiness(failing)).toEqual(unreachable)
  // Keys that are revoked while the server runs.
  service.fault = () => ({ status: 403, code: 'InvalidAccessKeyId' })
  expect((await readiness(failing)).body).toMatchObject({
    object_store_check: [{ message: 'the object store refuses the requests of this server' }],
  })
  service.fault = () => new Promise(() => {})
  await using waiting = await start(`s3://${service.bucket}/a?endpoint=${service.url}`)
  expect(await readiness(waiting)).toEqual(unreachable)
  service.fault = () => undefined
  for (const server of [failing, waiting])
    await expect.poll(async () => (await readiness(server)).status, patiently).toBe(200)
})

test.each([
  ['another bucket', 's3://another', {}, /^FENNEC_OBJECTS_URL: there is no bucket another/],
  [
    'a wrong key',
    's3://fixture',
    { status: 403, code: 'InvalidAccessKeyId' },
    /^FENNEC_OBJECTS_URL: .* refuses the access key/,
  ],
])('%s ends the start', async (_, bucket, fault, message) => {
  if ('status' in fault) service.fault = () => fault
  await expect(start(`${bucket}?endpoint=${service.url}`)).rejects.toThrow(message)
})
