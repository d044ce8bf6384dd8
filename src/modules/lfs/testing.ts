import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { lfsPrefix } from './objects/objects.ts'

/** A user with a token, a header, or no credentials. */
type Login = { username: string; token: string } | { authorization: string } | undefined

type LfsAnswer = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every form
  body: any
  bytes: Buffer
}

export const mediaType = 'application/vnd.git-lfs+json'

export type TestObject = { oid: string; size: number; content: Buffer }

/** An object with this content, by default random. */
export function objectOf(content: Buffer | string = randomBytes(1000)): TestObject {
  const bytes = Buffer.from(content as string)
  return { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length, content: bytes }
}

/** The pointer file of an object. */
export const pointerTo = ({ oid, size }: { oid: string; size: number }) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`

export function authorizationOf(login: Login): string | undefined {
  if (!login) return undefined
  if ('authorization' in login) return login.authorization
  return `Basic ${Buffer.from(`${login.username}:${login.token}`).toString('base64')}`
}

type Options = { body?: unknown; headers?: Record<string, string>; method?: string }

/** A client of the LFS service of a server. */
function lfsOf(server: TestServer) {
  async function ask(login: Login, path: string, { body, headers = {}, method }: Options = {}): Promise<LfsAnswer> {
    const authorization = authorizationOf(login)
    const isReady = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    const response = await fetch(`${server.url}/${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(authorization ? { Authorization: authorization } : {}),
        ...(body === undefined ? {} : { 'Content-Type': mediaType }),
        ...headers,
      },
      body: (isReady ? body : JSON.stringify(body)) as never,
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.includes('json') && bytes.length > 0
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(bytes.toString()) : bytes.toString(),
      bytes,
    }
  }

  const batch = (login: Login, path: string, operation: string, objects: readonly object[], more: object = {}) =>
    ask(login, `${path}.git/info/lfs/objects/batch`, {
      body: { operation, transfers: ['basic'], objects: objects.map(bare), ...more },
    })

  return {
    ask,
    batch,
    put: (login: Login, path: string, { oid, size, content }: TestObject) =>
      ask(login, `${path}.git/gitlab-lfs/objects/${oid}/${size}`, { method: 'PUT', body: content }),
    get: (login: Login, path: string, { oid }: { oid: string }, headers: Record<string, string> = {}) =>
      ask(login, `${path}.git/gitlab-lfs/objects/${oid}`, { headers }),
    /** Creates a project with members by access level. */
    async project(
      owner: Person,
      path: string,
      members: Record<number, Person> = {},
      visibility: 'private' | 'public' = 'private',
    ) {
      const made = await server.make.project(path, owner, { visibility })
      for (const [level, person] of Object.entries(members)) {
        await server.make.member({ project: made }, person, Number(level))
      }
      return made
    },
  }
}

export type Lfs = ReturnType<typeof lfsOf>

/** The names of a user for each role, and of a user without one. */
export const everyRole = ['owner', 'maintainer', 'developer', 'reporter', 'guest', 'outsider'] as const

/** Starts a server with users by these names. @returns the server, a client of its LFS service, and the users by name */
export async function startLfsServer<Name extends string>(
  names: readonly Name[],
  options: Parameters<typeof startTestServer>[0] = {},
) {
  const server = await startTestServer(options)
  const people: [string, Person][] = []
  for (const name of names) people.push([name, await server.user(name)])
  return { server, lfs: lfsOf(server), ...(Object.fromEntries(people) as Record<Name, Person>) }
}

export let server: TestServer
export let lfs: Lfs
export let owner: Person
export let maintainer: Person
export let developer: Person
export let reporter: Person
export let guest: Person
export let outsider: Person

/** Starts the server before the tests of a file and stops it after them. */
export function serveForTests(): void {
  beforeAll(async () => {
    ;({ server, lfs, owner, maintainer, developer, reporter, guest, outsider } = await startLfsServer(everyRole))
  })
  afterAll(() => server.stop())
}

export const help = () => ({ documentation_url: `${server.url}/help` })
export const notFound = () => ({ message: 'Not found.', ...help() })

/** Creates a project of the owner with a member for each lower role. */
export const projectOfOwner = (path: string, visibility?: 'private' | 'public') =>
  lfs.project(owner, path, { 40: maintainer, 30: developer, 20: reporter, 10: guest }, visibility)

/** The storage keys of all objects. */
export async function storedKeys(server: TestServer): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of server.app.platform.objects.list(lfsPrefix)) found.push(key)
  return found
}

/** An object without its content. */
function bare(object: object): object {
  const { content: _, ...rest } = object as Partial<TestObject>
  return rest
}
