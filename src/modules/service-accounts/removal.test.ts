import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { newAccount, newToken, type PlaceOfAccounts, placeOfAccounts, refused } from './testing.ts'

let server: TestServer
let place: PlaceOfAccounts
let made = 0
beforeAll(async () => {
  server = await startTestServer()
})
beforeEach(async () => {
  made += 1
  place = await placeOfAccounts(server, `gone${made}`)
})
afterAll(() => server.stop())

const drain = () => server.app.platform.jobs.drain()
const rowOf = (table: 'users' | 'namespaces', id: number) =>
  server.app.platform.database.read.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst()
const notFound = refused(404, '404 User Not Found')

describe('deleting an account', () => {
  test('ends its tokens at once, and moves what it wrote to the ghost user', async () => {
    const { owner, accounts, group } = place
    const { id } = await newAccount(place)
    await server.make.member({ namespace: group }, { id }, 30)
    const { client } = await newToken(server, place, id)
    const epic = await client.post(`/groups/${group.id}/epics`, { title: 'found it' })
    expect(epic).toMatchObject({ status: 201, body: { author: { id } } })
    const stale = { headers: { 'If-Unmodified-Since': 'Sun, 01 Mar 2020 00:00:00 GMT' } }
    expect(await owner.delete(`${accounts}/${id}`, stale)).toMatchObject(refused(412, '412 Precondition Failed'))
    expect((await client.get('/user')).status).toBe(200)
    expect((await owner.delete(`${accounts}/${id}`)).status).toBe(204)
    expect((await client.get('/user')).status).toBe(401)
    expect(await owner.delete(`${accounts}/${id}`)).toMatchObject(notFound)
    expect((await owner.get(accounts)).body).toEqual([])
    await drain()
    expect(await rowOf('users', id)).toBeUndefined()
    expect(await owner.delete(`${accounts}/${id}`)).toMatchObject(notFound)
    const kept = await owner.get(`/groups/${group.id}/epics/${epic.body.iid}`)
    expect(kept.body.author).toMatchObject({ username: 'ghost', name: 'Ghost User' })
  })

  test('is refused while it alone owns a group, unless that goes as well', async () => {
    const { owner, accounts } = place
    const { id } = await newAccount(place)
    const owned = await server.make.group(`owned${made}`, { id })
    const refusal = refused(409, 'User cannot be removed while is the sole-owner of a group')
    expect(await owner.delete(`${accounts}/${id}`)).toMatchObject(refusal)
    expect((await owner.request('DELETE', `${accounts}/${id}`, { body: { hard_delete: true } })).status).toBe(204)
    await drain()
    expect(await rowOf('namespaces', owned.id)).toBeUndefined()
    expect(await rowOf('users', id)).toBeUndefined()
  })

  test('counts as an owner for nobody: the person beside it cannot be removed, and keeps the group', async () => {
    const { owner, accounts } = place
    const { id } = await newAccount(place)
    const person = await server.user(`beside${made}`)
    const owned = await server.make.group(`both${made}`, person)
    await server.make.member({ namespace: owned }, { id }, 50)
    const refusal = refused(409, 'User cannot be removed while is the sole-owner of a group')
    expect(await server.root.delete(`/users/${person.id}`)).toMatchObject(refusal)
    expect((await person.delete(`/groups/${owned.id}/members/${person.id}`)).status).toBe(403)
    expect((await person.put(`/groups/${owned.id}/members/${id}`, { access_level: 40 })).status).toBe(200)
    expect((await person.put(`/groups/${owned.id}/members/${id}`, { access_level: 50 })).status).toBe(200)
    expect((await owner.delete(`${accounts}/${id}`)).status).toBe(204)
    await drain()
    expect((await person.get(`/groups/${owned.id}`)).status).toBe(200)
  })

  test('takes no group from an owner who is blocked, nor from another program', async () => {
    const { owner, accounts } = place
    const [account, other] = [await newAccount(place), await newAccount(place)]
    const person = await server.user(`away${made}`)
    const ofPerson = await server.make.group(`of-away${made}`, person)
    const ofPrograms = await server.make.group(`programs${made}`, account)
    await server.make.member({ namespace: ofPerson }, account, 50)
    await server.make.member({ namespace: ofPrograms }, other, 50)
    await server.root.post(`/users/${person.id}/block`)
    const path = `${accounts}/${account.id}`
    expect((await owner.delete(path)).status).toBe(409)
    expect((await owner.request('DELETE', path, { body: { hard_delete: true } })).status).toBe(204)
    await drain()
    expect(await rowOf('users', account.id)).toBeUndefined()
    for (const { id } of [ofPerson, ofPrograms]) expect(await rowOf('namespaces', id)).toBeDefined()
  })

  test('succeeds once for concurrent requests', async () => {
    const { owner, accounts } = place
    const { id } = await newAccount(place)
    const answers = await Promise.all([1, 2].map(() => owner.delete(`${accounts}/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404])
  })
})

describe('the end of the group', () => {
  test('removes its accounts; the sole owner of another group stays, blocked', async () => {
    const { group } = place
    const [account, keeper] = [await newAccount(place), await newAccount(place)]
    await server.make.member({ namespace: group }, account, 50)
    await server.make.group(`kept${made}`, keeper)
    const [lost, blocked] = [await newToken(server, place, account.id), await newToken(server, place, keeper.id)]
    await server.app.platform.ports['users.remove_group'](server.app.platform, group.id)
    await drain()
    expect(await rowOf('namespaces', group.id)).toBeUndefined()
    expect(await rowOf('users', account.id)).toBeUndefined()
    expect((await lost.client.get('/user')).status).toBe(401)
    expect((await blocked.client.get('/user')).status).toBe(403)
    const shown = await server.root.get(`/users/${keeper.id}`)
    expect(shown.body).toMatchObject({ state: 'blocked', provisioned_by_group_id: null })
  })
})
