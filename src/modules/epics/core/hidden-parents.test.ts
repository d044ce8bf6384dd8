import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePeople, type People, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'

let server: TestServer
let people: People
/** Plans in the private group `hidden/inner` only; sees nothing of `hidden`. */
let planner: Person
let inner: NamespaceRow
let outer: NamespaceRow

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  outer = await server.make.group('hidden', people.owner)
  inner = await server.make.group('inner', people.owner, { parent: outer, visibility: 'private' })
  planner = await server.user('inner-planner')
  await server.make.member({ namespace: inner }, planner, 15)
})
afterAll(() => server.stop())

const epicsOf = ({ id }: NamespaceRow) => `/groups/${id}/epics`
const made = async (person: Person, group: NamespaceRow, values: object = {}) => {
  const { status, body } = await person.post(epicsOf(group), { title: 'An epic', ...values })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** A group beside `inner`, which the planner cannot see. */
const besides = (path: string) => server.make.group(path, people.owner, { parent: outer })

describe('an epic that the caller cannot see', () => {
  test('is no parent: the answer is that for an id of no epic, and nothing changes', async () => {
    const beside = await besides('beside')
    const far = await made(people.owner, beside)
    const own = await made(planner, inner)
    const dates = { start_date_fixed: '2030-01-01', start_date_is_fixed: true }
    for (const parent_id of [far.id, 99_999]) {
      const refusal = { status: 400, body: { message: { parent: ['must be an epic in the same tree of groups'] } } }
      expect(await planner.post(epicsOf(inner), { title: 'x', parent_id, ...dates })).toMatchObject(refusal)
      expect(await planner.put(`${epicsOf(inner)}/${own.iid}`, { parent_id, ...dates })).toMatchObject(refusal)
    }
    expect((await people.owner.get(`${epicsOf(beside)}/${far.iid}`)).body.start_date).toBeNull()
  })

  test('is no parent either where it is visible and the caller has no role in its group', async () => {
    const top = await server.make.group('open', people.owner, { visibility: 'public' })
    const below = await server.make.group('below', people.owner, { parent: top, visibility: 'public' })
    await server.make.member({ namespace: below }, planner, 15)
    const above = await made(people.owner, top)
    expect((await planner.get(`${epicsOf(top)}/${above.iid}`)).status).toBe(200)
    expect((await planner.post(epicsOf(below), { title: 'x', parent_id: above.id })).status).toBe(400)
    await server.make.member({ namespace: top }, planner, 10)
    expect((await planner.post(epicsOf(below), { title: 'x', parent_id: above.id })).status).toBe(201)
  })

  test('is not shown as the parent, in no answer', async () => {
    const hidden = await made(people.owner, await besides('above'))
    const child = await made(people.owner, inner, { parent_id: hidden.id })
    expect(child).toMatchObject({ parent_id: hidden.id, parent_iid: hidden.iid })
    const path = `${epicsOf(inner)}/${child.iid}`
    const issue = await issueIn(people.owner, inner, 'p1')
    const listed = (await planner.get(epicsOf(inner))).body.find(({ id }: { id: number }) => id === child.id)
    const linked = (await planner.post(`${path}/issues/${issue.id}`)).body.epic
    const changed = (await planner.put(path, { title: 'Changed' })).body
    for (const shown of [(await planner.get(path)).body, listed, linked, changed]) {
      expect(shown).toMatchObject({ parent_id: null, parent_iid: null, _links: { parent: null } })
    }
    expect((await people.owner.get(path)).body.parent_id).toBe(hidden.id)
  })

  test('is not shown where it is confidential, in a public group', async () => {
    const top = await server.make.group('revealed', people.owner, { visibility: 'public' })
    const secret = await made(people.owner, top, { confidential: true })
    const child = await made(people.owner, top, { parent_id: secret.id })
    const path = `${epicsOf(top)}/${child.iid}`
    expect((await planner.get(path)).body).toMatchObject({ parent_id: null, _links: { parent: null } })
    expect((await people.owner.get(path)).body).toMatchObject({ parent_id: secret.id })
  })
})

/** An issue of a new project in a group. */
async function issueIn(person: Person, namespace: NamespaceRow, path: string, values: object = {}) {
  const project = await server.make.project(path, people.owner, { namespace })
  return (await person.post(`/projects/${project.id}/issues`, { title: 'An issue', ...values })).body
}

describe('a confidential epic', () => {
  const text =
    'Cannot assign a non-confidential issue to a confidential epic. Make the issue confidential and try again'
  const refused = { status: 422, body: { message: text } }

  test('takes confidential issues only, by each way', async () => {
    const epic = await made(planner, inner, { confidential: true })
    const path = `${epicsOf(inner)}/${epic.iid}`
    const open = await issueIn(planner, inner, 'p2')
    const issues = `/projects/${open.project_id}/issues`
    expect(await planner.post(`${path}/issues/${open.id}`)).toMatchObject(refused)
    expect(await planner.put(`${issues}/${open.iid}`, { epic_id: epic.id })).toMatchObject(refused)
    expect(await planner.post(issues, { title: 'x', epic_id: epic.id })).toMatchObject(refused)
    expect((await planner.get(`${path}/issues`)).body).toEqual([])
    const secret = (await planner.post(issues, { title: 'x', epic_id: epic.id, confidential: true })).body
    expect(secret.epic.id).toBe(epic.id)
    expect((await planner.put(`${issues}/${open.iid}`, { epic_id: epic.id, confidential: true })).status).toBe(200)
    expect((await planner.get(`${path}/issues`)).body).toHaveLength(2)
    const opened = await planner.put(`${issues}/${secret.iid}`, { confidential: false })
    expect([opened.status, opened.body]).toEqual([
      400,
      { message: { issue: ['Cannot set confidential epic for a non-confidential issue'] } },
    ])
    expect((await planner.put(`${issues}/${secret.iid}`, { confidential: false, epic_id: 0 })).status).toBe(200)
  })

  test('has none that is public when it becomes one', async () => {
    const epic = await made(planner, inner)
    const path = `${epicsOf(inner)}/${epic.iid}`
    const open = await issueIn(planner, inner, 'p3')
    expect((await planner.post(`${path}/issues/${open.id}`)).status).toBe(201)
    const closed = await planner.put(path, { confidential: true })
    const message = { confidential: ['cannot be set when there are non-confidential issues'] }
    expect([closed.status, closed.body]).toEqual([400, { message }])
    await planner.put(`/projects/${open.project_id}/issues/${open.iid}`, { confidential: true })
    expect((await planner.put(path, { confidential: true })).body.confidential).toBe(true)
  })
})

test('an issue of an epic is moved beside one that the caller can read', async () => {
  const epic = await made(people.owner, inner)
  const path = `${epicsOf(inner)}/${epic.iid}/issues`
  const project = await server.make.project('p4', people.owner, { namespace: inner })
  await server.make.member({ project }, planner, 15)
  const elsewhere = await server.make.project('p5', people.owner, { namespace: outer })
  const near = (await people.owner.post(`/projects/${project.id}/issues`, { title: 'near' })).body
  const far = (await people.owner.post(`/projects/${elsewhere.id}/issues`, { title: 'far' })).body
  const own = (await people.owner.post(`${path}/${near.id}`)).body
  const hidden = (await people.owner.post(`${path}/${far.id}`)).body
  for (const target of [hidden.id, 99_999]) {
    for (const side of ['move_after_id', 'move_before_id']) {
      const { status, body } = await planner.put(`${path}/${own.id}`, { [side]: target })
      expect([status, body]).toEqual([404, { message: '404 Not found' }])
    }
  }
})
