import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  projectWithTwoCommits,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { exportedArchive, filesOf, imported, type Line, linesIn } from '../testing.ts'
import { fillProject, largeFileOid } from './world-testing.ts'

let server: TestServer
let people: People
let place: string
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  const { project } = await projectWithTwoCommits(server, { people, path: 'whole' })
  place = `/projects/${project.id}`
  const settings = { project_export_limit: 0, project_download_export_limit: 0, project_import_limit: 0 }
  await server.root.put('/application/settings', settings)
})
afterAll(() => server.stop())

/** Members of lines that are of the server or of the export, and none of what is exported. */
const own = new Set(['project_id', 'source_project_id', 'target_project_id', 'discussion_id', 'next_run_at', 'events'])

/** Relations of one line that has the times of the project. */
const ofProject = new Set(['auto_devops', 'container_expiration_policy', 'project_feature', 'security_setting'])

function plain(value: Line): Line {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (own.has(key) ? [] : [[key, plain(member)]])),
  )
}

test('a project that is exported and imported has the same lines', async () => {
  await fillProject({ server, people, place })
  const archive = await exportedArchive(server, server.root, place)
  const state = await imported(server, server.root, archive, { path: 'again', namespace: 'owner' })
  expect(state).toMatchObject({ import_status: 'finished', import_error: null, failed_relations: [] })
  const before = filesOf(archive)
  const after = filesOf(await exportedArchive(server, server.root, `/projects/${state.id}`))
  const relations = [...before.keys()].flatMap((path) => /^tree\/project\/(\w+)\.ndjson$/.exec(path)?.[1] ?? [])
  expect(relations.length).toBeGreaterThan(20)
  for (const relation of relations) {
    // The importer owns the schedules.
    if (relation === 'user_contributions') continue
    const [was = [], is = []] = [before, after].map((files) => linesIn(files, relation).map(plain))
    if (relation === 'pipeline_schedules') for (const line of was) Object.assign(line, { active: false, owner_id: 1 })
    if (ofProject.has(relation))
      for (const line of [...was, ...is]) Object.assign(line, { created_at: 0, updated_at: 0 })
    // The owner of the namespace is a member from the beginning.
    if (relation === 'project_members') for (const lines of [was, is]) Object.assign(lines[0], { created_at: 0 })
    expect(is, relation).toEqual(was)
  }
  expect(JSON.parse(String(after.get('tree/project.json')))).toEqual(
    JSON.parse(String(before.get('tree/project.json'))),
  )
  const contents = (files: ReadonlyMap<string, Buffer>) =>
    [...files]
      .filter(([path]) => /^(?:uploads|lfs-objects)/.test(path))
      .map(([path, bytes]) => [path, bytes.toString()])
  expect(contents(after)).toEqual(contents(before))
  expect(contents(after).map(([path]) => path)).toContain(`lfs-objects/${largeFileOid}`)
})
