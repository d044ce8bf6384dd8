import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../index.ts'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { deleteNamespace } from '../store/namespaces.ts'
import type { NamespaceRow } from '../tables.ts'
import { countChanges, totalsCheck } from './totals.ts'

let server: TestServer
let owner: Person
let other: Person
beforeAll(async () => {
  server = await startTestServer({ clock: manualClock({ start: '2026-03-01T12:00:00.000Z' }) })
  owner = await server.user('olga')
  other = await server.user('otto')
})
afterAll(() => server.stop())

type Platform = TestServer['app']['platform']

const write = (work: Parameters<Platform['database']['write']>[0]) => server.app.platform.database.write(work)
const problems = () => Array.fromAsync(totalsCheck(server.app.platform))
const count = () => countChanges.run(server.app.platform, null, undefined as never)

/** What changed is compared while it is marked, and again when it was counted. */
async function expectExact(): Promise<void> {
  expect(await problems()).toEqual([])
  await count()
  const { read } = server.app.platform.database
  expect(await read.selectFrom('namespace_marks').select('id').execute()).toEqual([])
  expect(await problems()).toEqual([])
}

const totalsSeen = async (group: NamespaceRow) => {
  const { body } = await server.root.get(`/namespaces/${group.id}`)
  return [body.projects_count, body.members_count_with_descendants, body.seats_in_use]
}

function setSize(project: ProjectRow, size_bytes: number) {
  return write((tx) =>
    tx.updateTable('repositories').set({ size_bytes }).where('project_id', '=', project.id).execute(),
  )
}

test('totals follow projects, sizes, members, moves, deletions and users', async () => {
  const { make } = server
  const top = await make.group('top', owner)
  const sub = await make.group('sub', owner, { parent: top })
  const leaf = await make.group('leaf', owner, { parent: sub })
  const away = await make.group('away', owner)
  const [one, two] = [
    await make.project('one', owner, { namespace: leaf }),
    await make.project('two', owner, { namespace: sub }),
  ]
  await setSize(one, 1000)
  await setSize(two, 20)
  const guests = [await server.user('g1'), await server.user('g2'), await server.user('g3')] as const
  for (const guest of guests) await make.member({ project: one }, guest, 10)
  await make.member({ namespace: sub }, guests[0], 10)
  await make.member({ namespace: leaf }, other, 30)
  await expectExact()
  expect(await totalsSeen(top)).toEqual([2, 3, 5])

  // Each of these is compared while it is marked, then counted.
  const steps: Record<string, () => Promise<unknown>> = {
    'a size': () => setSize(one, 3000),
    'a member leaves': () => owner.delete(`/projects/${one.id}/members/${guests[1].id}`),
    'a member leaves a group and what is below it': () => owner.delete(`/groups/${sub.id}/members/${guests[0].id}`),
    'a user is blocked': () => server.root.post(`/users/${guests[2].id}/block`),
    'a user is unblocked': () => server.root.post(`/users/${guests[2].id}/unblock`),
    'a project moves': () => owner.put(`/projects/${one.id}/transfer`, { namespace: away.id }),
    'a group moves': () => owner.post(`/groups/${leaf.id}/transfer`, { group_id: away.id }),
    'a group moves to the top': () => owner.post(`/groups/${sub.id}/transfer`),
    'a project is hidden': () =>
      write((tx) => tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', one.id).execute()),
    'a project is shown again': () =>
      write((tx) => tx.updateTable('projects').set({ pending_delete: false }).where('id', '=', one.id).execute()),
    'a project goes': () => write((tx) => tx.deleteFrom('projects').where('id', '=', two.id).execute()),
    'a user goes': () => write((tx) => tx.deleteFrom('users').where('id', '=', guests[2].id).execute()),
  }
  for (const [name, step] of Object.entries(steps)) {
    const { status = 200 } = (await step()) as { status?: number }
    expect([name, status < 300]).toEqual([name, true])
    await expectExact()
  }
  // The owner and the other member: the guests have left, or are gone.
  expect(await totalsSeen(away)).toEqual([1, 2, 2])
  expect(await totalsSeen(top)).toEqual([0, 1, 1])
})

test('a tree that is deleted leaves the totals above it, counted or only marked', async () => {
  const { make } = server
  const top = await make.group('kept', owner)
  for (const isCounted of [true, false]) {
    const sub = await make.group('gone', owner, { parent: top })
    const leaf = await make.group('leaf', owner, { parent: sub })
    await make.member({ namespace: leaf }, other, 30)
    await make.project('thing', owner, { namespace: leaf })
    if (isCounted) await count()
    await write((tx) => tx.deleteFrom('projects').where('namespace_id', '=', leaf.id).execute())
    await write((tx) => deleteNamespace(tx, sub.id))
    await expectExact()
    expect(await totalsSeen(top)).toEqual([0, 1, 1])
  }
})

test('writers at once, with a move and the job between them, leave exact totals', async () => {
  const { make } = server
  const [from, to] = [await make.group('from', owner), await make.group('to', owner)]
  const moved = await make.group('moved', owner, { parent: from })
  const project = await make.project('busy', owner, { namespace: moved })
  const people = await Promise.all(Array.from({ length: 6 }, (_, index) => server.user(`w${index}`)))
  const answers = await Promise.all([
    ...people.map((person) => owner.post(`/projects/${project.id}/members`, { user_id: person.id, access_level: 10 })),
    owner.post(`/groups/${moved.id}/transfer`, { group_id: to.id }),
    ...[1, 2, 3].map((index) => setSize(project, index * 100)),
    ...[1, 2].map(count),
    ...people
      .slice(0, 3)
      .map((person) => owner.post(`/groups/${moved.id}/members`, { user_id: person.id, access_level: 10 })),
  ])
  expect(answers.flatMap((answer) => (answer instanceof Object && 'status' in answer ? [answer.status] : []))).toEqual(
    Array.from({ length: 10 }, () => 201),
  )
  await expectExact()
  expect(await totalsSeen(to)).toEqual([1, 4, 7])
  expect(await totalsSeen(from)).toEqual([0, 1, 1])
})

test('a total that differs is reported, and a page of totals takes a fixed number of queries', async () => {
  const group = await server.make.group('wrong', owner)
  await server.make.project('real', owner, { namespace: group })
  const cost = () => queriesOf(server, () => server.root.get('/namespaces?search=wrong'))
  const marked = await cost()
  await count()
  expect(await cost()).toBe(marked)
  await write((tx) =>
    tx.updateTable('namespace_totals').set({ projects: 7 }).where('namespace_id', '=', group.id).execute(),
  )
  expect(await problems()).toEqual([`namespace ${group.id} has 1 projects, but its total says 7`])
})
