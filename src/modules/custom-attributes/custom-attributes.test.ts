import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'

let server: TestServer
let alice: Person
let bob: Person
/** Paths of the three kinds of owners, and of their lists. */
const owners: { path: string; list: string; id: number; other: number }[] = []

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
  bob = await server.user('bob')
  const group = await server.make.group('g', alice, { visibility: 'public' })
  const otherGroup = await server.make.group('h', alice, { visibility: 'public' })
  const project = await server.make.project('p', alice, { visibility: 'public' })
  const otherProject = await server.make.project('q', alice, { visibility: 'public' })
  owners.push(
    { path: `/users/${alice.id}`, list: '/users', id: alice.id, other: bob.id },
    { path: `/groups/${group.id}`, list: '/groups', id: group.id, other: otherGroup.id },
    { path: `/projects/${project.id}`, list: '/projects', id: project.id, other: otherProject.id },
  )
})
afterAll(() => server.stop())

const idsOf = ({ body }: { body: { id: number }[] }) => body.map(({ id }) => id)

describe.each([0, 1, 2])('custom attributes of kind %s', (index) => {
  const owner = () => owners[index] as (typeof owners)[number]

  test('are set, read, replaced and removed by administrators', async () => {
    const { root } = server
    const { path } = owner()
    const at = `${path}/custom_attributes`
    expect((await root.get(at)).body).toEqual([])
    const location = { key: 'location', value: 'Antarctica' }
    expect(await root.put(`${at}/location`, { value: 'Antarctica' })).toMatchObject({ status: 200, body: location })
    expect((await root.put(`${at}/a%2Fb%20ü`, { value: '1' })).body).toEqual({ key: 'a/b ü', value: '1' })
    expect((await root.put(`${at}/location`, { value: 'Greenland' })).body.value).toBe('Greenland')
    expect((await root.get(at)).body).toEqual([
      { key: 'location', value: 'Greenland' },
      { key: 'a/b ü', value: '1' },
    ])
    expect((await root.get(`${at}/a%2Fb%20ü`)).body).toEqual({ key: 'a/b ü', value: '1' })
    expect((await root.delete(`${at}/a%2Fb%20ü`)).status).toBe(204)
    for (const answer of [await root.delete(`${at}/a%2Fb%20ü`), await root.get(`${at}/none`)]) {
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
    }
    await root.put(`${at}/changed`, { value: '1' })
    const { database } = server.app.platform
    await database.write((tx) =>
      tx
        .updateTable('custom_attributes')
        .set({ created_at: '2020-01-01T00:00:00.000Z', updated_at: '2020-01-01T00:00:00.000Z' })
        .where('key', '=', 'changed')
        .execute(),
    )
    const headers = { 'if-unmodified-since': 'Fri, 03 Jan 2020 00:00:00 GMT' }
    await root.put(`${at}/changed`, { value: '2' })
    expect((await root.delete(`${at}/changed`, { headers })).status).toBe(412)
    expect((await root.get(`${at}/changed`)).body.value).toBe('2')
    expect((await root.delete(`${at}/changed`)).status).toBe(204)
    expect((await root.put(`${at}/x`)).body.error).toBe('value is missing')
    expect((await root.put(`${at}/x`, { value: ' ' })).body.message).toEqual({ value: ["can't be blank"] })
    expect((await root.put(`${at}/${'k'.repeat(256)}`, { value: '1' })).body.message).toEqual({
      key: ['is too long (maximum is 255 characters)'],
    })
    expect((await root.put(`${at}/long`, { value: 'v'.repeat(10_000) })).status).toBe(200)
    expect((await root.delete(`${at}/long`)).status).toBe(204)
    expect((await root.get(at.replace(/\d+/, '99999999'))).status).toBe(404)
    expect((await alice.get(at)).status).toBe(403)
    expect((await server.anonymous.get(at)).status).toBe(401)
  })

  test('filter lists and are shown, for administrators only', async () => {
    const { list, id, other, path } = owner()
    await server.root.put(`${list}/${other}/custom_attributes/location`, { value: 'Atlantis' })
    await server.root.put(`${path}/custom_attributes/size`, { value: '3' })
    const found = async (query: string) => idsOf(await server.root.get(`${list}?${query}`))
    expect(await found('custom_attributes[location]=Greenland')).toEqual([id])
    expect(await found('custom_attributes[location]=Atlantis')).toEqual([other])
    expect(await found('custom_attributes[location]=Greenland&custom_attributes[size]=3')).toEqual([id])
    expect(await found('custom_attributes[location]=Atlantis&custom_attributes[size]=3')).toEqual([])
    expect(await found('custom_attributes[__proto__]=x')).toEqual([])
    expect(await found("custom_attributes[location]=x' or 1=1 --")).toEqual([])
    expect(await found('custom_attributes[location]=greenland')).toEqual([])
    const all = idsOf(await alice.get(list))
    expect(all).toEqual(expect.arrayContaining([id, other]))
    expect(idsOf(await alice.get(`${list}?custom_attributes[location]=Greenland`))).toEqual(all)
    for (const query of ['custom_attributes=x', 'custom_attributes[]=x', 'custom_attributes[a][b]=x']) {
      expect([query, (await server.root.get(`${list}?${query}`)).status]).toEqual([query, 400])
    }
    const attributes = [
      { key: 'location', value: 'Greenland' },
      { key: 'size', value: '3' },
    ]
    const shown = async (client: Pick<Person, 'get'>, query: string) => {
      const one = (await client.get(`${path}?${query}`)).body
      const [listed] = (await client.get(`${list}?${query}`)).body.filter((row: { id: number }) => row.id === id)
      return [one.custom_attributes, listed.custom_attributes]
    }
    expect(await shown(server.root, 'with_custom_attributes=true')).toEqual([attributes, attributes])
    expect(await shown(server.root, '')).toEqual([undefined, undefined])
    expect(await shown(alice, 'with_custom_attributes=true')).toEqual([undefined, undefined])
  })

  test('of a page take one query', async () => {
    const { list } = owner()
    const queries = (query: string) => queriesOf(server, () => server.root.get(`${list}?${query}`))
    expect(await queries('with_custom_attributes=true')).toBe((await queries('')) + 1)
  })
})

test('concurrent writes of one attribute leave one of them', async () => {
  const at = `/users/${bob.id}/custom_attributes`
  const values = ['1', '2', '3', '4']
  const answers = await Promise.all(values.map((value) => server.root.put(`${at}/raced`, { value })))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  const { body } = await server.root.get(at)
  expect(body.filter(({ key }: { key: string }) => key === 'raced')).toHaveLength(1)
})
