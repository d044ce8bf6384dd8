import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client, Person, TestServer } from '../../../testing/index.ts'
import { startWithAliceAndBob } from '../testing.ts'

let server: TestServer
let alice: Person
let bob: Person

beforeAll(async () => {
  ;({ server, alice, bob } = await startWithAliceAndBob())
})
afterAll(() => server.stop())

test('callers without a role see neither invisible groups nor the users who have access through them', async () => {
  const [dora, emil] = [await server.user('dora'), await server.user('emil')]
  const project = await server.make.project('half-open', alice, { visibility: 'public' })
  for (const [group_id, group_access] of [
    [(await server.make.group('hidden', dora)).id, 20],
    [(await server.make.group('shown', emil, { visibility: 'public' })).id, 20],
  ]) {
    await server.root.post(`/projects/${project.id}/share`, { group_id, group_access })
  }
  const ids = async (who: Client, list: string) => {
    const { body, headers } = await who.get(`/projects/${project.id}/${list}`)
    expect(headers.get('x-total')).toBe(String(body.length))
    return body.map((one: { name: string }) => one.name.replace(' person', ''))
  }
  for (const who of [server.anonymous, bob]) {
    expect(await ids(who, 'users')).toEqual(['alice', 'emil'])
    expect(await ids(who, 'groups?with_shared=true')).toEqual(['shown'])
  }
  for (const who of [alice, dora, server.root]) {
    expect(await ids(who, 'users')).toEqual(['alice', 'dora', 'emil'])
    expect(await ids(who, 'groups?with_shared=true')).toEqual(['hidden', 'shown'])
  }
})
