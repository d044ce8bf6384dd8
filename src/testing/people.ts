import type { Person } from './fixtures.ts'
import type { TestServer } from './server.ts'

const names = ['owner', 'maintainer', 'developer', 'reporter', 'guest', 'outsider'] as const

/** A user for every role of a project, and an outsider without a role. */
export type People = Record<(typeof names)[number], Person>

const timesMade = new WeakMap<TestServer, number>()

/** New people, who have no role anywhere yet. The first of a server are called `owner`, `maintainer`, …; the next `owner2`, …. */
export async function makePeople(server: TestServer): Promise<People> {
  const times = (timesMade.get(server) ?? 0) + 1
  timesMade.set(server, times)
  const entries: [string, Person][] = []
  for (const name of names) entries.push([name, await server.user(times === 1 ? name : `${name}${times}`)])
  return Object.fromEntries(entries) as People
}
