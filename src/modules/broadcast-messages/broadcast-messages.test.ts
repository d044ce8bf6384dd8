import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../infra/clock/index.ts'
import { openWorkTree, startTestServer, type TestServer } from '../../testing/index.ts'

const start = '2026-03-01T12:00:00.000Z'
const path = '/broadcast_messages'

let clock: ManualClock
let server: TestServer
beforeAll(async () => {
  clock = manualClock({ start })
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())
beforeEach(async () => {
  for (const { id } of (await server.anonymous.get(path)).body) await server.root.delete(`${path}/${id}`)
})

const create = (body: object = {}) => server.root.post(path, { message: 'Deploy', ...body })
const later = (ms: number) => new Date(clock.now().getTime() + ms).toISOString()
const hour = 3_600_000

test('the list has the messages of all times, or those that are active, with both bounds', async () => {
  const [past, active, future] = [
    { message: 'past', starts_at: later(-2 * hour), ends_at: later(-1) },
    { message: 'active', starts_at: later(0), ends_at: later(0) },
    { message: 'future', starts_at: later(1), ends_at: later(hour) },
  ]
  for (const message of [past, active, future]) await create(message)
  const listed = async (query = '') =>
    (await server.anonymous.get(path + query)).body.map(({ message }: { message: string }) => message)
  expect(await listed()).toEqual(['future', 'active', 'past'])
  expect(await listed('?active=true')).toEqual(['active'])
  expect(await listed('?active=false')).toEqual(['future', 'past'])
  expect((await server.anonymous.get(`${path}?active=soon`)).status).toBe(400)
})

describe('creating a message', () => {
  test('sets the defaults of the contract', async () => {
    const answer = await create()
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.any(Number),
      message: 'Deploy',
      starts_at: later(0),
      ends_at: later(hour),
      font: '#FFFFFF',
      target_access_levels: [],
      target_path: null,
      broadcast_type: 'banner',
      theme: 'indigo',
      dismissable: false,
      active: true,
    })
    expect(await server.anonymous.get(`${path}/${answer.body.id}`)).toMatchObject({ status: 200, body: answer.body })
  })

  test('takes the default end from now, not from the start', async () => {
    const { body } = await create({ starts_at: later(2 * hour) })
    expect(body).toMatchObject({ ends_at: later(hour), active: false })
  })

  test.each([
    [{ message: undefined }, { error: 'message is missing' }],
    [{ message: ' ' }, { message: { message: ["can't be blank"] } }],
    [{ font: 'red' }, { message: { font: ['must be a valid color code'] } }],
    [{ font: '#12345' }, { message: { font: ['must be a valid color code'] } }],
    [{ message: 'x'.repeat(1_048_577) }, { message: { message: ['is too long (maximum is 1048576 characters)'] } }],
    [{ starts_at: 'soon' }, { error: 'starts_at is invalid' }],
    [{ ends_at: [] }, { error: 'ends_at is invalid' }],
    [{ target_access_levels: [25] }, { error: 'target_access_levels does not have a valid value' }],
    [{ target_access_levels: '10,x' }, { error: 'target_access_levels does not have a valid value' }],
    [{ broadcast_type: 'modal' }, { error: 'broadcast_type does not have a valid value' }],
    [{ theme: 'pink' }, { error: 'theme does not have a valid value' }],
    [{ target_path: 'x'.repeat(256) }, { error: 'target_path is too long (maximum is 255 characters)' }],
  ])('refuses %j', async (given, body) => {
    expect(await create(given)).toMatchObject({ status: 400, body })
    expect((await server.anonymous.get(path)).body).toEqual([])
  })

  test('accepts lists of roles in each form, without duplicates, and ignores the color', async () => {
    expect((await create({ target_access_levels: ['10', 15, 10] })).body.target_access_levels).toEqual([10, 15])
    expect((await create({ target_access_levels: '30, 40' })).body.target_access_levels).toEqual([30, 40])
    expect((await create({ target_access_levels: [] })).body.target_access_levels).toEqual([])
    expect((await create({ color: '#000000', font: '' })).body).toMatchObject({ font: '#FFFFFF' })
    expect((await create({ ends_at: later(-hour) })).body).toMatchObject({ active: false })
  })
})

describe('reading messages', () => {
  test('pages through them, the newest first', async () => {
    const ids: number[] = []
    for (const message of ['a', 'b', 'c']) ids.unshift((await create({ message })).body.id)
    const answer = await server.anonymous.get(`${path}?per_page=2`)
    expect(answer.body.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, 2))
    expect(answer.headers.get('x-total')).toBe('3')
    expect(answer.headers.get('link')).toContain('rel="next"')
  })

  test('computes whether a message is active, both ends included', async () => {
    const { id } = (await create({ starts_at: later(1000), ends_at: later(2000) })).body
    const isActive = async () => (await server.anonymous.get(`${path}/${id}`)).body.active
    expect(await isActive()).toBe(false)
    clock.advance(1000)
    expect(await isActive()).toBe(true)
    clock.advance(1000)
    expect(await isActive()).toBe(true)
    clock.advance(1)
    expect(await isActive()).toBe(false)
  })

  test('answers 404 for an unknown id and 400 for text', async () => {
    expect(await server.anonymous.get(`${path}/999999`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
    expect(await server.anonymous.get(`${path}/x`)).toMatchObject({ status: 400, body: { error: 'id is invalid' } })
  })

  test('refuses a wrong token although none is needed', async () => {
    expect((await server.as('wrong').get(path)).status).toBe(401)
  })
})

describe('changing a message', () => {
  test('changes only what is given', async () => {
    const made = (await create({ target_access_levels: [10], target_path: '/a*' })).body
    const put = (body: object) => server.root.put(`${path}/${made.id}`, body)
    expect(await put({ ends_at: later(-1) })).toMatchObject({
      status: 200,
      body: { ...made, ends_at: later(-1), active: false },
    })
    expect((await put({ target_access_levels: [], target_path: null })).body).toMatchObject({
      target_access_levels: [],
      target_path: null,
    })
    expect((await put({ theme: null, message: null })).body).toMatchObject({ theme: 'indigo', message: 'Deploy' })
    expect(await put({ message: '' })).toMatchObject({
      status: 400,
      body: { message: { message: ["can't be blank"] } },
    })
    expect((await server.root.put(`${path}/999999`, { theme: 'red' })).status).toBe(404)
  })

  test('deletes it once, unless it has changed meanwhile', async () => {
    const { id } = (await create()).body
    const headers = { 'if-unmodified-since': new Date(clock.now().getTime() - hour).toUTCString() }
    expect((await server.root.delete(`${path}/${id}`, { headers })).status).toBe(412)
    expect((await server.root.delete(`${path}/${id}`)).status).toBe(204)
    expect((await server.root.delete(`${path}/${id}`)).status).toBe(404)
  })
})

describe('a push', () => {
  test('shows the active banners that match the project', async () => {
    const owner = await server.user('owner')
    const project = await server.make.project('shown', owner)
    await create({ message: '**Deploy** [today](https://example.com)', target_path: '/OWNER/sh*' })
    await create({ message: 'Second' })
    await create({ message: 'Elsewhere', target_path: '/owner/other*' })
    await create({ message: 'A notification', broadcast_type: 'notification' })
    await create({ message: 'Tomorrow', starts_at: later(hour), ends_at: later(2 * hour) })
    await create({ message: 'For reporters', target_access_levels: [20] })
    await using tree = await openWorkTree(server, project)
    const shown = async () => {
      await tree.commit()
      const { isAccepted, stderr } = await tree.push(owner, 'HEAD:main')
      expect(isAccepted).toBe(true)
      const lines = stderr.split('\n').filter((line) => line.startsWith('remote: '))
      return lines.map((line) => line.slice('remote: '.length).trim()).filter((line) => line !== '')
    }
    expect(await shown()).toEqual(['Deploy today', 'Second', 'For reporters'])
    const feature = '/features/role_targeted_broadcast_messages'
    await server.root.post(feature, { value: true, project: project.full_path })
    expect(await shown()).toEqual(['Deploy today', 'Second'])
    await server.root.post(feature, { value: false })
    expect(await shown()).toEqual(['Deploy today', 'Second', 'For reporters'])
    await server.root.post(feature, { value: true })
    expect(await shown()).toEqual(['Deploy today', 'Second'])
    await create({ message: 'For owners', target_access_levels: [50] })
    expect(await shown()).toEqual(['Deploy today', 'Second', 'For owners'])
  })
})
