/** A server with a project for tests of releases. */
import { afterAll, beforeAll } from 'vitest'
import { type ManualClock, manualClock } from '../../infra/clock/index.ts'
import {
  type Answer,
  type Client,
  makePeople,
  type People,
  projectWithTwoCommits,
  startTestServer,
  type TestServer,
  type WorkTree,
} from '../../testing/index.ts'

export let clock: ManualClock
export let server: TestServer
export let people: People
/** The work tree of the project `demo`, whose members are `people`. */
export let work: WorkTree
/** The path of its releases. */
export let releases: string

/** Starts the server before the tests of a file, at noon on 1 March 2026, and stops it after them. */
export function serveReleasesForTests(): void {
  beforeAll(async () => {
    clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
    server = await startTestServer({ clock })
    people = await makePeople(server)
    work = await projectWithTwoCommits(server, { people, path: 'demo' })
    releases = `${work.base}/releases`
  })
  afterAll(async () => {
    await work[Symbol.asyncDispose]()
    await server.stop()
  })
}

/** Creates a release in `demo`. Without a `ref` in `more` the tag must exist. */
export const create = (tag_name: unknown, more: object = { ref: 'main' }, client: Client = people.developer) =>
  client.post(releases, { tag_name, ...more })

export const tagsOf = (answer: Answer): string[] => answer.body.map((release: { tag_name: string }) => release.tag_name)

/** Replaces the settings of a project. */
export async function setSettings(project: { id: number }, settings: object): Promise<void> {
  await server.app.platform.database.write((tx) =>
    tx
      .updateTable('projects')
      .set({ settings: JSON.stringify(settings) })
      .where('id', '=', project.id)
      .execute(),
  )
}
