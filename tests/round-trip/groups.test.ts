/** An imported group answers as the exported one: every operation that reads, but for what an archive does not carry (contract 25, 8). */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { formOf } from '../../src/modules/project-archives/testing.ts'
import { bytesAt, makePeople, type People, startTestServer, type TestServer } from '../../src/testing/index.ts'
import { type Allowed, addPublicMembers, asExported, compare, readPlace, showingNothing } from './comparing.ts'
import { fillGroup } from './group-world.ts'

// Some hundred requests, some of which start git.
vi.setConfig({ testTimeout: 300_000 })

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  const limits = ['group_export_limit', 'group_import_limit', 'group_download_export_limit'].map((name) => [name, 0])
  await server.root.put('/application/settings', Object.fromEntries(limits))
  people = await makePeople(server)
})
afterAll(() => server.stop())

const allowed: Allowed = [
  [/ imported(_from)?$/, 'rows say that they were imported'],
  [/^group_import\.get value import_status$/, 'one of them was imported'],
  [/^group_export\./, 'one of them was exported'],
  [/^(groups\.\w+|group_import\.get) value created_at$/, 'the groups are new'],
  [/^(group|billable)_members\.\w+ value created_at$/, 'the importer is a member since the group was made'],
  [/^group_audit_events\./, 'not in archives'],
  [/^group_custom_attributes\./, 'not in archives of groups'],
  [/_discussions\.(list|get) value id$/, 'new ids'],
]

/** Operations that show what archives carry. */
const shown = [
  ...['groups.subgroups', 'group_members.list', 'group_labels.list', 'group_milestones.list', 'group_badges.list'],
  ...['group_boards.list', 'group_board_lists.list', 'group_wikis.list', 'group_wikis.versions'],
  ...['iteration_cadences.list', 'group_iterations.list', 'epics.list', 'epic_notes.list', 'epic_discussions.list'],
  ...['epic_awards.list', 'epic_note_awards.list', 'epic_label_events.list', 'epic_state_events.list'],
  ...['epic_children.list', 'epic_links.list', 'epic_links.all'],
]

test('an imported group answers what the exported one answers', async () => {
  const { body: group } = await people.owner.post('/groups', { name: 'whole', path: 'whole' })
  const at = `/groups/${group.id}`
  await addPublicMembers(server, people, at)
  await fillGroup(server, people, at)
  await people.owner.post(`${at}/export`)
  await server.app.platform.jobs.drain()
  const { bytes } = await bytesAt(people.owner, `${at}/export/download`)
  await people.owner.post('/groups/import', formOf(bytes, { path: 'again', name: 'again' }))
  await server.app.platform.jobs.drain()
  const { body: state } = await people.owner.get('/groups/again/import')
  expect(state).toMatchObject({ import_status: 'finished', import_error: null })
  const [was, is] = [await readPlace(server, 'group', 'whole'), await readPlace(server, 'group', 'again')]
  expect(showingNothing(was, shown)).toEqual([])
  expect(compare(was, is, allowed)).toEqual(asExported)
})
