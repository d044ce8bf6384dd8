/** Which projects admit a job, by what is listed in them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Actor, anonymous } from '../../../api/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../tables.ts'
import { asksForListedJobs, reachesOfJob } from './reach.ts'
import {
  listedGroups,
  listedProjects,
  listGroup,
  listing,
  listProject,
  openToJobs,
  setOpenToJobs,
  unlistGroup,
  unlistProject,
} from './store.ts'

let server: TestServer
const projects = {} as Record<'inside' | 'outside' | 'byProject' | 'byGroup' | 'byOther' | 'open', ProjectRow>
const groups = {} as Record<'top' | 'below' | 'beside', { id: number }>
beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.user('owner')
  const { make, app } = server
  const top = await make.group('top', owner)
  const below = await make.group('below', owner, { parent: top })
  Object.assign(groups, { top, below, beside: await make.group('beside', owner) })
  projects.inside = await make.project('inside', owner, { namespace: below })
  for (const name of ['outside', 'byProject', 'byGroup', 'byOther', 'open'] as const) {
    projects[name] = await make.project(name.toLowerCase(), owner)
  }
  const { inside, outside, byProject, byGroup, byOther, open } = projects
  const at = app.platform.clock.now().toISOString()
  await app.platform.database.write(async (tx) => {
    await listProject(tx, { projectId: byProject.id, sourceId: inside.id }, at)
    await listGroup(tx, { projectId: byGroup.id, sourceId: top.id }, at)
    await listProject(tx, { projectId: byOther.id, sourceId: outside.id }, at)
    await listProject(tx, { projectId: byOther.id, sourceId: byGroup.id }, at)
    await listGroup(tx, { projectId: byOther.id, sourceId: groups.beside.id }, at)
    await setOpenToJobs(tx, open.id, true)
    await setOpenToJobs(tx, open.id, true)
    await setOpenToJobs(tx, outside.id, true)
    await setOpenToJobs(tx, outside.id, false)
  })
})
afterAll(() => server.stop())

const read = () => server.app.platform.database.read
const all = () => Object.values(projects)
const named = (ids: Iterable<number>) =>
  [...ids].map((id) => Object.entries(projects).find(([, row]) => row.id === id)?.[0]).toSorted()

test('a job is listed by its project or a group above it, in the projects that are asked for', async () => {
  const { inside, outside, byProject, byGroup, byOther } = projects
  const listed = async (source: ProjectRow, rows = all()) =>
    named(
      await listing(
        read(),
        rows.map(({ id }) => id),
        source.id,
      ),
    )
  expect(await listed(inside)).toEqual(['byGroup', 'byProject'])
  expect(await listed(outside)).toEqual(['byOther'])
  expect(await listed(inside, [byProject])).toEqual(['byProject'])
  expect(await listed(inside, [byGroup])).toEqual(['byGroup'])
  expect(await listed(inside, [byOther])).toEqual([])
  expect(await listedProjects(read(), byOther.id)).toEqual([outside.id, byGroup.id].toSorted((a, b) => a - b))
  expect((await listedGroups(read(), byGroup.id)).map(({ id }) => id)).toEqual([groups.top.id])
})

test('what is taken off one list stays on others', async () => {
  const { inside, open, byProject, byGroup } = projects
  const { database, clock } = server.app.platform
  const [project, group] = [
    { projectId: open.id, sourceId: inside.id },
    { projectId: open.id, sourceId: groups.top.id },
  ]
  await database.write(async (tx) => {
    await listProject(tx, project, clock.now().toISOString())
    await listGroup(tx, group, clock.now().toISOString())
    expect([await unlistProject(tx, project), await unlistGroup(tx, group)]).not.toContain(null)
    expect([await unlistProject(tx, project), await unlistGroup(tx, group)]).toEqual([null, null])
  })
  expect(await listedProjects(read(), open.id)).toEqual([])
  expect(await listedGroups(read(), open.id)).toEqual([])
  expect(await listedProjects(read(), byProject.id)).toEqual([inside.id])
  expect(await listedGroups(read(), byGroup.id)).toHaveLength(1)
})

test('a project is open to all jobs where it says so', async () => {
  const open = async (rows: ProjectRow[]) =>
    named(
      await openToJobs(
        read(),
        rows.map(({ id }) => id),
      ),
    )
  expect(await open(all())).toEqual(['open'])
  expect(await open([projects.outside])).toEqual([])
})

test('a job reaches other projects that list it or are open, while the instance does not demand a list', async () => {
  const { inside, open, byProject } = projects
  const job = (projectId?: number) =>
    ({ kind: 'user', userId: 1, credential: { kind: 'job', id: 1, scopes: new Set(), projectId } }) as unknown as Actor
  const reached = async (caller: Actor) => {
    const reaches = [...(await reachesOfJob(read(), all(), caller))]
    for (const [, { isAdmitted, refusal }] of reaches) expect(refusal === undefined).toBe(isAdmitted)
    return [
      named(reaches.map(([id]) => id)),
      named(reaches.flatMap(([id, { isAdmitted }]) => (isAdmitted ? [id] : []))),
    ]
  }
  const others = ['byGroup', 'byOther', 'byProject', 'open', 'outside']
  expect(await reached(job(inside.id))).toEqual([others, ['byGroup', 'byProject']])
  expect(await asksForListedJobs(read(), open.id)).toBe(true)
  const setting = 'enforce_ci_inbound_job_token_scope_enabled'
  await server.root.put('/application/settings', { [setting]: false })
  expect(await reached(job(inside.id))).toEqual([others, ['byGroup', 'byProject', 'open']])
  expect(await asksForListedJobs(read(), open.id)).toBe(false)
  expect(await asksForListedJobs(read(), byProject.id)).toBe(true)
  await server.root.put('/application/settings', { [setting]: true })
  for (const caller of [job(), anonymous]) expect(await reached(caller)).toEqual([[], []])
  const [refusal] = [...(await reachesOfJob(read(), [open], job(inside.id))).values()].map((reach) => reach.refusal)
  expect(refusal).toBe('Authentication by CI/CD job token not allowed from inside to open.')
})
