import { createHash } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import {
  type Answer,
  type Client,
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import type { NamespaceRow, Visibility } from '../namespaces/index.ts'
import { packagesPrefix } from './files/received.ts'

export let server: TestServer
export let people: People

/** Starts a server with people before the tests of a file, and stops it after them. */
export function servePackagesForTests(options?: Parameters<typeof startTestServer>[0]): void {
  beforeAll(async () => {
    server = await startTestServer(options)
    people = await makePeople(server)
  })
  afterAll(() => server.stop())
}

type Content = string | Uint8Array<ArrayBuffer> | ReadableStream | FormData

let count = 0

/** A new project with a member of every role. */
export async function newProject(
  place: { visibility?: Visibility; namespace?: NamespaceRow } = {},
): Promise<ProjectWithMembers & { place: string }> {
  count += 1
  const made = await projectWithMembers(server, { people, path: `packages-${count}`, ...place })
  return { ...made, place: `/projects/${made.project.id}` }
}

/** Sends bytes as a client of packages does, without a credential of its own. */
export async function send(
  path: string,
  {
    method = 'GET',
    body,
    headers = {},
  }: { method?: string; body?: Content | undefined; headers?: Record<string, string> } = {},
): Promise<Answer & { bytes: Buffer }> {
  const answer = await fetch(`${server.url}/api/v4${path}`, {
    method,
    redirect: 'manual',
    headers,
    ...(body !== undefined && { body, duplex: 'half' }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json')
  const text = bytes.toString('utf8')
  return {
    status: answer.status,
    headers: answer.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
    bytes,
  }
}

export const basic = (password: string, username = 'any') => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
})

/** Publishes a generic file. @param path such as `tool/1.0/f.bin` */
export const publish = (client: Client, place: string, path: string, content: Content = 'content') =>
  send(`${place}/packages/generic/${path}`, {
    method: 'PUT',
    body: content,
    headers: client.token === '' ? {} : { 'PRIVATE-TOKEN': client.token },
  })

export const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

/** The keys of all stored files of packages. */
export async function storedKeys(): Promise<string[]> {
  return (await Array.fromAsync(server.app.platform.objects.list(packagesPrefix))).map(({ key }) => key)
}

/** A deploy token of a project or group. @param place such as `/projects/1` */
export async function deployToken(owner: Client, place: string, scopes: readonly string[]): Promise<string> {
  return (await owner.post(`${place}/deploy_tokens`, { name: 'packages', scopes })).body.token
}
