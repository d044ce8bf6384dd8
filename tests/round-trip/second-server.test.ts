/** Archives are imported on another server, whose users are known by their addresses, or not at all (contract 25, What an import makes). */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fillProject } from '../../src/modules/project-archives/importing/world-testing.ts'
import { exportedArchive, formOf, imported } from '../../src/modules/project-archives/testing.ts'
import {
  bytesAt,
  makePeople,
  type People,
  type Person,
  projectWithTwoCommits,
  startTestServer,
  type TestServer,
} from '../../src/testing/index.ts'
import { type Allowed, addMembersOf, asExported, compare, readPlace, renamed, showAddresses } from './comparing.ts'
import { fillGroup } from './group-world.ts'
import { mayDifferInGroups, mayDifferInProjects } from './reasons.ts'

// Some thousand requests, many of which start git.
vi.setConfig({ testTimeout: 300_000 })

/** Before the usernames of the people on the second server. */
const prefix = 'their-'

let first: TestServer
let second: TestServer
let people: People
let importer: Person
const settings = Object.fromEntries(
  ['export', 'import', 'download_export'].flatMap((name) =>
    ['project', 'group'].map((kind) => [`${kind}_${name}_limit`, 0]),
  ),
)
beforeAll(async () => {
  first = await startTestServer()
  second = await startTestServer({ isOwn: true })
  for (const { root } of [first, second]) await root.put('/application/settings', settings)
  people = await makePeople(first)
  await showAddresses(first, people)
  // Ids are other ones, too.
  await second.user('somebody')
  for (const { username } of Object.values(people)) {
    const person = await second.user(`${prefix}${username}`)
    const changes = { email: `${username}@example.com`, name: `${username} person`, skip_reconfirmation: true }
    await second.root.put(`/users/${person.id}`, { ...changes, public_email: changes.email })
    if (username === people.owner.username) importer = person
  }
})
afterAll(async () => {
  await second.stop()
  await first.stop()
})

/** What the second server answers, with the usernames of the first one. */
const readSecond = async (kind: 'project' | 'group', key: number | string) =>
  renamed(await readPlace(second, kind, key), prefix, '')

test('a project', async () => {
  const { project } = await projectWithTwoCommits(first, { people, path: 'work' })
  const place = `/projects/${project.id}`
  await fillProject({ server: first, people, place })
  const archive = await exportedArchive(first, first.root, place)
  const state = await imported(second, second.root, archive, { path: 'away', namespace: importer.username })
  expect(state).toMatchObject({ import_status: 'finished', import_error: null, failed_relations: [] })
  const [was, is] = [await readPlace(first, 'project', project.id), await readSecond('project', state.id)]
  expect(compare(was, is, mayDifferInProjects)).toEqual(asExported)
})

/** Brings a group to the second server. */
async function bring(path: string): Promise<void> {
  await people.owner.post(`/groups/${path}/export`)
  await first.app.platform.jobs.drain()
  const { bytes } = await bytesAt(people.owner, `/groups/${path}/export/download`)
  await importer.post('/groups/import', formOf(bytes, { path, name: path }))
  await second.app.platform.jobs.drain()
  const { body } = await importer.get(`/groups/${path}/import`)
  expect(body).toMatchObject({ import_status: 'finished', import_error: null })
}

test('a group', async () => {
  const { body: group } = await people.owner.post('/groups', { name: 'whole', path: 'whole' })
  await addMembersOf(people, `/groups/${group.id}`)
  await fillGroup(first, people, `/groups/${group.id}`)
  await bring('whole')
  const [was, is] = [await readPlace(first, 'group', 'whole'), await readSecond('group', 'whole')]
  const allowed: Allowed = [...mayDifferInGroups, [/ last_activity_on$/, 'only the importer was active there']]
  expect(compare(was, is, allowed)).toEqual(asExported)
})

test('what people wrote who are unknown there is of the importer, and says who it was', async () => {
  const stranger = await first.user('stranger')
  const { body: group } = await people.owner.post('/groups', { name: 'strange', path: 'strange' })
  await people.owner.post(`/groups/${group.id}/members`, { user_id: stranger.id, access_level: 30 })
  const { body: epic } = await stranger.post(`/groups/${group.id}/epics`, { title: 'Strange', description: 'Odd' })
  await stranger.post(`/groups/${group.id}/epics/${epic.id}/notes`, { body: 'Odder' })
  await stranger.post(`/groups/${group.id}/epics/${epic.iid}/award_emoji`, { name: 'tada' })
  await bring('strange')
  const [found] = (await importer.get('/groups/strange/epics')).body
  const author = { username: importer.username }
  const note = /^\*By stranger person on [\dT:-]+ \(imported from GitLab\)\*\n\nOdd/
  expect(found).toMatchObject({ author, description: expect.stringMatching(note), upvotes: 0 })
  const { body: notes } = await importer.get(`/groups/strange/epics/${found.id}/notes`)
  expect(notes).toMatchObject([{ author, body: expect.stringMatching(note) }])
  expect((await importer.get(`/groups/strange/epics/${found.iid}/award_emoji`)).body).toEqual([])
  const { body: members } = await importer.get('/groups/strange/members')
  expect(members).toMatchObject([{ username: importer.username, access_level: 50 }])
})
