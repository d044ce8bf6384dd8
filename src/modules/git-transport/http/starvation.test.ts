import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Git, openGit } from '../../../infra/git/index.ts'
import { until } from '../../../infra/git/testing.ts'
import {
  git,
  imported,
  importStream,
  type Person,
  runProgram,
  type SshKeyPair,
  sshGit,
  sshKeyPair,
  sshUrl,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'

let server: TestServer
let folder: { path: string } & AsyncDisposable
let owner: Person
let other: Person
let ownKey: SshKeyPair
let otherKey: SshKeyPair
let projectId: number
let blobId: string
let impatient: Git
let patient: Git

/** Longer than any test. */
const never = 3_600_000
/** A busy machine starts processes slowly: the tests wait for conditions, up to these limits. */
const conditionMs = 60_000
const slow = { timeout: 180_000 }

beforeAll(async () => {
  server = await startTestServer({ sshPort: 0 })
  folder = await temporaryDirectory()
  owner = await server.user('owner')
  other = await server.user('other')
  ownKey = await keyOf(owner)
  otherKey = await keyOf(other)
  const stream = importStream([{ message: 'x', files: [['100644', 'noise', randomBytes(30 * 1024 * 1024)]] }])
  projectId = (await imported(server, owner, 'large', stream, { visibility: 'public' })).id
  const { body } = await owner.get(`/projects/${projectId}/repository/tree`)
  blobId = body[0].id
  // Its hash is computed once, and cached.
  expect((await owner.head(`/projects/${projectId}/repository/files/noise?ref=main`)).status).toBe(200)
  const { storages } = server.app.platform.config
  const few = { concurrentTransfers: 2, transfersPerCaller: 1 }
  patient = await openGit({ storages, limits: { ...few, clientIdleMs: never, pushInputIdleMs: never } })
  impatient = await openGit({ storages, limits: { ...few, clientIdleMs: 600, pushInputIdleMs: never } })
})
afterAll(async () => {
  await server.stop()
  await Promise.all([patient.close(), impatient.close()])
  await folder[Symbol.asyncDispose]()
})

async function keyOf(person: Person): Promise<SshKeyPair> {
  const pair = await sshKeyPair(folder.path, person.username)
  expect((await person.post('/user/keys', { title: 'key', key: pair.publicKey })).status).toBe(201)
  return pair
}

/** Replaces the git of the server by one with the limits of the test. */
function use({ repository }: Git): void {
  server.app.platform.git.repository = repository
}

type Hostile = { socket: Socket; closed: Promise<unknown> }

/** Waits until git of this server runs, or has ended. Other tests may run git at the same time. */
async function running(what: Held, isThere = true): Promise<void> {
  const { default: storage } = server.app.platform.config.storages
  const marks = { transfer: storage, archive: '--prefix=large-main-', blob: blobId, nothing: '' }
  if (what === 'nothing') return
  await until(async () => {
    const { stdout } = await runProgram({ binary: 'ps', parameters: ['-Ao', 'args'], env: { PATH: process.env.PATH } })
    const found = stdout.split('\n').some((args) => args.startsWith('git') && args.includes(marks[what] ?? ''))
    return found === isThere
  }, conditionMs)
}

/** The kind of process that a probe blocks, so that its slot stays taken. */
type Held = 'transfer' | 'archive' | 'blob' | 'nothing'

/** Sends the beginning of a request, and reads nothing of the answer. */
async function send(text: string): Promise<Hostile> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.pause().on('error', () => {})
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  await new Promise((resolve) => socket.write(text, resolve))
  return { socket, closed }
}

const get = (path: string) => send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
const post = (contentLength: number, body: string) =>
  send(
    `POST /owner/large.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-git-upload-pack-request\r\n` +
      `Git-Protocol: version=2\r\nContent-Length: ${contentLength}\r\n\r\n${body}`,
  )

const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`

async function wanted(): Promise<string> {
  const { body } = await owner.get(`/projects/${projectId}/repository/branches/main`)
  return `${line('command=fetch')}0001${line(`want ${body.commit.id}\n`)}${line('done\n')}0000`
}

/** Requests the refs with a key over SSH, as a user over HTTP, or anonymously. In protocol 2 this takes a slot, and little more. */
async function ask(who?: SshKeyPair | Person) {
  const command = ['-c', 'protocol.version=2', 'ls-remote']
  if (who && 'publicKey' in who) return sshGit(server, who, folder.path, ...command, sshUrl(server, 'owner/large'))
  // The client requests public repositories without credentials unless it is forced to send them.
  const basic = who && `Authorization: Basic ${Buffer.from(`x:${who.token}`).toString('base64')}`
  const header = basic ? ['-c', `http.extraHeader=${basic}`] : []
  return git(folder.path, ...header, ...command, `${server.url}/owner/large.git`)
}

/** Repeats a request until it is served: a slow client may be disconnected as idle. */
async function askUntilServed(who?: SshKeyPair | Person): Promise<void> {
  await until(async () => (await ask(who)).code === 0, conditionMs)
}

const api = (path: string) => `/api/v4/projects/${projectId}/repository/${path}`
const haves = () => Array.from({ length: 2_000 }, () => line(`have ${randomBytes(20).toString('hex')}\n`)).join('')
const probes: [string, Held, () => Promise<Hostile>][] = [
  ['requests to clone that stop coming', 'nothing', () => post(1_000, '0014')],
  [
    'requests to clone that stop coming later',
    'transfer',
    () => post(1_000_000, `${line('command=fetch')}0001${haves()}`),
  ],
  [
    'clones that the client does not read',
    'transfer',
    async () => {
      const body = await wanted()
      return post(body.length, body)
    },
  ],
  ['archives that the client does not read', 'archive', () => get(api('archive.tar'))],
  ['zipped archives that the client does not read', 'archive', () => get(api('archive.tar.bz2'))],
  ['blobs that the client does not read', 'blob', () => get(api(`blobs/${blobId}/raw`))],
  ['files that the client does not read', 'blob', () => get(api('files/noise/raw?ref=main'))],
]

describe.each(probes)('%s', slow, (_what, holds, probe) => {
  test('do not starve other callers', async () => {
    use(patient)
    const hostile = await Promise.all(Array.from({ length: 8 }, probe))
    await running(holds)
    expect(await ask(other)).toMatchObject({ code: 0 })
    expect(await ask(otherKey)).toMatchObject({ code: 0 })
    for (const { socket } of hostile) socket.destroy()
    await Promise.all(hostile.map(({ closed }) => closed))
    await running(holds, false)
  })

  test('end in time, so that the same address is served', async () => {
    use(impatient)
    const hostile = await Promise.all(Array.from({ length: 3 }, probe))
    await running(holds)
    await askUntilServed()
    for (const { socket } of hostile) socket.destroy()
    await running(holds, false)
  })
})

test('a request that pauses for too long is answered with 408', slow, async () => {
  use(impatient)
  const { socket, closed } = await post(1_000, '0014')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.resume()
  await closed
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
  expect(answer).toMatch(/\r\nconnection: close\r\n/i)
})

test('a caller with a full queue is answered with 503', slow, async () => {
  const { storages } = server.app.platform.config
  const limits = { concurrentTransfers: 2, transfersPerCaller: 1, queueLengthPerCaller: 1, clientIdleMs: never }
  const full = await openGit({ storages, limits })
  use(full)
  const archive = `${server.url}${api('archive.tar')}`
  const held = await get(api('archive.tar'))
  const waiting = await get(api('archive.tar'))
  const body = await wanted()
  const headers = { 'Content-Type': 'application/x-git-upload-pack-request', 'Git-Protocol': 'version=2' }
  const busy = async (answer: Promise<Response>) => {
    const { status, headers, body } = await answer
    await body?.cancel()
    return [status, headers.get('retry-after')]
  }
  // A refused request is answered without waiting.
  await until(
    async () => (await busy(fetch(archive, { signal: AbortSignal.timeout(2_000) }).catch(unheard)))[0] === 503,
    conditionMs,
  )
  const fetched = fetch(`${server.url}/owner/large.git/git-upload-pack`, { method: 'POST', headers, body })
  expect(await busy(fetched)).toEqual([503, '30'])
  expect(await ask(other)).toMatchObject({ code: 0 })
  held.socket.destroy()
  waiting.socket.destroy()
  await full.close()
})

/** Ignores the failure of a request whose answer is not awaited. */
const unheard = () => new Response(null, { status: 204 })

/** Starts a command by `ssh`, and does not read its output. */
function session(command: string, input: string) {
  const { host, port } = server.app.ssh as { host: string; port: number }
  const settings = ['BatchMode=yes', 'IdentitiesOnly=yes', 'IdentityAgent=none', 'StrictHostKeyChecking=no']
  const files = ['UserKnownHostsFile=/dev/null', 'SetEnv=GIT_PROTOCOL=version=2', 'LogLevel=ERROR']
  const chosen = [...settings, ...files].flatMap((setting) => ['-o', setting])
  const given = ['-T', '-F', '/dev/null', '-i', ownKey.path, '-p', String(port), ...chosen, `git@${host}`, command]
  const client = spawn('ssh', given, { env: { PATH: process.env.PATH } })
  client.stdin.on('error', () => {})
  client.stdin.write(input)
  return client
}

const argument = (text: string) => line(`argument ${text}\n`)
const sessions: [string, Held, () => Promise<ReturnType<typeof session>>][] = [
  ['fetches over SSH in which nothing is said', 'transfer', async () => session("git-upload-pack 'owner/large'", '')],
  [
    'clones over SSH that the client does not read',
    'transfer',
    async () => session("git-upload-pack 'owner/large'", await wanted()),
  ],
  [
    'archives over SSH that the client does not read',
    'transfer',
    async () => session("git-upload-archive 'owner/large'", `${argument('main')}0000`),
  ],
  [
    'archives over SSH that the client never requests',
    'nothing',
    async () => session("git-upload-archive 'owner/large'", ''),
  ],
]

describe.each(sessions)('%s', slow, (_what, holds, begin) => {
  test('do not starve other callers', async () => {
    use(patient)
    const hostile = await Promise.all(Array.from({ length: 4 }, begin))
    await running(holds)
    expect(await ask(other)).toMatchObject({ code: 0 })
    expect(await ask(otherKey)).toMatchObject({ code: 0 })
    const gone = hostile.map((client) => once(client, 'exit'))
    for (const client of hostile) client.kill('SIGKILL')
    await Promise.all(gone)
    await running(holds, false)
  })

  test('end in time, so that the same user is served', async () => {
    use(impatient)
    const hostile = await Promise.all(Array.from({ length: 2 }, begin))
    await running(holds)
    await askUntilServed(ownKey)
    for (const client of hostile) client.kill('SIGKILL')
    await running(holds, false)
  })
})

test('a push over SSH may be idle for longer than a fetch', slow, async () => {
  use(impatient)
  const push = session("git-receive-pack 'owner/large'", '')
  const [advertised] = await once(push.stdout, 'data')
  expect(String(advertised)).toContain('report-status')
  // A later, equally idle fetch of another user is ended meanwhile; each user has one slot.
  const { socket, closed } = await post(1_000, '0014')
  socket.resume()
  await closed
  expect(push.exitCode).toBe(null)
  push.stdin.end('0000')
  push.stdout.resume()
  expect((await once(push, 'exit'))[0]).toBe(0)
})
