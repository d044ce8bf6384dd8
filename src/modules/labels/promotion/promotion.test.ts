import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { makeLabel } from '../testing.ts'

let server: TestServer
let owner: Person
let group: NamespaceRow
let project: ProjectRow
let merged: { labelIds: readonly number[]; intoId: number }[]

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  const reactions = server.app.platform.reactions['labels.merged'] as unknown as unknown[]
  reactions.push(async (_platform: unknown, _tx: unknown, payload: (typeof merged)[number]) => {
    merged.push(payload)
  })
})
afterAll(() => {
  const reactions = server.app.platform.reactions['labels.merged'] as unknown as unknown[]
  reactions.pop()
  return server.stop()
})

let made = 0
beforeEach(async () => {
  made += 1
  merged = []
  group = await server.make.group(`group${made}`, owner)
  project = await server.make.project('demo', owner, { namespace: group })
})

const promote = (key: string | number, of = project, person = owner) =>
  person.put(`/projects/${of.id}/labels/${key}/promote`)
const read = async (of: ProjectRow, name: string) => (await owner.get(`/projects/${of.id}/labels/${name}`)).body

describe('a label of a project', () => {
  test('becomes one of the group, without a word about labels of that name elsewhere', async () => {
    const label = await makeLabel(server, { project }, 'bug', { color: '#ff0000', description: 'd' })
    await owner.put(`/projects/${project.id}/labels/bug`, { priority: 4 })
    const elsewhere = await server.make.project(`elsewhere${made}`, owner)
    const untouched = await makeLabel(server, { project: elsewhere }, 'bug')
    const answer = await promote('bug')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      id: label.id,
      ...{ name: 'bug', description: 'd', description_html: '<p>d</p>\n' },
      ...{ color: '#ff0000', text_color: '#FFFFFF', subscribed: false },
    })
    expect((await owner.get(`/groups/${group.id}/labels`)).body).toEqual([answer.body])
    expect(await read(project, 'bug')).toMatchObject({ is_project_label: false, priority: 4 })
    expect((await read(elsewhere, 'bug')).id).toBe(untouched.id)
    expect(merged).toEqual([])
  })

  test('is merged with those of its name in the projects below the group', async () => {
    const below = await server.make.group('below', owner, { parent: group })
    const [second, third] = [
      await server.make.project('second', owner, { namespace: group }),
      await server.make.project('third', owner, { namespace: below }),
    ]
    const label = await makeLabel(server, { project }, 'bug')
    const others = [
      await makeLabel(server, { project: second }, 'bug'),
      await makeLabel(server, { project: third }, 'bug'),
    ]
    await owner.put(`/projects/${second.id}/labels/bug`, { priority: 2 })
    const fan = await server.user(`fan${made}`)
    await server.make.member({ project: third }, fan, 10)
    await fan.post(`/projects/${third.id}/labels/bug/subscribe`)
    expect((await promote(label.id)).body.id).toBe(label.id)
    expect(merged).toEqual([{ labelIds: others.map(({ id }) => id), intoId: label.id }])
    expect(await read(second, 'bug')).toMatchObject({ id: label.id, priority: 2 })
    expect(await read(third, 'bug')).toMatchObject({ id: label.id, priority: null })
    expect((await fan.get(`/projects/${third.id}/labels/bug`)).body.subscribed).toBe(true)
    expect((await owner.get(`/projects/${second.id}/labels/${others[0]?.id}`)).status).toBe(404)
  })

  test('is merged into that of the group', async () => {
    const label = await makeLabel(server, { project }, 'bug')
    const existing = await makeLabel(server, { group }, 'bug', { color: '#111111' })
    const second = await server.make.project('second', owner, { namespace: group })
    const other = await makeLabel(server, { project: second }, 'bug')
    const priorities = [
      { project_id: project.id, label_id: existing.id, priority: 8 },
      { project_id: project.id, label_id: label.id, priority: 3 },
      { project_id: second.id, label_id: other.id, priority: 5 },
    ]
    await server.app.platform.database.write((tx) => tx.insertInto('label_priorities').values(priorities).execute())
    expect((await promote('bug')).body).toMatchObject({ id: existing.id, color: '#111111' })
    // The priority that it has already stays.
    expect([(await read(project, 'bug')).priority, (await read(second, 'bug')).priority]).toEqual([8, 5])
    expect(merged).toEqual([{ labelIds: [label.id, other.id], intoId: existing.id }])
  })

  test('is promoted once', async () => {
    const second = await server.make.project('second', owner, { namespace: group })
    await makeLabel(server, { project }, 'bug')
    await makeLabel(server, { project: second }, 'bug')
    const creation = () => owner.post(`/groups/${group.id}/labels`, { name: 'bug', color: 'red' })
    const answers = await Promise.all([promote('bug'), promote('bug', second), creation(), promote('bug')])
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect((await owner.get(`/groups/${group.id}/labels`)).body).toHaveLength(1)
    for (const one of [project, second]) expect((await read(one, 'bug')).is_project_label).toBe(false)
  })

  test('is promoted by its name in a parameter as well', async () => {
    await makeLabel(server, { project }, 'bug')
    const path = `/projects/${project.id}/labels/promote`
    expect((await owner.put(path)).body.error).toBe('name is missing')
    expect(await owner.put(path, { name: 'nope' })).toMatchObject({ status: 404 })
    expect(await owner.put(path, { name: 'bug' })).toMatchObject({ status: 200, body: { name: 'bug' } })
  })

  test('needs a group, and the role in it', async () => {
    const own = await server.make.project(`own${made}`, owner)
    await makeLabel(server, { project: own }, 'bug')
    expect(await promote('bug', own)).toMatchObject({
      status: 400,
      body: { message: 'Failed to promote project label to group label' },
    })
    const maintainer = await server.user(`maintainer${made}`)
    await server.make.member({ project }, maintainer, 40)
    await makeLabel(server, { project }, 'bug')
    expect(await promote('bug', project, maintainer)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    for (const [key, of] of [
      ['nope', project],
      ['nope', own],
    ] as const) {
      expect(await promote(key, of)).toMatchObject({ status: 404, body: { message: '404 Label Not Found' } })
    }
    await makeLabel(server, { group }, 'inherited')
    expect((await promote('inherited')).status).toBe(404)
  })
})
