import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let maintainer: Person

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  maintainer = await server.user('maintainer')
})
afterAll(() => server.stop())

const levels = async (projectId: number) => {
  const { body } = await owner.get(`/projects/${projectId}/members`)
  const rows = body as { username: string; access_level: number; expires_at: string | null }[]
  return Object.fromEntries(rows.map((row) => [row.username, [row.access_level, row.expires_at]]))
}
const importInto = (person: Person, target: number, source: number | string) =>
  person.post(`/projects/${target}/import_project_members/${source}`)

test('the members of another project become members, no higher than the caller', async () => {
  const [source, target] = [await server.make.project('from', owner), await server.make.project('to', owner)]
  const [one, two, both, gone] = await Promise.all(['one', 'two', 'both', 'gone'].map((name) => server.user(name)))
  const join = (id: number, person: Person | undefined, level: number, expires_at?: string) =>
    owner.post(`/projects/${id}/members`, { user_id: person?.id, access_level: level, expires_at })
  await join(source.id, one, 30, '2999-01-01')
  await join(source.id, two, 50)
  await join(source.id, both, 40)
  await join(source.id, gone, 30)
  await server.app.platform.database.write((tx) =>
    tx
      .updateTable('members')
      .set({ expires_at: '2001-01-01' })
      .where('user_id', '=', gone?.id ?? 0)
      .execute(),
  )
  await join(target.id, both, 10)
  for (const { id } of [source, target]) await join(id, maintainer, 40)
  const answer = await importInto(maintainer, target.id, source.id)
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: { status: 'success' } })
  expect(await levels(target.id)).toEqual({
    owner: [50, null],
    maintainer: [40, null],
    one: [30, '2999-01-01'],
    two: [40, null],
    both: [10, null],
  })
  expect((await importInto(maintainer, target.id, source.id)).body).toEqual({ status: 'success' })
})

test('is refused for projects that the caller cannot see or manage', async () => {
  const target = await server.make.project('mine', maintainer)
  const hidden = await server.make.project('hidden', owner)
  const open = await server.make.project('open', owner, { visibility: 'public' })
  for (const source of [hidden.id, 99999999]) {
    expect(await importInto(maintainer, target.id, source)).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    })
  }
  expect(await importInto(maintainer, target.id, open.id)).toMatchObject({
    status: 403,
    body: { message: '403 Forbidden - Project' },
  })
  expect((await importInto(owner, target.id, open.id)).status).toBe(404)
})
