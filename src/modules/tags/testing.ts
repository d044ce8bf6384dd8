/** A server with a project whose tags are tested. */
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
/** Of the project `demo`, in which the people have their roles. */
export let work: WorkTree
/** Path of its tags. */
export let tags: string

/** Starts the server before the tests of a file, and stops it behind them. */
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
