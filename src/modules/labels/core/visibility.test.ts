import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Client,
  makePeople,
  type People,
  projectWithTwoCommits,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

type Levels = Partial<Record<'visibility' | 'issues' | 'merge_requests' | 'repository', string>>

/** Who reads the labels and milestones of a project, by the levels of its features: `yes`, or the status. */
const cases: readonly [Levels, Record<'guest' | 'reporter' | 'stranger', 'yes' | 404>][] = [
  [{ visibility: 'public' }, { guest: 'yes', reporter: 'yes', stranger: 'yes' }],
  [
    { visibility: 'public', issues: 'private' },
    { guest: 'yes', reporter: 'yes', stranger: 'yes' },
  ],
  [
    { visibility: 'public', issues: 'private', merge_requests: 'private' },
    { guest: 'yes', reporter: 'yes', stranger: 404 },
  ],
  [
    { visibility: 'public', issues: 'disabled', repository: 'private' },
    { guest: 'yes', reporter: 'yes', stranger: 404 },
  ],
  [
    { visibility: 'public', issues: 'disabled', merge_requests: 'disabled' },
    { guest: 404, reporter: 404, stranger: 404 },
  ],
  [
    { visibility: 'public', issues: 'disabled', repository: 'disabled' },
    { guest: 404, reporter: 404, stranger: 404 },
  ],
  [
    { visibility: 'private', issues: 'disabled' },
    { guest: 404, reporter: 'yes', stranger: 404 },
  ],
  [
    { visibility: 'private', issues: 'private' },
    { guest: 'yes', reporter: 'yes', stranger: 404 },
  ],
]

test.each(cases)('labels and milestones are visible with issues or merge requests: %j', async (levels, expected) => {
  const { visibility, ...features } = levels
  const namespace = await server.make.group(`g${cases.findIndex(([one]) => one === levels)}`, people.owner, {
    visibility: visibility as 'public',
  })
  await using own = await projectWithTwoCommits(server, {
    people,
    path: 'p',
    namespace,
    visibility: visibility as 'public',
  })
  const at = own.base
  await server.make.member({ namespace }, people.guest, 10)
  await server.make.member({ namespace }, people.reporter, 20)
  await people.owner.post(`${at}/labels`, { name: 'own', color: '#112233' })
  const { body: milestone } = await people.owner.post(`${at}/milestones`, { title: 'own' })
  await people.owner.post(`${at}/releases`, { tag_name: 'v1', ref: 'main', milestones: ['own'] })
  const settings = Object.entries(features).map(([name, level]) => [`${name}_access_level`, level])
  expect((await people.owner.put(at, { description: 'x', ...Object.fromEntries(settings) })).status).toBe(200)
  const stranger = await server.user(`stranger-${namespace.id}`)
  const readers: [Client, 'yes' | 404][] = [
    [people.guest, expected.guest],
    [people.reporter, expected.reporter],
    [stranger, expected.stranger],
  ]
  for (const [reader, wanted] of readers) {
    const statuses = []
    for (const path of ['labels', 'labels/own', 'milestones', `milestones/${milestone.id}`]) {
      statuses.push((await reader.get(`${at}/${path}`)).status)
    }
    const seen = wanted === 'yes' ? 200 : 404
    expect(statuses).toEqual([seen, seen, seen, seen])
    const ofGroup = await reader.get(`/groups/${namespace.id}/labels?only_group_labels=false`)
    const titles = ofGroup.status === 200 ? ofGroup.body.map(({ name }: { name: string }) => name) : []
    expect(titles).toEqual(wanted === 'yes' ? ['own'] : [])
    const release = await reader.get(`${at}/releases/v1`)
    if (release.status === 200) expect(release.body.milestones ?? []).toHaveLength(wanted === 'yes' ? 1 : 0)
  }
  const written = await people.reporter.post(`${at}/labels`, { name: 'new', color: '#112233' })
  expect(written.status).toBe(expected.reporter === 'yes' ? 201 : 404)
})
