/** Audit events over the API (contract 26.7, and step 9 of the acceptance walk). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../index.ts'
import { type Client, type Person, queriesDuring, startTestServer, type TestServer } from '../../testing/index.ts'

let server: TestServer
let clock: ManualClock
let [owner, maintainer, developer]: Person[] = []
let group: Awaited<ReturnType<TestServer['make']['group']>>
let project: Awaited<ReturnType<TestServer['make']['project']>>
let ofGroup: string
let ofProject: string

beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
  ;[owner, maintainer, developer] = [await server.user('o'), await server.user('m'), await server.user('d')]
  group = await server.make.group('g', owner)
  project = await server.make.project('p', owner, { namespace: group })
  await server.make.member({ namespace: group }, maintainer, 40)
  await server.make.member({ namespace: group }, developer, 30)
  ofGroup = `/groups/${group.id}/audit_events`
  ofProject = `/projects/${project.id}/audit_events`
})
afterAll(() => server.stop())

type Event = { id: number; event_name: string; author_id: number; details: Record<string, unknown>; created_at: string }
const listed = async (client: Client | undefined, path: string): Promise<Event[]> => {
  const { status, body } = (await client?.get(path)) ?? {}
  expect(status).toBe(200)
  return body
}
const newest = async (path: string) => (await listed(server.root, path))[0]

describe('events of a group', () => {
  test('tell who added, changed and removed a member, from where', async () => {
    const guest = await server.user('guest')
    await owner?.post(`/groups/${group.id}/members`, { user_id: guest.id, access_level: 10 })
    const event = await newest(ofGroup)
    const who = {
      author_name: 'o person',
      author_class: 'User',
      author_email: null,
      ip_address: '127.0.0.1',
      entity_path: 'g',
    }
    expect(event).toEqual({
      ...{ id: expect.any(Number), author_id: owner?.id, entity_id: group.id, entity_type: 'Group' },
      ...{ event_name: 'member_created', created_at: '2026-03-01T12:00:00.000Z' },
      details: {
        ...who,
        author_email: 'o@example.com',
        ...{ target_id: guest.id, target_type: 'User', target_details: String(guest.id) },
        ...{ event_name: 'member_created', add: 'user_access', as: 'Guest' },
      },
    })
    await owner?.put(`/groups/${group.id}/members/${guest.id}`, { access_level: 30 })
    expect((await newest(ofGroup))?.details).toMatchObject({
      ...{ event_name: 'member_updated', change: 'user_access', from: 'Guest', to: 'Developer' },
    })
    await owner?.delete(`/groups/${group.id}/members/${guest.id}`)
    const [removed] = await listed(owner, ofGroup)
    expect(removed?.details).toMatchObject({
      ...who,
      event_name: 'member_destroyed',
      remove: 'user_access',
      as: 'Developer',
    })
    expect((await owner?.get(`${ofGroup}/${event?.id}`))?.body).toMatchObject({
      id: event?.id,
      event_name: 'member_created',
    })
  })

  test('are for owners, and for developers and maintainers those that they caused', async () => {
    await maintainer?.post(`/groups`, { name: 'below', path: 'below', parent_id: group.id })
    await owner?.put(`/groups/${group.id}`, { description: 'x', name: 'G' })
    expect((await listed(owner, ofGroup)).length).toBeGreaterThan(0)
    expect(await listed(maintainer, ofGroup)).toEqual([])
    expect(await listed(developer, ofGroup)).toEqual([])
    await maintainer?.delete(`/groups/${group.id}/members/${maintainer.id}`)
    await server.make.member({ namespace: group }, maintainer as Person, 40)
    expect(await listed(maintainer, ofGroup)).toMatchObject([
      { event_name: 'member_destroyed', author_id: maintainer?.id },
    ])
    const [event] = await listed(owner, ofGroup)
    expect((await maintainer?.get(`${ofGroup}/${event?.id}`))?.status).toBe(403)
  })
})

describe('events of a project', () => {
  test('have one for each attribute that changed, with its values', async () => {
    await owner?.put(`/projects/${project.id}`, {
      name: 'Renamed',
      visibility: 'private',
      merge_method: 'ff',
      description: 'x',
    })
    const told = (await listed(maintainer, ofProject)).map(({ details: { event_name, change, from, to } }) => ({
      ...{ event_name, change, from, to },
    }))
    expect(told).toEqual([
      { event_name: 'project_name_updated', change: 'name', from: 'p', to: 'Renamed' },
      { event_name: 'project_updated', change: 'merge_method', from: 'merge', to: 'ff' },
    ])
  })

  test('tell what is made, archived and deleted; those of a deleted one are left to administrators', async () => {
    const { id } = (await owner?.post('/projects', { name: 'short', namespace_id: group.id }))?.body ?? {}
    const at = `/projects/${id}/audit_events`
    await owner?.post(`/projects/${id}/archive`)
    await owner?.post(`/projects/${id}/archive`)
    await owner?.post(`/projects/${id}/unarchive`)
    expect((await listed(owner, at)).map(({ event_name: name }) => name)).toEqual([
      ...['project_unarchived', 'project_archived', 'project_created'],
    ])
    await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
    expect((await owner?.delete(`/projects/${id}`))?.status).toBe(202)
    await server.app.platform.jobs.drain()
    expect((await owner?.get(at))?.status).toBe(404)
    const query = `/audit_events?entity_type=Project&entity_id=${id}`
    expect(
      (await listed(server.root, query)).map(({ event_name: name, details }) => [name, details.entity_path]),
    ).toEqual([
      ['project_destroyed', 'g/short'],
      ['project_unarchived', 'g/short'],
      ['project_archived', 'g/short'],
      ['project_created', 'g/short'],
    ])
  })

  test('name variables, and never have their values', async () => {
    await owner?.post(`/projects/${project.id}/variables`, { key: '2024', value: 'a-secret-4711' })
    expect((await newest(ofProject))?.details).toMatchObject({
      ...{ event_name: 'ci_variable_created', custom_message: 'Added ci variable' },
      ...{ target_id: '2024', target_type: 'Ci::Variable', target_details: '2024' },
    })
    await owner?.put(`/projects/${project.id}/variables/2024`, { value: 'another-secret-4711' })
    expect(JSON.stringify(await listed(server.root, `${ofProject}?per_page=100`))).not.toContain('4711')
  })

  test('of an act without a form of its own have its name and its words', async () => {
    await owner?.post(`/projects/${project.id}/hooks`, { url: 'http://hooks.example/x' })
    expect(await newest(ofProject)).toMatchObject({
      event_name: 'project_hooks_create',
      details: { custom_message: 'Create project hook', target_type: 'Project', target_id: expect.any(Number) },
    })
  })

  test('are found by time', async () => {
    const before = await listed(owner, ofProject)
    clock.advance(90 * 86_400_000)
    await owner?.put(`/projects/${project.id}`, { name: 'Later' })
    const later = (query: string) => listed(owner, `${ofProject}?${query}`)
    expect(await later('created_after=2026-05-01')).toMatchObject([{ event_name: 'project_name_updated' }])
    expect(await later('created_before=2026-05-01')).toEqual(before)
    expect(await later('created_before=2026-03-01T12:00:00Z')).toEqual(before)
    expect(await later('created_after=2026-03-01T12:00:00Z&created_before=2026-03-01T12:00:00Z')).toEqual(before)
    expect(await later('created_after=2026-03-01T12:00:01Z&created_before=2026-05-01')).toEqual([])
    expect(await later('created_after=9999-12-31T23:59:59Z')).toEqual([])
    expect(await later('created_before=0001-01-01T00:00:00Z')).toEqual([])
    expect((await owner?.get(`${ofProject}?created_after=soon`))?.body).toMatchObject({
      error: 'created_after is invalid',
    })
  })
})

describe('events of the instance', () => {
  test('are for administrators', async () => {
    expect((await owner?.get('/audit_events'))?.status).toBe(403)
    expect((await server.anonymous.get('/audit_events')).status).toBe(401)
    const [event] = await listed(server.root, '/audit_events')
    expect((await server.root.get(`/audit_events/${event?.id}`)).body).toEqual(event)
    expect((await owner?.get(`/audit_events/${event?.id}`))?.status).toBe(403)
  })

  test('are found by what they are about', async () => {
    await server.root.put('/application/settings', { gravatar_enabled: false })
    const of = (type: string, id?: number) =>
      listed(
        server.root,
        `/audit_events?entity_type=${encodeURIComponent(type)}${id === undefined ? '' : `&entity_id=${id}`}`,
      )
    expect((await of('Gitlab::Audit::InstanceScope', 1))[0]).toMatchObject({
      ...{ entity_id: 1, entity_type: 'Gitlab::Audit::InstanceScope', event_name: 'application_setting_updated' },
      details: { change: 'gravatar_enabled', entity_path: null },
    })
    for (const id of [2, 0, 9007199254740992]) {
      expect(await of('Gitlab::Audit::InstanceScope', id)).toEqual([])
    }
    for (const { entity_type: type } of (await of('User')) as unknown as { entity_type: string }[])
      expect(type).toBe('User')
    expect((await server.root.get('/audit_events?entity_id=1')).body).toMatchObject({ error: 'entity_type is missing' })
    expect((await server.root.get('/audit_events?entity_type=Issue')).body).toMatchObject({
      error: 'entity_type does not have a valid value',
    })
  })

  test('are at most 30 days old', async () => {
    const all = () => listed(server.root, '/audit_events?per_page=100')
    const old = await listed(server.root, '/audit_events?created_before=2026-03-02&per_page=100')
    expect(old.length).toBeGreaterThan(0)
    expect((await all()).every(({ created_at: at }) => at >= '2026-05-01')).toBe(true)
    expect(await listed(server.root, '/audit_events?created_after=2026-01-01&per_page=100')).toEqual(await all())
  })

  test('are met once each by a keyset walk', async () => {
    const met: number[] = []
    let path: string | undefined = '/audit_events?pagination=keyset&order_by=id&sort=desc&per_page=2'
    while (path) {
      const { body, headers } = await server.root.get(path)
      met.push(...(body as Event[]).map(({ id }) => id))
      // What happens during a walk is not met.
      await server.root.put('/application/settings', { gravatar_enabled: met.length % 4 < 2 })
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      path = next?.slice(next.indexOf('/audit_events'))
    }
    expect(met).toEqual([...new Set(met)].toSorted((a, b) => b - a))
    const all = (await listed(server.root, '/audit_events?per_page=100')).map(({ id }) => id)
    expect(all.filter((id) => id <= (met[0] ?? 0))).toEqual(met)
    const odd = await server.root.get('/audit_events?pagination=keyset&cursor=WyJ4Il0')
    expect(odd.status).toBe(400)
    expect((await server.root.get('/audit_events?pagination=keyset&order_by=created_at')).status).toBe(405)
  })

  test('have neither those of another project nor of another kind below a project', async () => {
    const [event] = await listed(server.root, ofGroup)
    expect((await owner?.get(`${ofProject}/${event?.id}`))?.body).toEqual({ message: '404 Not found' })
    expect((await owner?.get(`${ofGroup}/99999999`))?.body).toEqual({ message: '404 Not found' })
    expect((await owner?.get(`${ofGroup}/x`))?.body).toMatchObject({ error: 'audit_event_id is invalid' })
  })
})

test('a list takes the same number of queries for one event and for many', async () => {
  const count = async (size: number) =>
    (await queriesDuring(server, () => server.root.get(`${ofGroup}?per_page=${size}`))).length
  expect(await count(20)).toBe(await count(1))
})

test('those who are gone keep their events', async () => {
  const leaver = await server.user('leaver')
  await server.make.member({ namespace: group }, leaver, 50)
  await leaver.put(`/groups/${group.id}`, { name: 'By the leaver' })
  await server.root.delete(`/users/${leaver.id}`)
  await server.app.platform.jobs.drain()
  expect(await newest(ofGroup)).toMatchObject({
    author_id: leaver.id,
    details: { author_name: 'leaver', author_email: null },
  })
})

test('rights that end, end at once', async () => {
  const leaving = await server.user('leaving')
  await server.make.member({ namespace: group }, leaving, 50)
  expect((await leaving.get(ofGroup)).status).toBe(200)
  await owner?.delete(`/groups/${group.id}/members/${leaving.id}`)
  expect((await leaving.get(ofGroup)).status).toBe(404)
})
