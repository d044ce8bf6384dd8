/** A server with a project whose rules for branches are tested. */
import { afterAll, beforeAll } from 'vitest'
import {
  type Client,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'

export let server: TestServer
/** The project, and who is in it. */
export let people: ProjectWithMembers
/** Path of its rules. */
export let base: string

/** Starts the server before the tests of a file, and stops it behind them. */
export function serveRulesForTests(): void {
  beforeAll(async () => {
    server = await startTestServer()
    people = await projectWithMembers(server)
    base = `/projects/${people.project.id}/protected_branches`
  })
  afterAll(() => server.stop())
}

/** Asks for a rule; of the project, by its maintainer, unless told. */
export const protect = (body: unknown, client: Client = people.maintainer, path = base) => client.post(path, body)

export const unprocessable = (...message: string[]) => ({ status: 422, body: { message } })

type Entry = { id: number; access_level: number | null; user_id: number | null; group_id: number | null }

/** What each entry of a list names. */
export const named = (entries: Entry[]) =>
  entries.map(({ access_level, user_id, group_id }) => [access_level, user_id, group_id])
