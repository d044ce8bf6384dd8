import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  git,
  httpUrl,
  makeHistory,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let oid: string
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  await server.make.project('open', owner, { visibility: 'public' })
  await using folder = await temporaryDirectory()
  await makeHistory(folder.path, ['one'])
  oid = (await git(folder.path, 'rev-parse', 'HEAD')).stdout.trim()
  const address = httpUrl(server, owner, 'owner/open')
  expect(await git(folder.path, 'push', address, 'main')).toMatchObject({ code: 0 })
})
afterAll(() => server.stop())

const packet = (line: string) => `${(line.length + 4).toString(16).padStart(4, '0')}${line}`

async function send(service: 'upload-pack' | 'receive-pack', body: Buffer, encoding?: string, protocol?: string) {
  const response = await fetch(`${server.url}/owner/open.git/git-${service}`, {
    method: 'POST',
    headers: {
      'Content-Type': `application/x-git-${service}-request`,
      ...(encoding ? { 'Content-Encoding': encoding } : {}),
      ...(protocol ? { 'Git-Protocol': protocol } : {}),
      ...(service === 'receive-pack'
        ? { Authorization: `Basic ${Buffer.from(`owner:${owner.token}`).toString('base64')}` }
        : {}),
    },
    body: new Uint8Array(body),
  })
  return { status: response.status, body: await response.text() }
}

const wanted = () => `${packet(`want ${oid}\n`)}0000`
/** About 100 MB of commits that the client claims to have; compressed to a hundredth. */
const bomb = () => Buffer.from(wanted() + packet(`have ${'1'.repeat(40)}\n`).repeat(2_000_000))
const tooLarge = { status: 413, body: '413 Request Entity Too Large' }

test('a request may be compressed', async () => {
  const request = Buffer.from(`${wanted()}${packet('done\n')}`)
  for (const answer of [await send('upload-pack', request), await send('upload-pack', gzipSync(request), 'gzip')]) {
    expect(answer.status).toBe(200)
    expect(answer.body).toContain('PACK')
  }
})

test('a request that is too large when decompressed is refused', async () => {
  const compressed = gzipSync(bomb(), { level: 1 })
  expect(await send('upload-pack', compressed, 'gzip')).toEqual(tooLarge)
  expect(await send('upload-pack', compressed, 'x-gzip')).toEqual(tooLarge)
  expect((await send('upload-pack', Buffer.from(`${wanted()}${packet('done\n')}`))).status).toBe(200)
}, 120_000)

test('the decompressed size of a push is limited', async () => {
  const changes = packet(`${'0'.repeat(40)} ${oid} refs/heads/a\0report-status\n`)
  const more = packet(`${'0'.repeat(40)} ${oid} refs/heads/${'b'.repeat(200)}\n`).repeat(300_000)
  expect(await send('receive-pack', gzipSync(changes + more), 'gzip')).toEqual(tooLarge)
})

const undecompressed = { status: 400, body: '400 Bad request: the body could not be decompressed' }
const malformed = { status: 400, body: "400 Bad request: the body is not a complete request of git's protocol" }

test.each(['upload-pack', 'receive-pack'] as const)(
  '%s refuses a body that is not compressed as its header says',
  async (service) => {
    expect(await send(service, Buffer.from('garbage'), 'gzip')).toEqual(undecompressed)
    const half = gzipSync(Buffer.from(wanted())).subarray(0, 20)
    expect(await send(service, half, 'gzip')).toEqual(undecompressed)
  },
)

test.each(['upload-pack', 'receive-pack'] as const)(
  '%s refuses a body that is not a complete request',
  async (service) => {
    const command =
      service === 'upload-pack' ? packet(`want ${oid}\n`) : packet(`${'0'.repeat(40)} ${oid} refs/heads/a\0\n`)
    for (const body of ['', '00', 'garbage garbage', command, command.slice(0, 30), packet('command=nonsense\n')]) {
      expect([body, await send(service, Buffer.from(body))]).toEqual([body, malformed])
      expect([body, await send(service, gzipSync(body), 'gzip')]).toEqual([body, malformed])
    }
    expect(await send(service, gzipSync(Buffer.alloc(100_000_000)), 'gzip')).toEqual(malformed)
  },
)

test('upload-pack in protocol version 2 refuses unknown commands and capabilities', async () => {
  for (const line of ['command=nonsense\n', `want ${oid}\n`, 'object-format=nonsense\n']) {
    const answer = await send('upload-pack', Buffer.from(`${packet(line)}0000`), undefined, 'version=2')
    expect([line, answer]).toEqual([line, malformed])
  }
})
