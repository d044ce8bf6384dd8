import { afterAll, beforeAll, expect } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type Browser, personWithBrowser, visitorOf } from '../code/testing.ts'

/** Runs where HTML is not escaped. */
export const script = '<script>alert(1)</script>'

export type Worker = Person & { browser: Browser }

/** A server with a group `team` and its private project `plan`, with people who have signed in. */
export let server: TestServer
export let owner: Worker
export let guest: Worker
export let anonymous: Browser
export let project: { id: number }
export let group: { id: number }
/** Where the pages of the project and of the group begin. */
export const base = '/team/plan/-'
export const groupBase = '/groups/team/-'
/** The project in the API. */
export let api: string

/** Registers the start and the end of the server. */
export function serveWorkForTests(): void {
  beforeAll(async () => {
    server = await startTestServer()
    owner = await personWithBrowser(server, 'owner')
    guest = await personWithBrowser(server, 'guest')
    group = (await owner.post('/groups', { name: 'Team', path: 'team' })).body
    project = (await owner.post('/projects', { name: 'Plan', path: 'plan', namespace_id: group.id })).body
    await owner.post(`/projects/${project.id}/members`, { user_id: guest.id, access_level: 10 })
    anonymous = visitorOf(server)
    api = `/projects/${project.id}`
  })
  afterAll(() => server.stop())
}

/** Sends a form of the owner, and follows it to the page where it leads. */
export async function sent(path: string, operation: string, fields: Record<string, string>, then?: string) {
  const answer = await owner.browser.send(path, operation, fields, then)
  expect([answer.status, answer.status === 303 ? '' : answer.html]).toEqual([303, ''])
  const shown = await owner.browser.get(answer.location)
  expect([answer.location, shown.status]).toEqual([answer.location, 200])
  expect(shown.html).not.toContain(script)
  return { ...shown, location: answer.location }
}
