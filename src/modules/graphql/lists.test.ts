import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous } from '../../api/index.ts'
import { type Client, type Person, queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import { openReading } from './reading/reading.ts'
import { ask, dataOf, problemsOf } from './testing.ts'

let server: TestServer
let owner: Person
let group: NamespaceRow
const count = 7

async function made(answer: ReturnType<Client['post']>) {
  const { status, body } = await answer
  expect([status, status === 201 ? null : body]).toEqual([201, null])
  return body
}

/** Makes a project with issues, labels, milestones and pipelines. */
async function makeProject(path: string) {
  const { id } = await server.make.project(path, owner, { namespace: group })
  const moment = server.app.platform.clock.now().toISOString()
  const pipelines = Array.from({ length: count }, (_, at) => ({
    ...{ project_id: id, iid: at + 1, sha: 'a'.repeat(40), ref: at < 3 ? 'main' : 'topic', source: 'push' as const },
    ...{ status: at % 2 === 0 ? ('success' as const) : ('failed' as const), created_at: moment, updated_at: moment },
  }))
  await server.app.platform.database.write((tx) => tx.insertInto('pipelines').values(pipelines).execute())
  for (let at = 1; at <= count; at += 1) {
    const label = await made(owner.post(`/projects/${id}/labels`, { name: `label ${at}`, color: '#112233' }))
    const milestone = await made(owner.post(`/projects/${id}/milestones`, { title: `v${at}` }))
    const more = { labels: label.name, milestone_id: milestone.id, assignee_ids: [owner.id] }
    await made(owner.post(`/projects/${id}/issues`, { title: `issue ${at}`, ...more }))
  }
}

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('walker')
  group = await server.make.group('walked', owner)
  for (let at = 1; at <= count; at += 1) {
    await server.make.member({ namespace: group }, await server.user(`walker-${at}`), 30)
    await server.make.group(`below-${at}`, owner, { parent: group })
  }
  for (const path of ['walk-1', 'walk-2', 'walk-3']) await makeProject(path)
})
afterAll(() => server?.stop())

type PageInfo = { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string }

/** The lists that are walked, each by a text that a page has, with a field of its objects. */
const walked = [
  ['users', (page: string) => `users(search: "walker", ${page})`, 'username'],
  ['projects', (page: string) => `projects(search: "walk-", ${page})`, 'name'],
  ['groups', (page: string) => `groups(${page})`, 'path'],
  ['issues', (page: string) => `project(fullPath: "walked/walk-1") {issues(${page})`, 'title'],
  ['labels', (page: string) => `project(fullPath: "walked/walk-1") {labels(${page})`, 'title'],
  ['milestones', (page: string) => `project(fullPath: "walked/walk-1") {milestones(${page})`, 'title'],
  ['pipelines', (page: string) => `project(fullPath: "walked/walk-1") {pipelines(${page})`, 'iid'],
  ['projectMembers', (page: string) => `project(fullPath: "walked/walk-1") {projectMembers(${page})`, 'id'],
  ['groupMembers', (page: string) => `group(fullPath: "walked") {groupMembers(${page})`, 'id'],
  ['descendantGroups', (page: string) => `group(fullPath: "walked") {descendantGroups(${page})`, 'path'],
  ['named', (page: string) => `users(usernames: ["walker-1", "walker-2", "walker-3", "walker"], ${page})`, 'username'],
] as const

describe.each(walked)('%s', (_, list, member) => {
  /** A page of the list, which is somewhere in the answer. */
  async function page(range: string): Promise<{ names: string[]; cursors: string[]; count: number } & PageInfo> {
    const text = list(range)
    const below = `{count nodes{${member}} edges{cursor node{${member}}} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}`
    const { data, errors } = await ask(owner, `{${text} ${below}${text.includes('{') ? '}' : ''}}`)
    expect(errors).toBeUndefined()
    const [first] = Object.values(data) as Record<string, never>[]
    const found = (first && 'pageInfo' in first ? first : Object.values(first ?? {})[0]) as never as {
      count: number
      nodes: Record<string, string>[]
      edges: { cursor: string; node: Record<string, string> }[]
      pageInfo: PageInfo
    }
    expect(found.edges.map(({ node }) => node)).toEqual(found.nodes)
    expect([found.pageInfo.startCursor, found.pageInfo.endCursor]).toEqual([
      found.edges[0]?.cursor ?? null,
      found.edges.at(-1)?.cursor ?? null,
    ])
    const names = found.nodes.map((node) => node[member] as string)
    return { names, cursors: found.edges.map(({ cursor }) => cursor), count: found.count, ...found.pageInfo }
  }

  test('is walked forward and backward, each object once', async () => {
    const all = await page('first: 100')
    expect(all.names.length).toBeGreaterThan(2)
    expect([all.count, all.hasNextPage, all.hasPreviousPage]).toEqual([all.names.length, false, false])
    expect(new Set(all.cursors).size).toBe(all.names.length)
    for (const size of [1, 2, 3]) {
      const forward: string[] = []
      let next = await page(`first: ${size}`)
      forward.push(...next.names)
      while (next.hasNextPage) {
        next = await page(`first: ${size}, after: "${next.endCursor}"`)
        expect(next.hasPreviousPage).toBe(true)
        forward.push(...next.names)
      }
      expect([size, forward]).toEqual([size, all.names])
      const backward: string[] = []
      let previous = await page(`last: ${size}`)
      backward.unshift(...previous.names)
      while (previous.hasPreviousPage) {
        previous = await page(`last: ${size}, before: "${previous.startCursor}"`)
        expect(previous.hasNextPage).toBe(true)
        backward.unshift(...previous.names)
      }
      expect([size, backward]).toEqual([size, all.names])
    }
  })

  test('has what lies between two cursors, also in pages of another size', async () => {
    const { names, cursors } = await page('first: 100')
    const [first, last] = [cursors[0], cursors.at(-1)]
    expect((await page(`first: 100, after: "${first}", before: "${last}"`)).names).toEqual(names.slice(1, -1))
    expect((await page(`last: 100, after: "${first}", before: "${last}"`)).names).toEqual(names.slice(1, -1))
    const two = await page(`first: 2, after: "${first}"`)
    expect(two.names).toEqual(names.slice(1, 3))
    expect(two.hasNextPage).toBe(names.length > 3)
    expect((await page(`first: 100, after: "${last}"`)).names).toEqual([])
    expect((await page(`last: 100, before: "${first}"`)).names).toEqual([])
  })

  test('has no objects when none are asked for', async () => {
    const none = await page('first: 0')
    expect([none.names, none.count]).toEqual([[], (await page('first: 100')).count])
  })
})

describe('the filters of lists', () => {
  const titles = async (text: string, client: Client = owner) =>
    (
      await dataOf(client, `{project(fullPath: "walked/walk-2") {issues(${text}) {nodes{title}}}}`)
    ).project.issues.nodes.map(({ title }: { title: string }) => title)

  test('of issues are those of the API, the newest first', async () => {
    expect(
      (await owner.put(`/projects/${encodeURIComponent('walked/walk-2')}/issues/1`, { state_event: 'close' })).status,
    ).toBe(200)
    expect(await titles('state: closed')).toEqual(['issue 1'])
    expect(await titles('state: opened, first: 2')).toEqual(['issue 7', 'issue 6'])
    expect(await titles('state: all')).toHaveLength(count)
    expect(await titles('labelName: ["label 3"]')).toEqual(['issue 3'])
    expect(await titles('labelName: ["label 3", "label 4"]')).toEqual([])
    expect(await titles('labelName: []')).toHaveLength(count)
    expect(await titles('search: "issue 5"')).toEqual(['issue 5'])
    expect(await problemsOf(owner, '{project(fullPath: "walked/walk-2") {issues(state: nope) {count}}}')).toHaveLength(
      1,
    )
  })

  test('of pipelines choose a ref and a status', async () => {
    const iids = async (text: string) =>
      (
        await dataOf(owner, `{project(fullPath: "walked/walk-2") {pipelines(${text}) {nodes{iid}}}}`)
      ).project.pipelines.nodes.map(({ iid }: { iid: string }) => iid)
    expect(await iids('ref: "main"')).toEqual(['3', '2', '1'])
    expect(await iids('status: FAILED')).toEqual(['6', '4', '2'])
    expect(await iids('status: FAILED, ref: "topic", first: 1')).toEqual(['6'])
    expect(await iids('ref: "none"')).toEqual([])
  })

  test('of members choose the direct ones', async () => {
    const query = (relations: string) =>
      `{group(fullPath: "walked/below-1") {groupMembers${relations} {nodes{user{username}}}}}`
    const names = async (relations: string) =>
      (await dataOf(owner, query(relations))).group.groupMembers.nodes.map(
        ({ user }: { user: { username: string } }) => user.username,
      )
    expect(await names('(relations: [DIRECT])')).toEqual(['walker'])
    expect(await names('(relations: [DIRECT, INHERITED])')).toHaveLength(count + 1)
    expect(await names('')).toHaveLength(count + 1)
    expect(await names('(search: "walker-2")')).toEqual(['walker-2'])
  })

  test('of groups find projects of the groups below', async () => {
    const below = await server.app.platform.database.read
      .selectFrom('namespaces')
      .selectAll()
      .where('full_path', '=', 'walked/below-1')
      .executeTakeFirstOrThrow()
    await server.make.project('deep', owner, { namespace: below as NamespaceRow })
    const query =
      '{group(fullPath: "walked") {direct: projects{count} all: projects(includeSubgroups: true) {count} one: projects(includeSubgroups: true, search: "deep") {nodes{fullPath}}}}'
    expect((await dataOf(owner, query)).group).toEqual({
      direct: { count: 3 },
      all: { count: 4 },
      one: { nodes: [{ fullPath: 'walked/below-1/deep' }] },
    })
  })
})

describe('the number of queries', () => {
  const cost = (query: string) => queriesOf(server, () => dataOf(owner, query))

  test('does not grow with the objects of a list', async () => {
    const of = (first: number) =>
      `{project(fullPath: "walked/walk-3") {issues(first: ${first}) {nodes{
        title author{username location createdAt} assignees(first: 1) {nodes{username bot}} labels(first: 1) {nodes{title}} milestone{title}}}}}`
    expect(await cost(of(count))).toBeLessThanOrEqual(await cost(of(1)))
    const projects = (first: number) =>
      `{projects(first: ${first}) {nodes{name fullPath repository{rootRef} topics openIssuesCount namespace{fullName} group{name}}}}`
    // The newest project is in a group of its own.
    expect(await cost(projects(4))).toBeLessThanOrEqual(await cost(projects(2)))
    const members = (first: number) =>
      `{group(fullPath: "walked") {groupMembers(first: ${first}) {nodes{user{name location lastActivityOn}}}}}`
    expect(await cost(members(count))).toBeLessThanOrEqual(await cost(members(2)))
  })

  test('does not count a list unless it is asked for', async () => {
    const of = (more: string) =>
      `{project(fullPath: "walked/walk-3") {issues(first: 5) {nodes{title labels(first: 1) {${more} nodes{title}}}}}}`
    expect(await cost(of('count'))).toBe(await cost(of('')))
  })

  test('is the same for one list under several names', async () => {
    const list = 'issues(first: 5) {nodes{title}}'
    const once = await cost(`{project(fullPath: "walked/walk-3") {${list}}}`)
    expect(await cost(`{project(fullPath: "walked/walk-3") {a: ${list} b: ${list} c: ${list}}}`)).toBe(once)
  })

  test('grows with lists inside of lists by those of a list each, and is bounded', async () => {
    const of = (first: number) => `{projects(first: ${first}) {nodes{issues(first: 5) {nodes{title}}}}}`
    const [one, two, three] = [await cost(of(1)), await cost(of(2)), await cost(of(3))]
    expect(three - two).toBeLessThanOrEqual(two - one + 1)
    const lists = Array.from({ length: 60 }, (_, at) => `a${at}: issues(first: 1, labelName: ["${at}"]) {count}`).join(
      ' ',
    )
    const within = `{group(fullPath: "walked") {projects(first: 20, includeSubgroups: true) {nodes{${lists}}}}}`
    const { data, errors } = await ask(owner, within)
    expect([data?.group.projects.nodes.length, errors]).toEqual([4, undefined])
    const names = Array.from(
      { length: 11 },
      (_, at) =>
        `b${at}: projects(first: 20, includeSubgroups: true) {nodes{${Array.from({ length: 12 }, (_, at2) => `c${at2}: issues(first: 1, labelName: ["${at}-${at2}"]) {count}`).join(' ')}}}`,
    )
    const many = `{group(fullPath: "walked") {${names.join(' ')}}}`
    expect(await problemsOf(owner, many)).toContainEqual(expect.stringMatching(/complexity of|reads too many/))
  })
})

describe('long texts', () => {
  const megabyte = 1024 * 1024
  let path: string
  beforeAll(async () => {
    const project = await server.make.project('long', owner)
    path = project.full_path
    for (let at = 0; at < 3; at += 1) {
      await made(
        owner.post(`/projects/${project.id}/issues`, { title: 'long', description: 'x'.repeat(megabyte - 10) }),
      )
    }
  })
  const several = (names: number, list: (at: number) => string) =>
    `{project(fullPath: "${path}") {${Array.from({ length: names }, (_, at) => `a${at}: ${list(at)}`).join(' ')}}}`

  test('are answered up to a bound', async () => {
    const { project } = await dataOf(
      owner,
      several(1, () => 'issues(first: 3) {nodes{description}}'),
    )
    expect(project.a0.nodes.map(({ description }: { description: string }) => description.length)).toEqual(
      Array.from({ length: 3 }, () => megabyte - 10),
    )
    const names = Array.from({ length: 9 }, (_, at) => `d${at}: description`).join(' ')
    expect(
      await problemsOf(
        owner,
        several(1, () => `issues(first: 1) {nodes{${names}}}`),
      ),
    ).toEqual(['Query returns too long texts'])
    const { data } = await ask(
      owner,
      several(1, () => `issues(first: 1) {nodes{${names}}}`),
    )
    expect(Object.values(data.project.a0.nodes[0]).filter((text) => text === null)).toHaveLength(1)
  })

  test('are not read beyond it, either', async () => {
    const problems = await problemsOf(
      owner,
      several(4, (at) => `issues(first: ${3 + at}) {nodes{title}}`),
    )
    expect(new Set(problems)).toEqual(new Set(['Query reads too long texts']))
    expect(problems.length).toBeLessThan(4)
  })
})

test('pages of objects in memory are made in several turns of the event loop', async () => {
  const request = { id: 'x', ip: '127.0.0.1', signal: new AbortController().signal }
  const reading = openReading(server.app.platform, anonymous, request as never)
  const made: number[] = []
  let turns = 0
  const count = () => {
    turns += 1
    if (made.length < 12) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all(Array.from({ length: 12 }, () => reading.pause(2_500).then(() => made.push(turns))))
  // Two pages fill a turn; the first begins at once.
  expect(made[0]).toBe(0)
  expect(new Set(made).size).toBeGreaterThanOrEqual(6)
})

describe('a request', () => {
  test('ends when its time is over', async () => {
    const { clock, ports: declared } = server.app.platform
    const ports = declared as { -readonly [Name in keyof typeof declared]: (typeof declared)[Name] }
    const [now, counts] = [clock.now, ports['projects.open_issues']]
    let isLate = false
    clock.now = () => new Date(now.call(clock).getTime() + (isLate ? 11_000 : 0))
    // The list of projects asks for them, before the lists inside of it begin.
    ports['projects.open_issues'] = (...asked) => {
      isLate = true
      return counts(...asked)
    }
    try {
      const { data, errors } = await ask(owner, '{projects(first: 2) {nodes{labels{count}}}}')
      expect(errors?.map(({ message }) => message)).toEqual(['Query timed out', 'Query timed out'])
      expect(data).toEqual({ projects: { nodes: [{ labels: null }, { labels: null }] } })
    } finally {
      clock.now = now
      ports['projects.open_issues'] = counts
    }
  })

  test('fails as others do when the server does', async () => {
    const { operations } = server.app
    expect(operations.map(({ id }) => id)).toContain('graphql.post')
    const { database } = server.app.platform
    const { read } = database
    const original = read.executeQuery
    read.executeQuery = (query) => {
      const { sql } = 'compile' in query ? query.compile() : query
      if (sql.includes('from "projects"') || sql.includes('from projects')) throw new Error('broken')
      return original.call(read, query) as never
    }
    try {
      const { status, body } = await owner.post('root:/api/graphql', { query: '{projects(first: 2) {nodes{name}}}' })
      expect([status, body]).toEqual([500, { message: '500 Internal Server Error' }])
    } finally {
      read.executeQuery = original
    }
  })
})
