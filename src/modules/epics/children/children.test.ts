import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let planner: Person
let guest: Person
let group: Awaited<ReturnType<TestServer['make']['group']>>
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  planner = await server.user('planner')
  guest = await server.user('guest')
})
afterAll(() => server.stop())

let made = 0
beforeEach(async () => {
  made += 1
  group = await server.make.group(`tree${made}`, owner)
  await server.make.member({ namespace: group }, planner, 15)
  await server.make.member({ namespace: group }, guest, 10)
  await epic({ title: 'top' })
})

type Group = { id: number }
const epicsOf = ({ id }: Group) => `/groups/${id}/epics`

/** Makes an epic as the owner. @returns it */
async function epic(values: object = {}, of: Group = group) {
  const { status, body } = await owner.post(epicsOf(of), { title: 'An epic', ...values })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

const path = (iid = 1) => `${epicsOf(group)}/${iid}/epics`
const children = async (person = owner, iid = 1) =>
  (await person.get(path(iid))).body.map(({ id }: { id: number }) => id)
const text = (status: number, message: string) => ({ status, body: { message } })
const noEpic = text(404, 'No matching epic found. Make sure that you are adding a valid epic URL.')
const isAncestor = text(422, 'This epic cannot be added. It is an ancestor of the parent epic.')
const isTooDeep = text(
  422,
  'This epic cannot be added. One or more epics would exceed the maximum depth (7) from its most distant parent.',
)

describe('a child epic', () => {
  test('is created in the group of its parent, by planners', async () => {
    const { status, headers, body } = await planner.post(path(), { title: 'below' })
    expect([status, headers.get('deprecation')]).toEqual([201, 'true'])
    const web = `${server.app.platform.externalUrl}/groups/${group.full_path}/-/epics`
    const top = (await owner.get(`${epicsOf(group)}/1`)).body
    expect(body).toEqual({
      ...{ id: expect.any(Number), iid: 2, title: 'below', group_id: group.id, parent_id: top.id },
      ...{ has_children: false, has_issues: false, reference: '&2', url: `${web}/2` },
      relation_url: `${web}/1/links/${body.id}`,
    })
    expect((await owner.get(`${epicsOf(group)}/2`)).body).toMatchObject({ parent_id: top.id, confidential: false })
    expect(await children(guest)).toEqual([body.id])
    expect((await guest.post(path(), { title: 'x' })).status).toBe(403)
    expect(await planner.post(path())).toMatchObject({ status: 400, body: { error: 'title is missing' } })
    expect((await planner.post(path(), { title: ' ' })).status).toBe(400)
  })

  test('is confidential as its parent unless it says otherwise', async () => {
    await epic({ title: 'secret', confidential: true })
    for (const [given, confidential] of [
      [{}, true],
      [{ confidential: false }, false],
    ] as const) {
      const { body } = await planner.post(path(2), { title: 'x', ...given })
      expect((await owner.get(`${epicsOf(group)}/${body.iid}`)).body.confidential).toBe(confidential)
    }
    expect((await guest.get(path(2))).status).toBe(404)
  })

  test('is added by guests, leaves its former parent, and is taken away', async () => {
    const [one, other] = [await epic(), await epic()]
    expect(await guest.post(`${path()}/${one.id}`)).toMatchObject({ status: 201, body: { id: one.id, parent_iid: 1 } })
    expect(await guest.post(`${path()}/${one.id}`)).toMatchObject(text(409, 'Epic(s) already assigned'))
    expect((await guest.post(`${path(other.iid)}/${one.id}`)).status).toBe(201)
    expect([await children(), await children(owner, other.iid)]).toEqual([[], [one.id]])
    expect(await guest.delete(`${path()}/${one.id}`)).toMatchObject(text(404, '404 Not found'))
    expect(await guest.delete(`${path(other.iid)}/${one.id}`)).toMatchObject({
      ...{ status: 200, body: { id: one.id, parent_id: null } },
    })
    expect(await children(owner, other.iid)).toEqual([])
    expect(await guest.delete(`${path(other.iid)}/${one.id}`)).toMatchObject(text(404, '404 Not found'))
  })

  test('may be of any group in which the caller has a role, and is shown to those who can read it', async () => {
    const far = await server.make.group(`far${made}`, owner)
    const hidden = await epic({ title: 'far' }, far)
    expect(await guest.post(`${path()}/${hidden.id}`)).toMatchObject(noEpic)
    const open = await server.make.group(`open${made}`, owner, { visibility: 'public' })
    expect(await guest.post(`${path()}/${(await epic({}, open)).id}`)).toMatchObject(noEpic)
    const secret = await epic({ confidential: true })
    expect(await guest.post(`${path()}/${secret.id}`)).toMatchObject(noEpic)
    expect(await guest.post(`${path()}/99999999`)).toMatchObject(noEpic)
    expect(await guest.post(`${path()}/x`)).toMatchObject({ status: 400, body: { error: 'child_epic_id is invalid' } })
    for (const { id } of [hidden, secret]) expect((await owner.post(`${path()}/${id}`)).status).toBe(201)
    expect([await children(guest), await children()]).toEqual([[], [hidden.id, secret.id]])
    expect(await guest.delete(`${path()}/${hidden.id}`)).toMatchObject(text(404, '404 Not found'))
    await server.make.member({ namespace: far }, guest, 10)
    expect(await children(guest)).toEqual([hidden.id])
  })

  test('is neither the epic itself nor one above it, and at most on the seventh level', async () => {
    const top = (await owner.get(`${epicsOf(group)}/1`)).body
    const line = [top]
    for (let level = 2; level <= 7; level += 1) {
      const { body } = await planner.post(path(line.at(-1).iid), { title: `level ${level}` })
      line.push(body)
    }
    expect(await guest.post(`${path(1)}/${top.id}`)).toMatchObject(isAncestor)
    expect(await guest.post(`${path(7)}/${top.id}`)).toMatchObject(isAncestor)
    const other = await epic()
    expect(await guest.post(`${path(7)}/${other.id}`)).toMatchObject(isTooDeep)
    expect(await planner.post(path(7), { title: 'x' })).toMatchObject(isTooDeep)
    expect((await guest.post(`${path(6)}/${other.id}`)).status).toBe(201)
    expect(await guest.post(`${path(other.iid)}/${(await epic()).id}`)).toMatchObject(isTooDeep)
  })

  test('makes no circle with another one that is added at once', async () => {
    // Of one group each, so that the two have no group in common.
    type Above = { id: number; iid: number; group_id: number }
    const epics: Above[] = []
    for (const name of ['a', 'b', 'c', 'd']) {
      epics.push(await epic({}, await server.make.group(`circle${made}${name}`, owner)))
    }
    const [a, b, c, d] = epics as [Above, Above, Above, Above]
    const add = (above: Above, child: Above) =>
      owner.post(`${epicsOf({ id: above.group_id })}/${above.iid}/epics/${child.id}`)
    expect([(await add(b, c)).status, (await add(d, a)).status]).toEqual([201, 201])
    const answers = await Promise.all([add(a, b), add(c, d)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422])
  })
})

describe('the order of child epics', () => {
  test('is that of their addition, until they are moved', async () => {
    const ids: number[] = []
    for (const title of ['a', 'b', 'c']) ids.push((await planner.post(path(), { title })).body.id)
    const [a = 0, b = 0, c = 0] = ids
    expect(await children(guest)).toEqual([a, b, c])
    const move = (id: number, places: object) => guest.put(`${path()}/${id}`, places)
    const moved = await move(c, { move_before_id: a })
    expect([moved.status, moved.body.map(({ id }: { id: number }) => id)]).toEqual([200, [c, a, b]])
    await move(c, { move_after_id: a })
    expect(await children()).toEqual([a, c, b])
    await move(a, { move_after_id: b, move_before_id: c })
    expect(await children()).toEqual([c, b, a])
    for (let time = 0; time < 25; time += 1) await move(time % 2 === 0 ? a : b, { move_after_id: c })
    expect(await children()).toEqual([c, a, b])
    expect((await move(a, {})).status).toBe(200)
    const added = await epic({ parent_id: (await owner.get(`${epicsOf(group)}/1`)).body.id })
    expect(await children()).toEqual([c, a, b, added.id])
  })

  test('is changed for children only, beside children only', async () => {
    const child = (await planner.post(path(), { title: 'a' })).body
    const other = await epic()
    const refused = text(404, '404 Not found')
    expect(await guest.put(`${path()}/${other.id}`, {})).toMatchObject(refused)
    expect(await guest.put(`${path()}/${child.id}`, { move_after_id: other.id })).toMatchObject(refused)
    expect(await guest.put(`${path()}/${child.id}`, { move_before_id: 99_999 })).toMatchObject(refused)
    expect((await guest.put(`${path()}/${child.id}`, { move_before_id: 'x' })).status).toBe(400)
  })
})

test('an unknown epic, and callers without a role, are refused', async () => {
  const outsider = await server.user(`outsider${made}`)
  expect(await owner.get(path(99))).toMatchObject(text(404, '404 Epic Not Found'))
  expect(await outsider.get(path())).toMatchObject(text(404, '404 Group Not Found'))
  const open = await server.make.group(`readable${made}`, owner, { visibility: 'public' })
  const one = await epic({}, open)
  const at = `${epicsOf(open)}/${one.iid}/epics`
  expect((await outsider.get(at)).status).toBe(200)
  expect((await server.anonymous.get(at)).status).toBe(401)
  expect((await outsider.post(`${at}/${one.id}`)).status).toBe(403)
})

test('the list takes as many queries for many as for one', async () => {
  await planner.post(path(), { title: 'one' })
  const few = await queriesOf(server, () => guest.get(path()))
  for (const title of ['two', 'three', 'four']) await planner.post(path(), { title })
  expect(await queriesOf(server, () => guest.get(path()))).toBe(few)
})
