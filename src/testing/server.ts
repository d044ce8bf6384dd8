import { type Fennec, type FennecOptions, startFennec } from '../index.ts'
import { type Client, clientOf } from './client.ts'
import { makeFreshDatabase } from './database.ts'
import { type Fixtures, fixturesOf, type Person } from './fixtures.ts'

/** A server for tests, on the engine that is being tested, with clients for the people in it. */
export type TestServer = Fennec & {
  /** As root. */
  root: Client
  /** As nobody. */
  anonymous: Client
  as(token: string): Client
  /** Makes a user, by rows alone, and returns a client for them; the token has the scope `api` unless told. */
  user(username: string, scopes?: readonly string[]): Promise<Person>
  /** Rows of other things, for tests that are about something else. */
  make: Fixtures
}

/** Starts a server: `await using server = await startTestServer()`. */
export async function startTestServer(options: FennecOptions = {}): Promise<TestServer> {
  const fresh = await makeFreshDatabase()
  const fennec = await startFennec({ ...options, databaseUrl: fresh.url })
  const make = fixturesOf(fennec)
  const root = clientOf(fennec.url, fennec.rootToken)
  const stop = async () => {
    await fennec.stop()
    await fresh.remove()
  }
  return {
    ...fennec,
    root,
    anonymous: clientOf(fennec.url),
    as: (token) => clientOf(fennec.url, token),
    user: make.user,
    make,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
