/** A server with a project for tests of protected branches. */
import { afterAll, beforeAll } from 'vitest'
import {
  type Client,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'

export let server: TestServer
/** The project and its members. */
export let people: ProjectWithMembers
/** The path of the project's rules. */
export let base: string

/** Starts the server before the tests of a file and stops it after them. */
export function serveRulesForTests(): void {
  beforeAll(async () => {
    server = await startTestServer()
    people = await projectWithMembers(server)
    base = `/projects/${people.project.id}/protected_branches`
  })
  afterAll(() => server.stop())
}

/** Creates a rule; by default in the project, as its maintainer. */
export const protect = (body: unknown, client: Client = people.maintainer, path = base) => client.post(path, body)

export const unprocessable = (...message: string[]) => ({ status: 422, body: { message } })

type Entry = { id: number; access_level: number | null; user_id: number | null; group_id: number | null }

/** The grantee of each entry. */
export const named = (entries: Entry[]) =>
  entries.map(({ access_level, user_id, group_id }) => [access_level, user_id, group_id])
