import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type Enterprise, enterprise, idsOf, refused, userWith, verifiedDomain, withTwoFactor } from '../testing.ts'

let server: TestServer
let place: Enterprise
let one: Person
let two: Person
let stranger: Person
let domain: string
let made = 0
beforeAll(async () => {
  server = await startTestServer()
})
beforeEach(async () => {
  made += 1
  place = await enterprise(server, `firm${made}`)
  domain = `firm${made}.test`
  one = await userWith(server, `first${made}`, `one@${domain}`)
  two = await userWith(server, `second${made}`, `two@${domain}`)
  stranger = await userWith(server, `stranger${made}`, `stranger@else${made}.test`)
  await verifiedDomain(server, place, domain)
})
afterAll(async () => {
  Object.assign(server.app.platform.config, { domainsVerification: 'dns', domainsStaticTxt: {} })
  await server.stop()
})

const list = async (query = '') => idsOf(await place.owner.get(`${place.users}?${query}`))
const notFound = refused(404, '404 Not found')

describe('the list', () => {
  test('has every member of the object, also of a private profile', async () => {
    await server.root.put(`/users/${two.id}`, {
      private_profile: true,
      job_title: 'Clerk',
      provider: 'p',
      extern_uid: 'x',
    })
    const { body } = await place.owner.get(place.users)
    expect(body).toHaveLength(2)
    const { created_at, last_activity_on, confirmed_at, avatar_url, web_url, ...rest } = body[0]
    expect([created_at, confirmed_at, web_url]).toEqual([expect.any(String), expect.any(String), expect.any(String)])
    expect([avatar_url, last_activity_on]).toEqual([null, null])
    expect(rest).toEqual({
      id: two.id,
      username: `second${made}`,
      name: `second${made} person`,
      state: 'active',
      locked: false,
      bio: '',
      location: '',
      public_email: '',
      skype: '',
      linkedin: '',
      twitter: '',
      website_url: '',
      organization: '',
      job_title: 'Clerk',
      pronouns: null,
      bot: false,
      work_information: 'Clerk',
      followers: 0,
      following: 0,
      local_time: null,
      last_sign_in_at: null,
      email: `two@${domain}`,
      theme_id: 1,
      color_scheme_id: 1,
      projects_limit: 100,
      current_sign_in_at: null,
      identities: [{ provider: 'p', extern_uid: 'x', saml_provider_id: null }],
      can_create_group: true,
      can_create_project: true,
      two_factor_enabled: false,
      external: false,
      private_profile: true,
      commit_email: `two@${domain}`,
      shared_runners_minutes_limit: null,
      extra_shared_runners_minutes_limit: null,
      scim_identities: [],
    })
    expect((await place.owner.get(`/groups/${place.group.id}/members/${two.id}`)).status).toBe(404)
  })

  test('filters', async () => {
    await withTwoFactor(server, two)
    const both = [two.id, one.id]
    expect(await list()).toEqual(both)
    expect(await list(`username=FIRST${made}`)).toEqual([one.id])
    expect(await list(`username=irst${made}`)).toEqual([])
    expect(await list(`search=FIRM${made}.test`)).toEqual(both)
    expect(await list('search=%25')).toEqual([])
    expect(await list('two_factor=enabled')).toEqual([two.id])
    expect(await list('two_factor=disabled')).toEqual([one.id])
    expect(await list('two_factor=x')).toEqual(both)
    await server.root.post(`/users/${one.id}/block`)
    expect(await list('blocked=true')).toEqual([one.id])
    expect(await list('active=true')).toEqual([two.id])
    expect(await list('active=true&blocked=true')).toEqual([])
    expect(await list('active=false&blocked=false')).toEqual(both)
    const { created_at } = (await place.owner.get(`${place.users}/${one.id}`)).body
    const bounds = `created_after=${created_at}&created_before=${created_at}`
    expect(await list(bounds)).toContain(one.id)
    expect(await list('created_after=2999-01-01T00:00:00Z')).toEqual([])
    expect(await list('per_page=1&page=2')).toEqual([one.id])
    for (const query of ['active=maybe', 'blocked=maybe', 'created_after=nonsense', 'created_before=x']) {
      const { status, body } = await place.owner.get(`${place.users}?${query}`)
      expect([status, body.error]).toEqual([400, `${query.split('=')[0]} is invalid`])
    }
  })

  test('is for owners of a top-level group, which is checked before the role', async () => {
    const below = `/groups/${place.subgroup.id}/enterprise_users`
    const notTop = refused(400, '400 Bad request - Must be a top-level group')
    for (const person of [place.owner, place.maintainer]) expect(await person.get(below)).toMatchObject(notTop)
    for (const [method, path] of [
      ['GET', place.users],
      ['GET', `${place.users}/${one.id}`],
      ['PATCH', `${place.users}/${one.id}`],
      ['PATCH', `${place.users}/${one.id}/disable_two_factor`],
      ['DELETE', `${place.users}/${one.id}`],
    ] as const) {
      expect(await place.maintainer.request(method, path)).toMatchObject(refused(403, '403 Forbidden'))
      expect(await stranger.request(method, path)).toMatchObject(refused(404, '404 Group Not Found'))
      expect((await server.anonymous.request(method, path)).status).toBe(401)
    }
  })

  test('takes the same number of queries for any number of users', async () => {
    const few = await queriesOf(server, () => place.owner.get(`${place.users}?username=first${made}`))
    expect(await queriesOf(server, () => place.owner.get(place.users))).toBe(few)
  })
})

test('lists of members show owners of the group the addresses of its enterprise users only', async () => {
  const { owner, group, subgroup, project } = place
  const local = await server.user(`local${made}`)
  await server.make.member({ namespace: subgroup }, local, 50)
  await server.make.member({ project }, one, 10)
  await server.make.member({ namespace: subgroup }, stranger, 10)
  await server.make.member({ namespace: group }, two, 10)
  const shown = async (person: Person, path: string) => {
    const { body } = await person.get(path)
    const others = body.filter(({ id }: { id: number }) => id !== person.id)
    return others.flatMap(({ email }: { email?: string }) => email ?? [])
  }
  expect(await shown(owner, `/groups/${group.id}/members`)).toEqual([`two@${domain}`])
  expect(await shown(owner, `/groups/${subgroup.id}/members`)).toEqual([])
  expect(await shown(owner, `/projects/${project.id}/members/all`)).toEqual([`one@${domain}`, `two@${domain}`])
  for (const person of [local, two]) expect(await shown(person, `/projects/${project.id}/members/all`)).toEqual([])
})

describe('a user that is addressed', () => {
  test('is one of this group', async () => {
    for (const [method, suffix] of [
      ['GET', ''],
      ['PATCH', ''],
      ['PATCH', '/disable_two_factor'],
      ['DELETE', ''],
    ] as const) {
      for (const id of [stranger.id, place.maintainer.id, 99_999_999]) {
        expect(await place.owner.request(method, `${place.users}/${id}${suffix}`)).toMatchObject(notFound)
      }
      const { status, body } = await place.owner.request(method, `${place.users}/abc${suffix}`)
      expect([status, body.error]).toEqual([400, 'user_id is invalid'])
    }
  })

  test('gets another name, and an address in a domain of the group', async () => {
    const path = `${place.users}/${two.id}`
    const refusal = (wanted: object) => place.owner.patch(path, wanted)
    const outside = "Email must be owned by the user's enterprise group"
    for (const email of [`two@else${made}.test`, `two@x.${domain}`, 'nobody', '']) {
      expect(await refusal({ email })).toMatchObject(refused(400, outside))
    }
    expect(await refusal({ email: `ONE@${domain}` })).toMatchObject(refused(400, 'Email has already been taken'))
    expect(await refusal({ name: ' ' })).toMatchObject(refused(400, "Name can't be blank"))
    expect(await refusal({ email: `a b@${domain}` })).toMatchObject(refused(400, 'Email is invalid'))
    await server.root.put('/application/settings', { email_confirmation_setting: 'hard' })
    const changed = await place.owner.patch(path, { name: 'New 💥', email: `new@${domain}` })
    await server.root.put('/application/settings', { email_confirmation_setting: 'off' })
    expect(changed).toMatchObject({ status: 200, body: { name: 'New 💥', email: `new@${domain}` } })
    expect(await list()).toEqual([two.id, one.id])
  })

  test('loses the second factors once', async () => {
    await withTwoFactor(server, two)
    const path = `${place.users}/${two.id}/disable_two_factor`
    expect((await place.owner.patch(path)).status).toBe(204)
    expect((await place.owner.get(`${place.users}/${two.id}`)).body.two_factor_enabled).toBe(false)
    const none = refused(400, '400 Bad request - Two-factor authentication is not enabled for this user')
    expect(await place.owner.patch(path)).toMatchObject(none)
  })

  test('is deleted, unless it alone owns a group', async () => {
    const path = `${place.users}/${one.id}`
    const owned = await server.make.group(`owned-firm${made}`, one)
    const sole = refused(409, 'Can not remove a user who is the sole owner of a group.')
    expect(await place.owner.delete(path)).toMatchObject(sole)
    const stale = { headers: { 'If-Unmodified-Since': 'Sun, 01 Mar 2020 00:00:00 GMT' } }
    expect(await place.owner.delete(path, stale)).toMatchObject(refused(412, '412 Precondition Failed'))
    expect((await place.owner.delete(`${path}?hard_delete=true`)).status).toBe(204)
    expect((await one.get('/user')).status).toBe(401)
    expect(await place.owner.get(path)).toMatchObject(notFound)
    await server.app.platform.jobs.drain()
    expect((await server.root.get(`/groups/${owned.id}`)).status).toBe(404)
  })

  test('does not delete itself', async () => {
    await server.make.member({ namespace: place.group }, two, 50)
    expect(await two.delete(`${place.users}/${two.id}`)).toMatchObject(refused(403, '403 Forbidden'))
    expect((await place.owner.delete(`${place.users}/${two.id}`)).status).toBe(204)
  })
})
