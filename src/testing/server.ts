import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Embedded, startEmbedded } from '../embedded.ts'
import type { FennecOptions } from '../fennec.ts'
import { manualClock, systemClock } from '../infra/clock/index.ts'
import { type ChangeableClock, changeableClock } from './changeable-clock.ts'
import { type Client, clientOf } from './client.ts'
import { makeFreshDatabase } from './database.ts'
import { type Fixtures, fixturesOf, type Person } from './fixtures.ts'

/** A server for tests, on the engine and the object store under test, with clients for its users. */
export type TestServer = Embedded & {
  /** Sends root's token. */
  root: Client
  /** Sends no credentials. */
  anonymous: Client
  as(token: string): Client
  /** Creates a user by rows alone and returns a client for them. The token has the scope `api` by default. */
  user(username: string, scopes?: readonly string[]): Promise<Person>
  /** Creates rows directly, for tests that are about something else. */
  make: Fixtures
}

type Reusable = Embedded & { clock: ChangeableClock }

export type TestServerOptions = FennecOptions & {
  /** Whether no other test uses the server, before or after. */
  isOwn?: boolean
}

/** Not in use; the next test file in this process that needs the same takes one instead of a new one. */
const idle: Record<'http' | 'ssh', Reusable[]> = { http: [], ssh: [] }

/** A new prefix of the bucket at FENNEC_TEST_S3_URL when FENNEC_TEST_OBJECTS is `s3`; else objects are files. */
function freshObjects(): { objectsUrl?: string } {
  const { FENNEC_TEST_OBJECTS: backend, FENNEC_TEST_S3_URL: bucket } = process.env
  if (backend !== 's3') return {}
  const url = new URL(bucket ?? '')
  url.pathname += `/${randomUUID()}`
  return { objectsUrl: url.href }
}

async function startFresh(options: FennecOptions): Promise<Embedded> {
  const fresh = await makeFreshDatabase()
  const fennec = await startEmbedded({ ...freshObjects(), ...options, databaseUrl: fresh.url })
  const stop = async () => {
    await fennec.stop()
    await fresh.remove()
  }
  return { ...fennec, stop }
}

/** Remembers what a test may replace in its server: members of operations, rules of the gate, configuration, git. */
function restorer({ app }: Embedded): () => void {
  const mounted = app.operations.map((operation) => ({ operation, original: { ...operation } }))
  const { rules, listeners } = app.platform.gate
  const gate = { rules: [...rules], listeners: [...listeners] }
  const { config, git } = app.platform
  const configured = { ...config }
  const { repository } = git
  return () => {
    Object.assign(config, configured)
    git.repository = repository
    for (const { operation, original } of mounted) Object.assign(operation, original)
    rules.splice(0, rules.length, ...gate.rules)
    listeners.splice(0, listeners.length, ...gate.listeners)
  }
}

/** Starts a server that several tests use; its files are removed when the process ends. */
async function startReusable(options: FennecOptions): Promise<Reusable> {
  const clock = changeableClock()
  const fennec = await startFresh({ ...options, clock })
  const { data, databaseUrl } = fennec.app.platform.config
  process.once('exit', () => {
    rmSync(data, { recursive: true, force: true })
    if (databaseUrl.startsWith('sqlite:')) rmSync(dirname(databaseUrl.slice('sqlite:'.length)), { recursive: true })
  })
  return { ...fennec, clock }
}

async function leaseReusable({ clock = systemClock, ...options }: FennecOptions): Promise<Embedded> {
  const pool = idle[options.sshPort === undefined ? 'http' : 'ssh']
  const fennec = pool.pop() ?? (await startReusable(options))
  // With the new time, jobs of the former test would become due, which may wait for a time that does not come.
  await fennec.app.reset(() => fennec.clock.change(clock))
  const restore = restorer(fennec)
  let isLeased = true
  async function stop(): Promise<void> {
    if (!isLeased) return
    isLeased = false
    restore()
    await fennec.app.platform.jobs.drain()
    // Nothing becomes due in a server that is not in use.
    fennec.clock.change(manualClock({ start: clock.now() }))
    pool.push(fennec)
  }
  return { ...fennec, stop }
}

const isReusable = ({ clock, sshPort, ...others }: FennecOptions) =>
  Object.keys(others).length === 0 && (sshPort === undefined || sshPort === 0)

/**
 * Starts a server: `await using server = await startTestServer()`. With no other options than a clock and `sshPort: 0` it may be
 * one that an earlier file of this process has used, which is emptied first; `{ isOwn: true }` prevents this.
 */
export async function startTestServer({ isOwn = false, ...options }: TestServerOptions = {}): Promise<TestServer> {
  const fennec = !isOwn && isReusable(options) ? await leaseReusable(options) : await startFresh(options)
  const { stop } = fennec
  const make = fixturesOf(fennec)
  return {
    ...fennec,
    root: clientOf(fennec.url, fennec.rootToken),
    anonymous: clientOf(fennec.url),
    as: (token) => clientOf(fennec.url, token),
    user: make.user,
    make,
    [Symbol.asyncDispose]: stop,
  }
}
