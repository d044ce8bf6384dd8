/** A server with a project for tests of tags. */
import { afterAll, beforeAll } from 'vitest'
import {
  makePeople,
  type People,
  projectWithTwoCommits,
  startTestServer,
  type TestServer,
  type WorkTree,
} from '../../testing/index.ts'

export let server: TestServer
export let people: People
/** The work tree of the project `demo`, whose members are `people`. */
export let work: WorkTree
/** The path of its tags. */
export let tags: string

/** Starts the server before the tests of a file and stops it after them. */
export function serveTagsForTests(): void {
  beforeAll(async () => {
    server = await startTestServer()
    people = await makePeople(server)
    work = await projectWithTwoCommits(server, { people, path: 'demo' })
    tags = `${work.base}/repository/tags`
  })
  afterAll(async () => {
    await work[Symbol.asyncDispose]()
    await server.stop()
  })
}
