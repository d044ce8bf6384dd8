/** A server with a public project, for the tests of forks. */
import { afterAll, beforeAll, expect } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../tables.ts'
import { type HandsOn, handsOn } from '../testing.ts'

export let server: TestServer
export let hands: HandsOn
export let owner: Person
export let guest: Person
export let forker: Person
export let source: ProjectRow

/** Starts the server before the tests of a file and stops it after them. */
export function serveForTests(): void {
  beforeAll(async () => {
    server = await startTestServer()
    hands = handsOn(server)
    owner = await server.user('owner')
    guest = await server.user('guest')
    forker = await server.user('forker')
    source = await pushed('source', 'public')
    await server.make.member({ project: source }, guest, 10)
  })
  afterAll(() => server.stop())
}

/** Creates a project of `owner` with two branches and a tag. */
export async function pushed(
  path: string,
  visibility: 'private' | 'internal' | 'public' = 'public',
): Promise<ProjectRow> {
  const project = await server.make.project(path, owner, { visibility })
  const refspecs = ['main', 'main~1:refs/heads/side', 'main:refs/tags/v1']
  await hands.push(owner, `owner/${path}`, ['one', 'two'], refspecs)
  return project
}

export const fork = (person: Person, project: { id: number }, body: object = {}) =>
  person.post(`/projects/${project.id}/fork`, body)

/** Forks, and waits until the copy is complete. */
export async function forked(person: Person, project: { id: number }, body: object = {}) {
  const answer = await fork(person, project, body)
  expect(answer.status).toBe(201)
  await server.app.platform.jobs.drain()
  return (await person.get(`/projects/${answer.body.id}`)).body
}
