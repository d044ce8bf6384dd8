import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Fennec, type FennecOptions, startFennec } from '../index.ts'
import { type Client, clientOf } from './client.ts'
import { makeFreshDatabase } from './database.ts'
import { type Fixtures, fixturesOf, type Person } from './fixtures.ts'

/** A server for tests, on the engine and the object store under test, with clients for its users. */
export type TestServer = Fennec & {
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

/** Started without options, and emptied after use: the next test file in this process takes it instead of a new one. */
const idle: Fennec[] = []

/** A new prefix of the bucket at FENNEC_TEST_S3_URL when FENNEC_TEST_OBJECTS is `s3`; else objects are files. */
function freshObjects(): { objectsUrl?: string } {
  const { FENNEC_TEST_OBJECTS: backend, FENNEC_TEST_S3_URL: bucket } = process.env
  if (backend !== 's3') return {}
  const url = new URL(bucket ?? '')
  url.pathname += `/${randomUUID()}`
  return { objectsUrl: url.href }
}

async function startFresh(options: FennecOptions): Promise<Fennec> {
  const fresh = await makeFreshDatabase()
  const fennec = await startFennec({ ...freshObjects(), ...options, databaseUrl: fresh.url })
  const stop = async () => {
    await fennec.stop()
    await fresh.remove()
  }
  return { ...fennec, stop }
}

/** Remembers what a test may replace in its server: members of operations, rules and listeners of the gate. */
function restorer({ app }: Fennec): () => void {
  const mounted = app.operations.map((operation) => ({ operation, original: { ...operation } }))
  const { rules, listeners } = app.platform.gate
  const gate = { rules: [...rules], listeners: [...listeners] }
  return () => {
    for (const { operation, original } of mounted) Object.assign(operation, original)
    rules.splice(0, rules.length, ...gate.rules)
    listeners.splice(0, listeners.length, ...gate.listeners)
  }
}

/** Starts a server that stopping empties and keeps for the next test; its files are removed when the process ends. */
async function startReusable(): Promise<Fennec> {
  const fennec = await startFresh({})
  const { data, databaseUrl } = fennec.app.platform.config
  process.once('exit', () => {
    rmSync(data, { recursive: true, force: true })
    if (databaseUrl.startsWith('sqlite:')) rmSync(dirname(databaseUrl.slice('sqlite:'.length)), { recursive: true })
  })
  return fennec
}

async function leaseReusable(): Promise<Fennec> {
  const fennec = idle.pop() ?? (await startReusable())
  const restore = restorer(fennec)
  let isLeased = true
  async function stop(): Promise<void> {
    if (!isLeased) return
    isLeased = false
    restore()
    await fennec.reset()
    idle.push(fennec)
  }
  return { ...fennec, stop }
}

/**
 * Starts a server: `await using server = await startTestServer()`. Without options it may be one that an earlier file of
 * this process has used; it has been emptied since.
 */
export async function startTestServer(options?: FennecOptions): Promise<TestServer> {
  const fennec = options ? await startFresh(options) : await leaseReusable()
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
