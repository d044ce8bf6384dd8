import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import {
  type Client,
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'

const clock = manualClock({ start: '2026-03-10T12:00:00.000Z' })
let server: TestServer
let people: ProjectWithMembers
let at: string

beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await projectWithMembers(server)
})
afterAll(() => server.stop())

let made = 0
beforeEach(async () => {
  made += 1
  const { owner, reporter, guest } = people
  const project = await server.make.project(`p${made}`, owner)
  for (const [person, level] of [
    [reporter, 20],
    [guest, 10],
  ] as const)
    await server.make.member({ project }, person, level)
  at = `/projects/${project.id}`
})

type Row = { action_name: string; target_type: string | null; target_title: string | null; author_username: string }
const shown = (rows: Row[]) => rows.map((row) => [row.action_name, row.target_type, row.target_title])
const events = async (client: Client, query = '', path = `${at}/events`) =>
  shown((await client.get(`${path}?sort=asc&${query}`)).body)

async function withFile(person: Person) {
  const file = { branch: 'main', content: 'x', commit_message: 'First' }
  expect((await person.post(`${at}/repository/files/a`, file)).status).toBe(201)
}

describe('the activities in a project', () => {
  test('are what its members do with issues', async () => {
    const { owner, reporter } = people
    const issue = (await owner.post(`${at}/issues`, { title: 'Broken' })).body
    await owner.put(`${at}/issues/1`, { state_event: 'close' })
    await owner.put(`${at}/issues/1`, { title: 'Renamed' })
    await owner.put(`${at}/issues/1`, { state_event: 'reopen' })
    const note = (await reporter.post(`${at}/issues/1/notes`, { body: 'Indeed **so**' })).body
    expect(await events(owner)).toEqual([
      ['opened', 'Issue', 'Broken'],
      ['closed', 'Issue', 'Broken'],
      ['reopened', 'Issue', 'Renamed'],
      ['commented on', 'Note', 'Renamed'],
    ])
    const [comment, reopened] = (await owner.get(`${at}/events`)).body
    const { author, author_id, author_username, id, created_at, ...rest } = reopened
    expect([author.username, author_id, author_username]).toEqual([owner.username, owner.id, owner.username])
    expect([id, created_at]).toEqual([expect.any(Number), '2026-03-10T12:00:00.000Z'])
    expect(rest).toEqual({
      ...{ project_id: issue.project_id, action_name: 'reopened', target_id: issue.id, target_iid: 1 },
      ...{ target_type: 'Issue', target_title: 'Renamed', imported: false, imported_from: 'none' },
    })
    expect(comment.note).toMatchObject({
      ...{ id: note.id, body: 'Indeed **so**', noteable_type: 'Issue', noteable_id: issue.id, noteable_iid: 1 },
      ...{ author: { username: reporter.username }, system: false, attachment: null },
    })
    await owner.delete(`${at}/issues/1`)
    expect(await events(owner)).toEqual([])
  })

  test('are pushes, merge requests, wiki pages and members', async () => {
    const { owner } = people
    await withFile(owner)
    const change = { action: 'create', file_path: 'b', content: 'y' }
    const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Second', actions: [change] }
    await owner.post(`${at}/repository/commits`, commit)
    await owner.post(`${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'Merge me' })
    await owner.put(`${at}/merge_requests/1`, { state_event: 'close' })
    await owner.put(`${at}/merge_requests/1`, { state_event: 'reopen' })
    const maintainer = await server.user(`maintainer${made}`)
    await owner.post(`${at}/members`, { user_id: maintainer.id, access_level: 40 })
    await maintainer.post(`${at}/merge_requests/1/approve`)
    await expect
      .poll(async () => (await owner.put(`${at}/merge_requests/1/merge`)).status)
      .toSatisfy((status: number) => [200, 405].includes(status))
    await expect.poll(async () => (await owner.get(`${at}/merge_requests/1`)).body.state).toBe('merged')
    await owner.post(`${at}/wikis`, { title: 'Home page', content: 'x' })
    const joined = await server.user(`joined${made}`)
    await owner.post(`${at}/members`, { user_id: joined.id, access_level: 20 })
    await owner.delete(`${at}/members/${joined.id}`)
    const rows = (await owner.get(`${at}/events?sort=asc&per_page=100`)).body as Row[]
    const others = shown(rows.filter((row) => !('push_data' in row)))
    expect(others).toEqual([
      ['opened', 'MergeRequest', 'Merge me'],
      ['closed', 'MergeRequest', 'Merge me'],
      ['reopened', 'MergeRequest', 'Merge me'],
      ['joined', null, null],
      ['approved', 'MergeRequest', 'Merge me'],
      ['accepted', 'MergeRequest', 'Merge me'],
      ['created', 'WikiPage::Meta', 'Home page'],
      ['joined', null, null],
      ['left', null, null],
    ])
    expect(rows.at(-1)?.author_username).toBe(joined.username)
    const found = {
      ...{ approved: ['approved'], closed: ['closed'], commented: [], created: ['opened', 'created'], destroyed: [] },
      ...{ expired: [], joined: ['joined', 'joined'], left: ['left'], merged: ['accepted'], reopened: ['reopened'] },
      updated: [],
    }
    for (const [action, names] of Object.entries(found)) {
      const shownActions = (await events(owner, `action=${action}`)).map(([name]) => name)
      expect([action, shownActions]).toEqual([action, names])
    }
    expect((await events(owner, 'action=pushed')).length).toBe(rows.length - others.length)
    const counts = {
      epic: 0,
      issue: 0,
      merge_request: 5,
      milestone: 0,
      note: 0,
      project: 0,
      snippet: 0,
      user: 0,
      wiki: 1,
    }
    for (const [type, count] of Object.entries(counts)) {
      expect([type, (await events(owner, `target_type=${type}`)).length]).toEqual([type, count])
    }
    expect(rows.find((row) => row.action_name === 'pushed new')).toMatchObject({
      push_data: { action: 'created', ref_type: 'branch', ref: 'main', commit_title: 'First', commit_count: 1 },
    })
    expect(rows.find((row) => row.target_type === 'WikiPage::Meta')).toMatchObject({
      wiki_page: { format: 'markdown', slug: 'Home-page', title: 'Home page' },
    })
  })

  test('vanish with what they are about, also for administrators', async () => {
    const { owner } = people
    await withFile(owner)
    await owner.post(`${at}/repository/branches`, { branch: 'topic', ref: 'main' })
    await owner.post(`${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'Merge me' })
    await owner.post(`${at}/issues`, { title: 'Broken' })
    for (const noteable of ['issues/1', 'merge_requests/1']) {
      await owner.post(`${at}/${noteable}/notes`, { body: 'kept' })
      const note = (await owner.post(`${at}/${noteable}/discussions`, { body: 'removed' })).body.notes[0]
      const comments = async () => (await events(server.root, 'target_type=note')).length
      expect(await comments()).toBe(2)
      expect((await owner.delete(`${at}/${noteable}/notes/${note.id}`)).status).toBe(204)
      expect(await comments()).toBe(1)
      expect((await owner.delete(`${at}/${noteable}`)).status).toBe(204)
      expect(await comments()).toBe(0)
    }
    expect((await events(server.root)).filter(([, type]) => type !== null)).toEqual([])
  })

  test('are shown as far as the caller reads their targets', async () => {
    const { owner, reporter, guest, outsider } = people
    await withFile(owner)
    await owner.post(`${at}/issues`, { title: 'Open' })
    await owner.post(`${at}/issues`, { title: 'Secret', confidential: true, assignee_ids: [guest.id] })
    await owner.post(`${at}/issues`, { title: 'Hidden', confidential: true })
    await owner.post(`${at}/issues/3/notes`, { body: 'hidden, too' })
    await owner.post(`${at}/issues/1/notes`, { body: 'internal', internal: true })
    const titles = async (client: Client) => (await events(client)).map(([action, , title]) => title ?? action)
    expect(await titles(reporter)).toEqual(['pushed new', 'Open', 'Secret', 'Hidden', 'Hidden', 'Open'])
    expect(await titles(guest)).toEqual(['Open', 'Secret'])
    expect((await outsider.get(`${at}/events`)).status).toBe(404)
    await owner.put(at, { visibility: 'public' })
    for (const client of [outsider, server.anonymous]) expect(await titles(client)).toEqual(['pushed new', 'Open'])
    await owner.put(at, { issues_access_level: 'private', repository_access_level: 'private' })
    expect(await titles(server.anonymous)).toEqual([])
    expect(await titles(server.root)).toHaveLength(6)
  })

  test("are in the list of the project those that its author's list has for each caller, whatever its features", async () => {
    const { owner, reporter, guest, outsider } = people
    const planner = await server.user(`planner${made}`)
    const { body: project } = await owner.get(at)
    await server.make.member({ project }, planner, 15)
    const issue = async (values: object) => (await owner.post(`${at}/issues`, values)).body
    const [, secret] = [await issue({ title: 'Open' }), await issue({ title: 'Secret', confidential: true })]
    await owner.post(`${at}/issues/1/notes`, { body: 'seen' })
    await owner.post(`${at}/issues/1/notes`, { body: 'internal', internal: true })
    await owner.post(`${at}/issues/2/notes`, { body: 'hidden' })
    const event = (target_type: string | null, values: object = {}) => ({
      ...{ project_id: project.id, author_id: owner.id, action: 'updated', target_type, target_title: 'x' },
      ...{ created_at: clock.now().toISOString(), ...values },
    })
    const types = [null, 'Project', 'Milestone', 'Snippet', 'WikiPage::Meta', 'MergeRequest', 'Commit', 'Epic', 'Note']
    const rows = [...types.map((type) => event(type)), event(null, { push_data: '{}' })]
    await server.app.platform.database.write((tx) => tx.insertInto('events').values(rows).execute())
    await owner.put(`${at}/issues/2`, { assignee_ids: [guest.id] })
    expect(secret.iid).toBe(2)
    const callers = [owner, reporter, planner, guest, outsider, server.anonymous, server.root]
    const ids = async (client: Client, path: string) => {
      const { status, body } = await client.get(`${path}?per_page=100`)
      const found = status === 200 ? (body as { id: number; project_id: number }[]) : []
      return found.filter(({ project_id: id }) => id === project.id).map(({ id }) => id)
    }
    expect((await ids(owner, `${at}/events`)).length).toBeGreaterThan(12)
    const features = ['issues', 'repository', 'merge_requests', 'wiki', 'snippets']
    for (const visibility of ['private', 'internal', 'public']) {
      for (const level of ['enabled', 'private', 'disabled']) {
        for (const named of [features, ['repository', 'wiki']]) {
          const values = Object.fromEntries(named.map((name) => [`${name}_access_level`, level]))
          await owner.put(at, { visibility, ...values })
          for (const [index, caller] of callers.entries()) {
            const inProject = await ids(caller, `${at}/events`)
            const ofAuthor = await ids(caller, `/users/${owner.id}/events`)
            expect([visibility, level, index, inProject]).toEqual([visibility, level, index, ofAuthor])
          }
        }
      }
    }
  })

  test('are filtered by action, target and day', async () => {
    const { owner } = people
    await owner.post(`${at}/issues`, { title: 'One' })
    clock.advance(86_400_000)
    await owner.put(`${at}/issues/1`, { state_event: 'close' })
    await owner.post(`${at}/issues/1/notes`, { body: 'x' })
    const day = clock.now().toISOString().slice(0, 10)
    const before = new Date(clock.now().getTime() - 86_400_000).toISOString().slice(0, 10)
    const actions = async (query: string) => (await events(owner, query)).map(([action]) => action)
    expect(await actions('action=closed')).toEqual(['closed'])
    expect(await actions('action=created')).toEqual(['opened'])
    expect(await actions('target_type=note')).toEqual(['commented on'])
    expect(await actions(`before=${day}`)).toEqual(['opened'])
    expect(await actions(`after=${before}`)).toEqual(['closed', 'commented on'])
    expect(await actions('target_type=epic')).toEqual([])
    for (const [name, value] of Object.entries({ action: 'flown', target_type: 'x', sort: 'up' })) {
      const answer = await owner.get(`${at}/events?${name}=${value}`)
      expect(answer).toMatchObject({ status: 400, body: { error: `${name} does not have a valid value` } })
    }
    expect((await owner.get(`${at}/events?before=nonsense`)).status).toBe(400)
  })

  test('are listed with as many queries for many as for one', async () => {
    const { owner } = people
    await owner.post(`${at}/issues`, { title: 'One' })
    const queries = () => queriesOf(server, () => owner.get(`${at}/events`))
    const forOne = await queries()
    for (let n = 0; n < 8; n += 1) await owner.post(`${at}/issues/1/notes`, { body: `note ${n}` })
    expect(await queries()).toBe(forOne)
  })
})

describe('the activities of a user', () => {
  test('are listed for the user, and for others as far as they see them', async () => {
    const { owner, outsider } = people
    const person = await server.user(`active${made}`)
    const made_ = (await person.post('/projects', { name: `own${made}`, visibility: 'public' })).body
    await owner.post(`${at}/members`, { user_id: person.id, access_level: 30 })
    await person.post(`${at}/issues`, { title: 'Mine' })
    const own = [
      ['created', null, null],
      ['joined', null, null],
      ['opened', 'Issue', 'Mine'],
    ]
    expect(await events(person, '', '/events')).toEqual(own)
    expect(await events(person, '', `/users/${person.username}/events`)).toEqual(own)
    for (const client of [outsider, server.anonymous]) {
      expect(await events(client, '', `/users/${person.id}/events`)).toEqual([['created', null, null]])
    }
    await owner.post(`${at}/issues`, { title: 'Of another' })
    // Their own events in projects where they have a role are there once.
    expect(await events(person, 'scope=all', '/events')).toEqual([...own, ['opened', 'Issue', 'Of another']])
    expect(await events(outsider, 'scope=all&action=created', '/events')).toEqual([])
    await server.root.put(`/users/${person.id}`, { private_profile: true })
    expect((await outsider.get(`/users/${person.id}/events`)).status).toBe(404)
    expect((await person.get(`/users/${person.id}/events`)).status).toBe(200)
    expect((await server.anonymous.get('/users/nobody-of-this-name/events')).status).toBe(404)
    const contributed = async (client: Client) =>
      (await client.get(`/users/${person.id}/contributed_projects?simple=true`)).body.map(
        ({ id }: { id: number }) => id,
      )
    expect(await contributed(owner)).toEqual(expect.arrayContaining([made_.id]))
    expect(await contributed(server.anonymous)).toEqual([made_.id])
  })
})
