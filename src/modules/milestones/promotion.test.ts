import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { makeMilestone } from './testing.ts'

type Merged = { milestoneIds: readonly number[]; intoId: number }

let server: TestServer
let owner: Person
let group: NamespaceRow
let project: ProjectRow
let merged: Merged[]

const reactions = () => server.app.platform.reactions['milestones.merged'] as unknown as unknown[]

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  reactions().push(async (_platform: unknown, _tx: unknown, payload: Merged) => {
    merged.push(payload)
  })
})
afterAll(() => {
  reactions().pop()
  return server.stop()
})

let made = 0
beforeEach(async () => {
  made += 1
  merged = []
  group = await server.make.group(`group${made}`, owner)
  project = await server.make.project('demo', owner, { namespace: group })
})

const promote = (id: number, of = project, person = owner) => person.post(`/projects/${of.id}/milestones/${id}/promote`)

describe('a milestone of a project', () => {
  test('becomes one of the group', async () => {
    await makeMilestone(server, { group }, 'first')
    const { id } = await makeMilestone(server, { project }, 'v1', { due_date: '2026-05-01', state: 'closed' })
    const answer = await promote(id)
    expect(answer).toMatchObject({ status: 200, body: { id, iid: 2, group_id: group.id, state: 'closed' } })
    expect(answer.body).not.toHaveProperty('project_id')
    expect(answer.body.web_url).toBe(`${server.url}/groups/${group.full_path}/-/milestones/2`)
    expect((await owner.get(`/groups/${group.id}/milestones/${id}`)).body).toEqual(answer.body)
    expect((await owner.get(`/projects/${project.id}/milestones`)).body).toEqual([])
    expect(await promote(id)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect(merged).toEqual([])
  })

  test('is merged with those of its title in the projects below the group', async () => {
    const below = await server.make.group('below', owner, { parent: group })
    const others = await Promise.all(
      [group, below].map(async (namespace, index) => {
        const other = await server.make.project(`other${index}`, owner, { namespace })
        return { other, ...(await makeMilestone(server, { project: other }, 'v1')) }
      }),
    )
    const { id } = await makeMilestone(server, { project }, 'v1')
    // The last is of the group below, which would get the milestone if its promotion came first.
    const [above, lower] = others.map((one) => () => promote(one.id, one.other))
    const answers = await Promise.all([promote(id), promote(id), above?.()])
    expect(answers.map((answer) => answer?.status).toSorted()).toEqual([200, 404, 404])
    expect(await lower?.()).toMatchObject({ status: 404 })
    const [listed] = (await owner.get(`/groups/${group.id}/milestones?include_descendants=true`)).body
    expect(merged).toHaveLength(1)
    expect(merged[0]?.intoId).toBe(listed.id)
    expect([...(merged[0]?.milestoneIds ?? []), listed.id].toSorted()).toEqual(
      [id, ...others.map((one) => one.id)].toSorted(),
    )
    for (const { other } of others) expect((await owner.get(`/projects/${other.id}/milestones`)).body).toEqual([])
  })

  test('is merged into that of the group, where a transfer has brought them together', async () => {
    const { id } = await makeMilestone(server, { project }, 'v1')
    const existing = await makeMilestone(server, { group }, 'v1')
    expect((await promote(id)).body).toMatchObject({ id: existing.id, iid: 1 })
    expect(merged).toEqual([{ milestoneIds: [id], intoId: existing.id }])
  })

  test('needs a group, and the role in it', async () => {
    const own = await server.make.project(`own${made}`, owner)
    const { id } = await makeMilestone(server, { project: own }, 'v1')
    expect(await promote(id, own)).toMatchObject({
      status: 400,
      body: { message: 'Project does not belong to a group.' },
    })
    expect((await promote(id)).status).toBe(404)
    const maintainer = await server.user(`maintainer${made}`)
    await server.make.member({ project }, maintainer, 40)
    const inGroup = await makeMilestone(server, { project }, 'v1')
    expect(await promote(inGroup.id, project, maintainer)).toMatchObject({ status: 403 })
  })
})
