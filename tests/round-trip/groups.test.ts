/** An imported group answers as the exported one: every operation that reads, but for what an archive does not carry (contract 25, 8). */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { exportedArchive, formOf, imported } from '../../src/modules/project-archives/testing.ts'
import { bytesAt, makePeople, type People, startTestServer, type TestServer } from '../../src/testing/index.ts'
import {
  addMembersOf,
  asExported,
  compare,
  only,
  readPlace,
  renamed,
  showAddresses,
  showingNothing,
} from './comparing.ts'
import { fillGroup } from './group-world.ts'
import { mayDifferInGroups, mayDifferInProjects } from './reasons.ts'

// Some hundred requests, some of which start git.
vi.setConfig({ testTimeout: 300_000 })

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  const limits = ['group_export_limit', 'group_import_limit', 'group_download_export_limit'].map((name) => [name, 0])
  await server.root.put('/application/settings', Object.fromEntries(limits))
  people = await makePeople(server)
  await showAddresses(server, people)
})
afterAll(() => server.stop())

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
  await addMembersOf(people, at)
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
  expect(compare(was, is, mayDifferInGroups)).toEqual(asExported)
})

/** What of a project names rows of the groups above it. */
const ofGroups = ['project_issues.list', 'issue_iteration_events.list', 'project_board_lists.list']

test('an imported project finds the epics, iterations and milestones of an imported group', async () => {
  const { owner, developer } = people
  const { body: above } = await owner.get('/groups/whole')
  const { body: project } = await owner.post('/projects', { name: 'inner', path: 'inner', namespace_id: above.id })
  const at = `/projects/${project.id}`
  const [epic] = (await owner.get('/groups/whole/epics?search=parent')).body
  const [iteration] = (await owner.get('/groups/whole/iterations?search=Sprint')).body
  const [milestone] = (await owner.get('/groups/whole/milestones?title=First')).body
  const { body: issue } = await owner.post(`${at}/issues`, { title: 'Inside', epic_id: epic.id })
  await owner.put(`${at}/issues/${issue.iid}`, { iteration_id: iteration.id, milestone_id: milestone.id })
  const { body: board } = await owner.post(`${at}/boards`, { name: 'Work' })
  for (const list of [{ milestone_id: milestone.id }, { iteration_id: iteration.id }, { assignee_id: developer.id }]) {
    await owner.post(`${at}/boards/${board.id}/lists`, list)
  }
  const archive = await exportedArchive(server, owner, at)
  const state = await imported(server, owner, archive, { path: 'inner', namespace: 'again' })
  expect(state).toMatchObject({ import_status: 'finished', failed_relations: [] })
  const was = await readPlace(server, 'project', project.id)
  const is = renamed(await readPlace(server, 'project', state.id), 'again', 'whole')
  expect(showingNothing(was, ofGroups)).toEqual([])
  const allowed = mayDifferInProjects.slice(0, 1)
  expect(compare(only(was, ofGroups), only(is, ofGroups), allowed)).toEqual(asExported)
})
