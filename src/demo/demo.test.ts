import { open, readdir } from 'node:fs/promises'
import { Socket } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startApp } from '../app.ts'
import { memoryConfig, readConfig } from '../config.ts'
import { makeFreshDatabase } from '../testing/database.ts'
import { clientOf, startTestServer, type TestServer, temporaryDirectory } from '../testing/index.ts'
import { demoPassword, fillDemo } from './index.ts'
import { people } from './world/people.ts'
import { tideClock } from './world/tide-clock.ts'
import type { World } from './world-types.ts'

// The whole world is made once, which takes some seconds, and longer on a loaded machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 480_000 })

const silent = pino({ level: 'silent' })
let server: TestServer
/** Where connections went while the demo was made. */
const hosts = new Set<string>()

beforeAll(async () => {
  const original = Socket.prototype.connect
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    // Either options, or a port and a host, or a path.
    const [first, second] = given.flat() as [{ host?: string; path?: string } | number | string, unknown]
    const named = typeof first === 'object' ? (first.host ?? first.path) : typeof first === 'number' ? second : first
    hosts.add(typeof named === 'string' ? named : 'nowhere')
    return Reflect.apply(original, this, given)
  } as typeof original
  server = await startTestServer({ demo: true })
  Socket.prototype.connect = original
})
afterAll(() => server?.stop())

const get = async (path: string, by = 'root') => {
  const answer = await server.root.get(path, by === 'root' ? {} : { headers: { Sudo: by } })
  expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBe(200)
  return answer.body
}
const valuesOf = async (path: string, member: string, by?: string) =>
  new Set(
    ((await get(`${path}${path.includes('?') ? '&' : '?'}per_page=100`, by)) as Record<string, unknown>[]).map(
      (one) => one[member],
    ),
  )

/** How many a list has. */
const totalOf = async (path: string) => Number((await server.root.get(path)).headers.get('x-total'))

const at = (path: string) => `/projects/${encodeURIComponent(path)}`
const timetable = at('slipway/apps/timetable')
const dispatch = at('slipway/apps/dispatch')
const sailings = at('slipway/services/sailings')
const harbour = at('slipway/operations/harbour')

describe('the world of the demo has', () => {
  test('people with profiles and pictures, who sign in with the password', async () => {
    for (const { username, name, bio } of people) {
      const [found] = await get(`/users?username=${username}`)
      expect(found).toMatchObject({ name, state: 'active' })
      expect(found.avatar_url).toContain('/uploads/')
      expect((await get(`/users/${found.id}`)).bio).toBe(bio)
    }
    const credentials = { grant_type: 'password', username: 'mara', password: demoPassword }
    expect((await server.anonymous.post('root:/oauth/token', credentials)).status).toBe(200)
    expect(await get('/users/2/status')).toMatchObject({ emoji: 'ship' })
    expect((await get('/users/2/following')).length).toBeGreaterThan(0)
  })

  test('groups with labels, milestones, epics and iterations', async () => {
    expect(await valuesOf('/groups', 'full_path')).toEqual(
      new Set(['slipway', 'slipway/apps', 'slipway/services', 'slipway/operations']),
    )
    expect(await valuesOf('/groups/slipway/labels', 'name')).toContain('priority::now')
    expect(await valuesOf('/groups/slipway/milestones', 'state')).toEqual(new Set(['active', 'closed']))
    expect(await valuesOf('/groups/slipway/epics', 'state')).toEqual(new Set(['opened', 'closed']))
    expect((await valuesOf('/groups/slipway/iterations', 'state')).size).toBe(3)
    expect(await valuesOf('/groups/slipway/wikis', 'slug')).toContain('on-call')
  })

  test('repositories with the work of several people, branches, tags and releases', async () => {
    expect((await valuesOf(`${timetable}/repository/commits`, 'author_name')).size).toBeGreaterThan(3)
    expect((await get(`${timetable}/repository/commits?per_page=100`)).length).toBeGreaterThan(30)
    expect(await valuesOf(`${timetable}/repository/branches`, 'merged')).toEqual(new Set([true, false]))
    expect(await valuesOf(`${timetable}/protected_branches`, 'name')).toContain('main')
    expect(await valuesOf(`${timetable}/releases`, 'tag_name')).toEqual(new Set(['v0.4.0', 'v0.3.0', 'v0.2.0']))
    expect((await get(`${harbour}`)).visibility).toBe('private')
  })

  test('three hundred commits, most of them pushed by their authors', async () => {
    const projects: { id: number }[] = await get('/projects?per_page=100')
    const each = await Promise.all(projects.map(({ id }) => get(`/projects/${id}?statistics=true`)))
    const counts = each.map(({ statistics }) => statistics.commit_count)
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBeGreaterThanOrEqual(300)
    const events: { author_username: string; push_data: { ref: string; commit_count: number } }[] = await get(
      `${dispatch}/events?action=pushed&per_page=100`,
    )
    const pushes = events.filter(({ push_data: { ref, commit_count } }) => ref === 'main' && commit_count > 1)
    expect(new Set(pushes.map(({ author_username }) => author_username))).toEqual(
      new Set(['ines', 'noor', 'tomas', 'yuki']),
    )
    const [commit] = await get(`${dispatch}/repository/commits`)
    expect(commit).toMatchObject({ author_name: 'Ines Carvalho', author_email: 'ines@example.com' })
    expect((await get(`${dispatch}/repository/tree?recursive=true&per_page=100`)).length).toBeGreaterThan(30)
  })

  test('issues in all states, with everything that belongs to them', async () => {
    const issues = await get('/issues?scope=all&per_page=100')
    expect(await totalOf('/issues?scope=all')).toBeGreaterThanOrEqual(120)
    expect(new Set(issues.map(({ state }: { state: string }) => state))).toEqual(new Set(['opened', 'closed']))
    const screen = await get(`${timetable}/issues/5`)
    expect(screen).toMatchObject({ weight: 8, task_completion_status: { count: 3, completed_count: 2 } })
    expect(screen.time_stats).toMatchObject({ human_time_estimate: '1w', human_total_time_spent: '2d 6h' })
    expect(screen.epic.title).toBe('Screens at the quay')
    expect(await valuesOf(`${timetable}/issues/5/links`, 'iid')).toContain(1)
    expect((await get(`${timetable}/issues/5/discussions`)).some(({ notes }: { notes: [] }) => notes.length > 2)).toBe(
      true,
    )
    expect((await get(`${timetable}/issues/15/resource_state_events`)).length).toBe(2)
    expect((await get(`${timetable}/issues/18`)).confidential).toBe(true)
    expect((await server.anonymous.get(`${timetable}/issues/18`)).status).toBe(404)
    expect((await get('/todos', 'ines')).length).toBeGreaterThan(0)
  })

  test('merge requests in all states, with threads, approvals and conflicts', async () => {
    const requests = await get('/merge_requests?scope=all&per_page=100')
    expect(new Set(requests.map(({ state }: { state: string }) => state))).toEqual(
      new Set(['opened', 'merged', 'closed']),
    )
    expect(requests.some(({ draft }: { draft: boolean }) => draft)).toBe(true)
    expect(await get(`${timetable}/merge_requests/7`)).toMatchObject({ has_conflicts: true })
    const discussions: { notes: { resolvable: boolean; resolved: boolean }[] }[] = await get(
      `${timetable}/merge_requests/5/discussions`,
    )
    const notes = discussions.flatMap((one) => one.notes).filter(({ resolvable }) => resolvable)
    expect(new Set(notes.map(({ resolved }) => resolved))).toEqual(new Set([true, false]))
    expect(await get(`${timetable}/merge_requests/8/approvals`)).toMatchObject({ approved: true })
    // The commit of just now has taken its approval away.
    expect(await get(`${timetable}/merge_requests/5/approvals`)).toMatchObject({ approved: false })
    expect(await valuesOf(`${timetable}/merge_requests/3/commits`, 'title')).toContain(
      'Show a stop on a screen that nobody touches',
    )
    const screen = await server.root.get(`${timetable}/repository/files/src%2Fscreen.ts/raw?ref=main`)
    expect(screen.body).toContain('const seconds = 30')
  })

  test('pipelines in all states, with logs and artifacts', async () => {
    const statuses = await valuesOf(`${timetable}/pipelines`, 'status')
    expect([...statuses]).toEqual(expect.arrayContaining(['success', 'failed', 'running', 'manual']))
    expect(await valuesOf(`${timetable}/pipelines`, 'source')).toContain('schedule')
    const jobs: { id: number; name: string; status: string; artifacts_file?: object }[] = await get(
      `${timetable}/jobs?per_page=100`,
    )
    const failed = jobs.find(({ name, status }) => name === 'accessibility' && status === 'failed')
    expect((await server.root.get(`${timetable}/jobs/${failed?.id}/trace`)).body).toMatch(/section_start:\d+:script/)
    const site = jobs.find(({ name, status }) => name === 'site' && status === 'success')
    expect(site?.artifacts_file).toBeDefined()
    expect((await server.root.get(`${timetable}/jobs/${site?.id}/artifacts/report/size.txt`)).body).toContain(
      'index.html',
    )
    expect(await valuesOf('/runners/all', 'description')).toEqual(new Set(['harbour-runner-1']))
    expect(await valuesOf(`${timetable}/pipeline_schedules`, 'active')).toEqual(new Set([true]))
  })

  test('images, alerts with an incident, and settings of projects', async () => {
    const repositories = await get(`${sailings}/registry/repositories?tags_count=true`)
    expect(repositories.map(({ tags_count }: { tags_count: number }) => tags_count).sort()).toEqual([1, 4])
    const incident = (await get(`${sailings}/issues?issue_type=incident`))[0]
    expect(incident).toMatchObject({ state: 'closed' })
    expect(incident.description).toContain(`${server.url}/slipway/services/sailings/-/alert_management/2/details`)
    expect((await get(`${sailings}/issues/${incident.iid}/notes?per_page=100`)).length).toBeGreaterThan(4)
    for (const path of [
      'variables',
      'wikis',
      'snippets',
      'deploy_tokens',
      'hooks',
      'protected_tags',
      'approval_rules',
    ]) {
      expect((await get(`${timetable}/${path}`)).length, path).toBeGreaterThan(0)
    }
    expect((await get(`${harbour}/deploy_keys`)).length).toBe(1)
    expect((await get('/snippets/public')).length).toBeGreaterThan(0)
    expect((await get('/broadcast_messages')).length).toBe(1)
    expect((await get('/features')).length).toBe(2)
  })

  test('times of the last four months, and none in the future', async () => {
    const { created_at } = await get('/users/2')
    const [latest] = await get(`${timetable}/repository/commits?ref_name=delays`)
    const nowMs = Date.now()
    expect(nowMs - Date.parse(created_at)).toBeGreaterThan(119 * 86_400_000)
    expect(Date.parse(latest.created_at)).toBeLessThan(nowMs)
    expect(nowMs - Date.parse(latest.created_at)).toBeLessThan(2 * 3_600_000)
  })
})

test('no work of the server has failed', async () => {
  await server.app.platform.jobs.settle()
  for (const queue of await get('/admin/background_queues')) expect(queue).toMatchObject({ failed: 0 })
})

test('nothing was asked outside of this machine', () => {
  const local = ['127.0.0.1', 'localhost', '::1']
  expect([...hosts].filter((host) => !local.includes(host) && !host.startsWith('/'))).toEqual([])
  expect(hosts.size).toBeGreaterThan(0)
})

const known: Record<string, string> = {
  issue_iid: '5',
  merge_request_iid: '5',
  epic_iid: '2',
  tag_name: 'v0.3.0',
  branch: 'main',
}

/** The path of an operation with objects of the demo; null where it names something else. */
function filledIn(path: string): string | null {
  const id = path.startsWith('/projects/')
    ? 'slipway%2Fapps%2Ftimetable'
    : path.startsWith('/groups/')
      ? 'slipway'
      : '2'
  const filled = path.replace(/:(\w+)/g, (all, name: string) => (name === 'id' ? id : (known[name] ?? all)))
  return filled.includes(':') ? null : filled
}

test.each(['mara', 'owen', 'lena'])('no list fails for %s', async (username) => {
  const paths = server.app.operations.flatMap(({ method, path }) => (method === 'GET' ? (filledIn(path) ?? []) : []))
  expect(paths.length).toBeGreaterThan(100)
  for (const path of new Set(paths)) {
    const { status, body } = await server.root.get(path, { headers: { Sudo: username } })
    expect(status, `${path}: ${JSON.stringify(body).slice(0, 300)}`).toBeLessThan(500)
  }
})

const small: World = { people: people.slice(1, 6), groups: [], projects: [tideClock], acts: [] }

async function place() {
  const [folder, database] = [await temporaryDirectory(), await makeFreshDatabase()]
  const config = {
    ...memoryConfig(readConfig({}), folder.path),
    databaseUrl: database.url,
    rootToken: 'glpat-of-the-demo-tests',
  }
  return {
    config,
    async [Symbol.asyncDispose]() {
      await database.remove()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** What a small demo has made: ids, times and words. */
async function madeWith(seed: number, start: string) {
  await using own = await place()
  const { config } = own
  const listen = { host: '127.0.0.1', port: 0 }
  await fillDemo({ config, log: silent, seed, start: new Date(start), durable: false, world: small })
  const app = await startApp({ config: { ...config, listen }, log: silent, durable: false })
  try {
    const client = clientOf(app.url, config.rootToken)
    const clock = at('noor/tide-clock')
    const read = async (path: string) => (await client.get(path)).body as Record<string, unknown>[]
    const withoutAddresses = (world: unknown) => JSON.stringify(world).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')
    const commits = (await read(`${clock}/repository/commits`)).map(({ id }) => id)
    const work = [await read(`${clock}/issues`), await read(`${clock}/issues/1/notes`), await read(`${clock}/events`)]
    return { commits, work: withoutAddresses(work) }
  } finally {
    await app.stop()
  }
}

test('the same seed tells the same, with the same ids; another one something else', async () => {
  const start = '2026-03-12T14:30:00Z'
  const first = await madeWith(7, start)
  expect(first.commits).toHaveLength(6)
  expect(await madeWith(7, start)).toEqual(first)
  expect((await madeWith(8, start)).work).not.toBe(first.work)
})

/** How often something is synced from now on. */
async function syncs() {
  await using file = await open(import.meta.filename)
  const spies = ['sync', 'datasync'].map((name) => vi.spyOn(Object.getPrototypeOf(file), name))
  return {
    count: () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0),
    [Symbol.dispose]() {
      for (const spy of spies) spy.mockRestore()
    },
  }
}

test('what is made is synced when all of it is made, and not where it is thrown away', async () => {
  await using own = await place()
  const options = { config: own.config, log: silent, start: new Date('2026-03-12T14:30:00Z'), world: small }
  using synced = await syncs()
  const counts: number[] = []
  const progress = { advance: () => void counts.push(synced.count()) }
  await fillDemo({ ...options, progress })
  const { length } = await readdir(own.config.data, { recursive: true })
  expect(new Set(counts)).toEqual(new Set([0]))
  expect(synced.count()).toBeGreaterThanOrEqual(length)
  const before = synced.count()
  await using other = await place()
  await fillDemo({ ...options, config: other.config, durable: false })
  expect(synced.count()).toBe(before)
})

describe('a demo is refused', () => {
  test('where somebody is there already', async () => {
    await using own = await place()
    const options = { config: own.config, log: silent, start: new Date('2026-03-12T14:30:00Z'), durable: false }
    await fillDemo({ ...options, world: { ...small, projects: [] } })
    await expect(fillDemo(options)).rejects.toThrow(/^the demo fills only a server without users.* empty \//)
  })

  test('with several processes, and on a secondary', async () => {
    await using own = await place()
    const options = { log: silent, start: new Date('2026-03-12T14:30:00Z') }
    const { config } = own
    await expect(fillDemo({ ...options, config: { ...config, workers: 2 } })).rejects.toThrow(
      'FENNEC_WORKERS must be 1',
    )
    const geo = { ...config.geo, role: 'secondary' as const }
    await expect(fillDemo({ ...options, config: { ...config, geo } })).rejects.toThrow('a secondary')
  })
})
