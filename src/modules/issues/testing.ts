/** A server with a project for tests of issues. */
import { afterAll, beforeAll } from 'vitest'
import {
  type Client,
  makePeople,
  type People,
  type ProjectPlace,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'

export let server: TestServer
export let people: People
/** A project whose members are `people`. */
export let project: ProjectRow
/** The address of its issues. */
export let at: string

/** Starts the server before the tests of a file, with a project at this place, and stops it after them. */
export function serveIssuesForTests(place: ProjectPlace): void {
  beforeAll(async () => {
    server = await startTestServer()
    people = await makePeople(server)
    ;({ project } = await projectWithMembers(server, { people, ...place }))
    at = issuesOf(project)
  })
  afterAll(() => server.stop())
}

/** The address of a project's issues. */
export const issuesOf = ({ id }: { id: number }) => `/projects/${id}/issues`

/** Creates an issue over HTTP. @throws Error when it is refused */
export async function createdIssue(client: Client, project: { id: number }, attributes: Record<string, unknown> = {}) {
  const { status, body } = await client.post(issuesOf(project), { title: 'An issue', ...attributes })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** The iids of the issues at an address, in their order. */
export async function iidsAt(client: Client, path: string): Promise<number[]> {
  const { status, body } = await client.get(path)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.map(({ iid }: { iid: number }) => iid)
}
