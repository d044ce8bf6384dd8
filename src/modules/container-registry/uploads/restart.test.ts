import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startApp } from '../../../app.ts'
import { memoryConfig, readConfig } from '../../../config.ts'
import { makeFreshDatabase } from '../../../testing/database.ts'
import { temporaryDirectory } from '../../../testing/index.ts'
import { blobOf } from '../http/testing.ts'

const rootToken = 'glpat-the-token-of-root'

test('an upload goes on where it was after the server was started again', async () => {
  await using folder = await temporaryDirectory()
  const database = await makeFreshDatabase()
  const config = {
    ...memoryConfig(readConfig({}), folder.path),
    listen: { host: '127.0.0.1', port: 0 },
    databaseUrl: database.url,
    rootToken,
  }
  const start = () => startApp({ config, log: pino({ level: 'silent' }), durable: false })
  const blob = blobOf(Buffer.alloc(300_000, 'fennec'))
  const half = 123_456
  try {
    let app = await start()
    const headers = { 'PRIVATE-TOKEN': rootToken, 'Content-Type': 'application/json' }
    await fetch(`${app.url}/api/v4/projects`, { method: 'POST', headers, body: '{"name":"p"}' })
    const scope = 'repository:root/p:pull,push'
    const basic = `Basic ${Buffer.from(`root:${rootToken}`).toString('base64')}`
    const issued = await fetch(`${app.url}/jwt/auth?service=container_registry&scope=${scope}`, {
      headers: { Authorization: basic },
    })
    const { token } = (await issued.json()) as { token: string }
    const send = (method: string, path: string, body?: Buffer) =>
      fetch(`${app.url}${path}`, { method, headers: { Authorization: `Bearer ${token}` }, body: body as never })
    const location = (await send('POST', '/v2/root/p/blobs/uploads/')).headers.get('location') as string
    expect((await send('PATCH', location, blob.content.subarray(0, half))).status).toBe(202)
    await app.stop()

    app = await start()
    const status = await send('GET', location)
    expect([status.status, status.headers.get('range')]).toEqual([204, `0-${half - 1}`])
    const finished = await send('PUT', `${location}?digest=${blob.digest}`, blob.content.subarray(half))
    expect(finished.status).toBe(201)
    await app.stop()

    app = await start()
    const pulled = Buffer.from(await (await send('GET', `/v2/root/p/blobs/${blob.digest}`)).arrayBuffer())
    await app.stop()
    expect(pulled.equals(blob.content)).toBe(true)
  } finally {
    await database.remove()
  }
})
