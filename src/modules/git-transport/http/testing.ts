/** A server with members of its projects, for the tests of git over HTTP. */
import { afterAll, beforeAll, expect } from 'vitest'
import {
  git,
  makeHistory,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'

export let server: TestServer
export let owner: Person
export let reporter: Person
export let guest: Person
export let outsider: Person

/** Starts the server before the tests of a file and stops it after them. */
export function serveForTests(): void {
  beforeAll(async () => {
    server = await startTestServer({ rootPassword: 'a long root password' })
    owner = await server.user('owner')
    reporter = await server.user('reporter')
    guest = await server.user('guest')
    outsider = await server.user('outsider')
  })
  afterAll(() => server.stop())
}

export const address = (path: string, user?: string, password?: string) =>
  `${user === undefined ? server.url : server.url.replace('://', `://${user}:${password}@`)}/${path}.git`

export const as = (person: Person, path: string) => address(path, person.username, person.token)

export async function project(
  path: string,
  visibility: 'private' | 'internal' | 'public' = 'private',
): Promise<ProjectRow> {
  const made = await server.make.project(path, owner, { visibility })
  await server.make.member({ project: made }, reporter, 20)
  await server.make.member({ project: made }, guest, 10)
  return made
}

export async function pushed(path: string, visibility: 'private' | 'internal' | 'public' = 'private') {
  const made = await project(path, visibility)
  await using folder = await temporaryDirectory()
  await makeHistory(folder.path, ['one', 'two', 'three'])
  expect(await git(folder.path, 'push', as(owner, `owner/${path}`), 'main')).toMatchObject({ code: 0 })
  return made
}

export type Asked = { user?: string; password?: string; service?: string }

/** The answer to the first request of a fetch or push. */
export async function ask(path: string, { user, password, service = 'git-upload-pack' }: Asked = {}) {
  const basic =
    user === undefined ? {} : { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
  const response = await fetch(`${server.url}/${path}.git/info/refs?service=${service}`, { headers: basic })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

export const fetching = (path: string, person?: Person) =>
  ask(path, person && { user: person.username, password: person.token })
export const pushing = (path: string, person?: Person) =>
  ask(path, { ...(person && { user: person.username, password: person.token }), service: 'git-receive-pack' })

export const notFound = "The project you were looking for could not be found or you don't have permission to view it."
