import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type Enterprise, enterprise, idsOf, refused } from '../testing.ts'

let server: TestServer
let place: Enterprise
let member: Person
let accountId: number

beforeAll(async () => {
  server = await startTestServer()
  place = await enterprise(server, 'corp')
  member = await server.user('saml-member')
  const stranger = await server.user('saml-stranger')
  await server.make.member({ namespace: place.subgroup }, member, 30)
  for (const { id } of [member, stranger]) {
    await server.root.put(`/users/${id}`, { provider: 'group_saml', extern_uid: `uid-${id}` })
  }
  accountId = (await place.owner.post(`/groups/${place.group.id}/service_accounts`, { name: 'Robot' })).body.id
})
afterAll(() => server.stop())

const list = (query: string, person = place.owner) => person.get(`/groups/${place.group.id}/users?${query}`)

test('the users of a top-level group are its members with a SAML identity and its service accounts', async () => {
  expect(idsOf(await list('include_saml_users=true'))).toEqual([member.id])
  expect(idsOf(await list('include_service_accounts=true'))).toEqual([accountId])
  const both = 'include_saml_users=true&include_service_accounts=true'
  expect(idsOf(await list(both))).toEqual([member.id, accountId])
  expect(idsOf(await list(`${both}&search=ROBO`))).toEqual([accountId])
  expect(idsOf(await list('include_saml_users=false'))).toEqual([])
  expect((await list('include_saml_users=true')).body[0]).toMatchObject({ username: 'saml-member', state: 'active' })
})

test('are refused without a kind, for subgroups, and to maintainers', async () => {
  const missing = await list('search=x')
  expect(missing.status).toBe(400)
  expect(missing.body.error).toBe(
    'include_saml_users, include_service_accounts are missing, at least one parameter must be provided',
  )
  const below = await place.owner.get(`/groups/${place.subgroup.id}/users?include_saml_users=true`)
  expect(below).toMatchObject(refused(400, '400 Bad request - Must be a top-level group'))
  expect(await list('include_saml_users=true', place.maintainer)).toMatchObject(refused(403, '403 Forbidden'))
})
