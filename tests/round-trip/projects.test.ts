/** An imported project answers as the exported one: every operation that reads, but for what an archive does not carry (contract 25, 8). */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fillProject } from '../../src/modules/project-archives/importing/world-testing.ts'
import { exportedArchive, imported } from '../../src/modules/project-archives/testing.ts'
import { makePeople, projectWithTwoCommits, startTestServer, type TestServer } from '../../src/testing/index.ts'
import { asExported, compare, readPlace, showingNothing } from './comparing.ts'
import { mayDifferInProjects } from './reasons.ts'

// Some thousand requests, many of which start git.
vi.setConfig({ testTimeout: 300_000 })

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  const settings = { project_export_limit: 0, project_download_export_limit: 0, project_import_limit: 0 }
  await server.root.put('/application/settings', settings)
})
afterAll(() => server.stop())

/** Operations that show what archives carry. */
const shown = [
  ...['branches.list', 'tags.list', 'commits.list', 'commits.comments', 'commits.statuses', 'project_wikis.list'],
  ...['project_labels.list', 'project_milestones.list', 'project_boards.list', 'project_badges.list'],
  ...[
    'project_issues.list',
    'issue_notes.list',
    'issue_discussions.list',
    'issue_awards.list',
    'issue_note_awards.list',
  ],
  ...['issue_label_events.list', 'issue_milestone_events.list', 'issue_state_events.list', 'issue_weight_events.list'],
  ...[
    'project_merge_requests.list',
    'merge_request_discussions.list',
    'merge_request_awards.list',
    'merge_request_reviewers.list',
  ],
  ...['project_snippets.list', 'snippet_notes.list', 'snippet_awards.list', 'releases.list', 'release_links.list'],
  ...['pipelines.list', 'pipeline_schedules.list', 'protected_branches.list', 'protected_tags.list'],
  ...['protected_environments.list', 'project_push_rules.get', 'approval_rules.list', 'project_members.list'],
  ...['project_custom_attributes.list', 'project_uploads.list'],
]

test('an imported project answers what the exported one answers', async () => {
  const people = await makePeople(server)
  const { project } = await projectWithTwoCommits(server, { people, path: 'whole' })
  const place = `/projects/${project.id}`
  await fillProject({ server, people, place })
  const archive = await exportedArchive(server, server.root, place)
  const state = await imported(server, server.root, archive, { path: 'again', namespace: 'owner' })
  expect(state).toMatchObject({ import_status: 'finished', import_error: null, failed_relations: [] })
  const [was, is] = [await readPlace(server, 'project', project.id), await readPlace(server, 'project', state.id)]
  expect(showingNothing(was, shown)).toEqual([])
  expect(compare(was, is, mayDifferInProjects)).toEqual(asExported)
})
