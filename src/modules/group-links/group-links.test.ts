/** Links to LDAP and SAML groups (contract 25, and step 12 of the acceptance walk). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { isLdapFilter } from './filter.ts'

let server: TestServer
let owner: Person
let base: string
let count = 0
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  base = `/groups/${(await owner.post('/groups', { name: `g${count}`, path: `g${count}` })).body.id}`
})

const said = (status: number, message: unknown) => ({ status, body: { message } })

describe('LDAP links', () => {
  const link = { group_access: 30, provider: 'main', cn: 'engineers' }
  const ldap = () => `${base}/ldap_group_links`

  test('are added, listed in order, and deleted in three ways', async () => {
    const none = said(404, 'No linked LDAP groups found')
    expect(await owner.get(ldap())).toMatchObject(none)
    const first = await owner.post(ldap(), link)
    const shown = { ...link, filter: null, member_role_id: null }
    expect([first.status, first.body]).toEqual([201, shown])
    expect(Object.keys(first.body)).toEqual(['cn', 'group_access', 'provider', 'filter', 'member_role_id'])
    const filtered = { group_access: 0, provider: 'main', filter: '(department=sales)' }
    const second = await owner.post(ldap(), filtered)
    expect(second.body).toEqual({ ...filtered, cn: null, member_role_id: null })
    const third = await owner.post(ldap(), { ...link, provider: 'other' })
    expect((await owner.get(ldap())).body).toEqual([first.body, second.body, third.body])
    expect((await owner.delete(`${ldap()}/other/engineers`)).status).toBe(204)
    const gone = said(404, 'Linked LDAP group not found')
    expect(await owner.delete(`${ldap()}/other/engineers`)).toMatchObject(gone)
    expect((await owner.delete(`${ldap()}/engineers`)).status).toBe(204)
    expect(await owner.delete(`${ldap()}/engineers`)).toMatchObject(gone)
    const key = new URLSearchParams({ provider: 'main', filter: '(department=sales)' })
    expect(await owner.delete(`${ldap()}?provider=other&filter=x`)).toMatchObject(gone)
    expect((await owner.delete(`${ldap()}?${key}`)).status).toBe(204)
    expect(await owner.get(ldap())).toMatchObject(none)
  })

  test('are refused when they are wrong or there already', async () => {
    const error = async (given: object) => (await owner.post(ldap(), given)).body.error
    expect(await error({ group_access: 30, cn: 'a' })).toBe('provider is missing')
    expect(await error({ provider: 'main', cn: 'a' })).toBe('group_access is missing')
    expect(await error({ ...link, group_access: 31 })).toBe('group_access does not have a valid value')
    expect(await error({ group_access: 30, provider: 'main' })).toBe(
      'cn, filter are missing, exactly one parameter must be provided',
    )
    expect(await error({ ...link, filter: '(a=b)' })).toBe('cn, filter are mutually exclusive')
    const bad = { group_access: 30, provider: 'main', filter: '(a=b' }
    expect(await owner.post(ldap(), bad)).toMatchObject(said(409, 'Filter must be a valid filter'))
    expect((await owner.post(ldap(), { ...link, cn: 'x'.repeat(256) })).status).toBe(400)
    expect((await owner.post(ldap(), { ...link, cn: { a: 1 } })).status).toBe(400)
    const both = await Promise.all([1, 2].map(() => owner.post(ldap(), link)))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(await owner.post(ldap(), link)).toMatchObject(said(409, 'Cn has already been taken'))
    const good = { ...bad, filter: '(a=b)' }
    await owner.post(ldap(), good)
    expect(await owner.post(ldap(), good)).toMatchObject(said(409, 'Filter has already been taken'))
  })

  test('have no provider: nothing is synchronised or found', async () => {
    expect((await owner.post(`${base}/ldap_sync`)).status).toBe(404)
    expect(await server.root.get('/ldap/groups?search=x')).toMatchObject({ status: 200, body: [] })
    expect(await server.root.get('/ldap/main/groups')).toMatchObject(said(404, '404 LDAP provider Not Found'))
    expect((await owner.get('/ldap/groups')).status).toBe(403)
  })

  test('of one group are at most 100, and end with it', async () => {
    const { database } = server.app.platform
    const id = Number(base.split('/').at(-1))
    const row = {
      namespace_id: id,
      filter: null,
      group_access: 30,
      provider: 'main',
      created_at: '2026-01-01T00:00:00.000Z',
    }
    const rows = Array.from({ length: 100 }, (_, index) => ({ ...row, cn: `c${index}` }))
    await database.write((tx) => tx.insertInto('ldap_group_links').values(rows).execute())
    expect((await owner.post(ldap(), link)).body.message).toEqual({ base: ['Maximum number of links (100) exceeded'] })
    await owner.post(`${base}/saml_group_links`, { saml_group_name: 's', access_level: 30 })
    await database.write((tx) => tx.deleteFrom('namespaces').where('id', '=', id).execute())
    for (const table of ['ldap_group_links', 'saml_group_links'] as const) {
      expect(await database.read.selectFrom(table).select('id').where('namespace_id', '=', id).execute()).toEqual([])
    }
  })
})

describe('SAML links', () => {
  const saml = () => `${base}/saml_group_links`
  const link = { saml_group_name: 'Team ü/💥', access_level: 30 }
  const one = () => `${saml()}/${encodeURIComponent(link.saml_group_name)}`

  test('are added, read and deleted; of several with one name by the provider', async () => {
    expect(await owner.get(saml())).toMatchObject({ status: 200, body: [] })
    const first = await owner.post(saml(), link)
    const shown = { name: link.saml_group_name, access_level: 30, member_role_id: null, provider: null }
    expect([first.status, first.body]).toEqual([201, shown])
    expect((await owner.get(one())).body).toEqual(shown)
    const second = await owner.post(saml(), { ...link, provider: 'p', access_level: 10 })
    expect((await owner.get(saml())).body).toEqual([shown, second.body])
    const several = 'Multiple SAML group links found with the same name. Please specify a provider parameter.'
    expect(await owner.get(one())).toMatchObject(said(422, several))
    expect(await owner.delete(one())).toMatchObject(said(422, several))
    expect((await owner.get(`${one()}?provider=p`)).body).toEqual(second.body)
    expect((await owner.delete(`${one()}?provider=p`)).status).toBe(204)
    expect((await owner.delete(one())).status).toBe(204)
    expect(await owner.get(one())).toMatchObject(said(404, '404 SAML Group Link Not Found'))
    expect(await owner.delete(one())).toMatchObject(said(404, '404 SAML Group Link Not Found'))
  })

  test('are refused when they are wrong or there already', async () => {
    expect((await owner.post(saml(), { access_level: 30 })).body.error).toBe('saml_group_name is missing')
    expect((await owner.post(saml(), { saml_group_name: 'a' })).body.error).toBe('access_level is missing')
    for (const access_level of [0, 5, 31, 60]) {
      const { body } = await owner.post(saml(), { ...link, access_level })
      expect(body.error).toBe('access_level does not have a valid value')
    }
    for (const saml_group_name of ['', ' ', 'x'.repeat(256), { a: 1 }]) {
      expect((await owner.post(saml(), { ...link, saml_group_name })).status).toBe(400)
    }
    const both = await Promise.all([1, 2].map(() => owner.post(saml(), link)))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
    expect(await owner.post(saml(), link)).toMatchObject(said(400, { saml_group_name: ['has already been taken'] }))
  })
})

test.each([
  ['(cn=x)', true],
  ['cn=x', true],
  ['(&(objectClass=person)(|(cn=a*)(!(mail=*@x.example))))', true],
  ['(cn:dn:2.4.6.8.10:=x)', true],
  ['(age>=18)', true],
  ['(cn=a\\2ab)', true],
  ['', false],
  ['()', false],
  ['(cn=x', false],
  ['(cn=x))', false],
  ['(&)', false],
  ['(!(a=b)(c=d))', false],
  ['(cn=a\\zz)', false],
  ['cn', false],
  [`${'(!'.repeat(40)}(a=b)${')'.repeat(40)}`, true],
  [`${'(!'.repeat(1000)}(a=b)${')'.repeat(1000)}`, false],
])('%j is a filter: %s', (text, expected) => {
  expect(isLdapFilter(text)).toBe(expected)
})
