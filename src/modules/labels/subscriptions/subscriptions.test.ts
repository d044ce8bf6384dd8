import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeLabel } from '../testing.ts'
import { subscribersOfLabels } from './store.ts'

let server: TestServer
let owner: Person
let reader: Person
const base: Record<'project' | 'group', string> = { project: '', group: '' }
let labelId = 0

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  reader = await server.user('reader')
  const group = await server.make.group('open', owner, { visibility: 'public' })
  const project = await server.make.project('demo', owner, { namespace: group, visibility: 'public' })
  labelId = (await makeLabel(server, { group }, 'shared')).id
  base.project = `/projects/${project.id}/labels`
  base.group = `/groups/${group.id}/labels`
})
afterAll(() => server.stop())

describe.each(['project', 'group'] as const)('a label of a %s', (kind) => {
  test('is subscribed to and unsubscribed from by any reader, once', async () => {
    const post = (action: string, person = reader) => person.post(`${base[kind]}/shared/${action}`)
    const subscribers = () => subscribersOfLabels(server.app.platform.database.read, [labelId])
    expect((await post('unsubscribe')).status).toBe(304)
    expect(await post('subscribe')).toMatchObject({ status: 201, body: { id: labelId, subscribed: true } })
    expect(await post('subscribe')).toMatchObject({ status: 304, body: '' })
    expect((await reader.get(base[kind])).body).toMatchObject([{ subscribed: true }])
    expect((await owner.get(base[kind])).body).toMatchObject([{ subscribed: false }])
    expect(await subscribers()).toEqual([reader.id])
    const answers = await Promise.all([1, 2, 3].map(() => post('unsubscribe')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 304, 304])
    expect(await subscribers()).toEqual([])
    expect(await reader.post(`${base[kind]}/nope/subscribe`)).toMatchObject({
      status: 404,
      body: { message: '404 Label Not Found' },
    })
    expect((await server.anonymous.post(`${base[kind]}/shared/subscribe`)).status).toBe(401)
  })
})
