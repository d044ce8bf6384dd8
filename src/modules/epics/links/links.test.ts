import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let guest: Person
let group: Awaited<ReturnType<TestServer['make']['group']>>
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  guest = await server.user('guest')
  group = await server.make.group('related', owner)
  await server.make.member({ namespace: group }, guest, 10)
})
afterAll(() => server.stop())

type Group = { id: number }
const epicsOf = ({ id }: Group) => `/groups/${id}/epics`
async function epic(values: object = {}, of: Group = group) {
  const { status, body } = await owner.post(epicsOf(of), { title: 'An epic', ...values })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

const at = ({ iid }: { iid: number }, of: Group = group) => `${epicsOf(of)}/${iid}/related_epics`
const to = ({ group_id, iid }: { group_id: number; iid: number }, link_type?: string) => ({
  ...{ target_group_id: group_id, target_epic_iid: iid },
  ...(link_type && { link_type }),
})
const text = (status: number, message: string) => ({ status, body: { message } })
const noEpic = text(404, 'No matching epic found. Make sure that you are adding a valid epic URL.')

describe('a relation of epics', () => {
  test('is seen from both, and removed from either', async () => {
    const [one, other] = [await epic({ title: 'one' }), await epic({ title: 'other' })]
    const made = await guest.post(at(one), to(other, 'blocks'))
    expect(made).toMatchObject({
      status: 201,
      body: { link_type: 'blocks', source_epic: { id: one.id }, target_epic: { id: other.id, title: 'other' } },
    })
    const { id, created_at, updated_at } = made.body
    expect((await guest.get(at(other))).body).toEqual([
      expect.objectContaining({
        ...{ id: one.id, related_epic_link_id: id, link_type: 'is_blocked_by' },
        ...{ link_created_at: created_at, link_updated_at: updated_at },
      }),
    ])
    expect((await guest.get(at(one))).body).toMatchObject([{ id: other.id, link_type: 'blocks' }])
    expect(await guest.delete(`${at(other)}/${id}`)).toMatchObject({
      status: 200,
      body: { id, link_type: 'is_blocked_by', source_epic: { id: other.id } },
    })
    expect((await guest.get(at(one))).body).toEqual([])
    expect(await guest.delete(`${at(other)}/${id}`)).toMatchObject(text(404, '404 Epic Link Not Found'))
  })

  test('exists once, in either direction, also for calls at once', async () => {
    const [one, other] = [await epic(), await epic()]
    const answers = await Promise.all([
      guest.post(at(one), to(other)),
      guest.post(at(other), to(one, 'is_blocked_by')),
      guest.post(at(one), to(other, 'blocks')),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    expect(await guest.post(at(other), to(one))).toMatchObject(text(409, 'Epic(s) already assigned'))
  })

  test('may lead to any group, by its id or path, in which the caller has a role', async () => {
    const one = await epic()
    const far = await server.make.group('far', owner)
    const open = await server.make.group('open', owner, { visibility: 'public' })
    const [hidden, readable] = [await epic({}, far), await epic({}, open)]
    expect(await guest.post(at(one), to(hidden))).toMatchObject(text(404, '404 Group Not Found'))
    expect(await guest.post(at(one), to(readable))).toMatchObject(noEpic)
    const byPath = { target_group_id: 'far', target_epic_iid: hidden.iid }
    expect((await owner.post(at(one), byPath)).status).toBe(201)
    expect((await guest.get(at(one))).body).toEqual([])
    await server.make.member({ namespace: far }, guest, 10)
    expect((await guest.get(at(one))).body).toHaveLength(1)
  })

  test('is refused for itself, unknown epics, and other types', async () => {
    const one = await epic()
    const secret = await epic({ confidential: true })
    expect(await guest.post(at(one), to(one))).toMatchObject(noEpic)
    expect(await guest.post(at(one), to(secret))).toMatchObject(noEpic)
    expect(await guest.post(at(one), { ...to(one), target_epic_iid: 9_999 })).toMatchObject(noEpic)
    expect(await guest.post(at({ iid: 9_999 }), to(one))).toMatchObject(text(404, '404 Epic Not Found'))
    expect(await guest.post(at(one), to(secret, 'likes'))).toMatchObject({
      ...{ status: 400, body: { error: 'link_type does not have a valid value' } },
    })
    expect(await guest.post(at(one))).toMatchObject({
      status: 400,
      body: { error: 'target_group_id is missing, target_epic_iid is missing' },
    })
    const outsider = await server.user('outsider')
    expect((await outsider.post(at(one), to(secret))).status).toBe(404)
    expect((await guest.delete(`${at(one)}/x`)).status).toBe(400)
    expect(await guest.delete(`${at(one)}/99999999`)).toMatchObject(text(404, '404 Epic Link Not Found'))
  })

  test('goes with its epics', async () => {
    const [one, other] = [await epic(), await epic()]
    await owner.post(at(one), to(other))
    await owner.delete(`${epicsOf(group)}/${other.iid}`)
    expect((await owner.get(at(one))).body).toEqual([])
  })
})

describe('the links of a group', () => {
  test('are those of the groups below too, of which the caller reads both epics', async () => {
    const top = await server.make.group('top', owner, { visibility: 'public' })
    const below = await server.make.group('below', owner, { parent: top, visibility: 'public' })
    const away = await server.make.group('away', owner)
    const [a, b, c] = [await epic({}, top), await epic({}, below), await epic({ confidential: true }, below)]
    const far = await epic({}, away)
    const ids: number[] = []
    for (const [from, target, type] of [
      [a, b, 'is_blocked_by'],
      [b, c, 'relates_to'],
      [b, far, 'relates_to'],
    ] as const) {
      ids.push((await owner.post(at(from, { id: from.group_id }), to(target, type))).body.id)
    }
    const links = async (query = '', of: Group = top, person = owner) =>
      (await person.get(`/groups/${of.id}/related_epic_links?${query}`)).body.map(({ id }: { id: number }) => id)
    expect(await links()).toEqual(ids)
    expect(await links('', below)).toEqual(ids)
    expect(await links('', away)).toEqual([ids[2]])
    expect(await links('', top, guest)).toEqual([ids[0]])
    expect((await server.anonymous.get(`/groups/${top.id}/related_epic_links`)).body).toMatchObject([
      { id: ids[0], link_type: 'blocks', source_epic: { id: b.id }, target_epic: { id: a.id } },
    ])
    expect(await links('per_page=1&page=2')).toEqual([ids[1]])
    const { created_at } = (await owner.get(`/groups/${top.id}/related_epic_links`)).body[0]
    expect(await links(`created_after=${created_at}&updated_before=2999-01-01`)).toEqual(ids)
    expect(await links('created_after=2999-01-01')).toEqual([])
    expect(await links('created_before=2000-01-01')).toEqual([])
    expect(await links('updated_after=2999-01-01')).toEqual([])
    expect((await owner.get(`/groups/${top.id}/related_epic_links?created_after=x`)).status).toBe(400)
  })

  test('take as many queries for many as for one', async () => {
    const place = await server.make.group('counted', owner)
    const [first, ...others] = [
      await epic({}, place),
      await epic({}, place),
      await epic({}, place),
      await epic({}, place),
    ]
    await owner.post(at(first, place), to(others[0]))
    const all = () => queriesOf(server, () => owner.get(`/groups/${place.id}/related_epic_links`))
    const related = () => queriesOf(server, () => owner.get(at(first, place)))
    const few = [await all(), await related()]
    for (const other of others.slice(1)) await owner.post(at(first, place), to(other))
    expect([await all(), await related()]).toEqual(few)
  })
})
