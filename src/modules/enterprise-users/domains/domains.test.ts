import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../index.ts'
import { queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import {
  type Enterprise,
  enterprise,
  idsOf,
  publish,
  refused,
  unpublish,
  userWith,
  verifiedDomain,
} from '../testing.ts'
import { recheckDomainsJob } from './verification.ts'

let server: TestServer
let clock: ManualClock
let place: Enterprise
let made = 0
let domain: string
beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
  server.app.platform.config.domainsVerification = 'static'
})
beforeEach(async () => {
  made += 1
  unpublish(server)
  place = await enterprise(server, `corp${made}`)
  domain = `corp${made}.test`
})
afterAll(() => server.stop())

const dayMs = 86_400_000
const recheck = () => {
  const { signal } = new AbortController()
  return recheckDomainsJob.run(server.app.platform, null, { signal } as never)
}
const shown = async () => (await place.owner.get(`${place.domains}/${domain}`)).body

describe('the domains of all projects', () => {
  test('are listed by name for administrators, or one is selected', async () => {
    await place.owner.post(place.domains, { domain: `b.${domain}` })
    await place.owner.post(place.domains, { domain: `a.${domain}` })
    expect((await place.owner.get('/pages/domains')).status).toBe(403)
    const names = (answer: { body: { domain: string }[] }) => answer.body.map((one) => one.domain)
    expect(names(await server.root.get('/pages/domains?per_page=100')).filter((name) => name.endsWith(domain))).toEqual(
      [`a.${domain}`, `b.${domain}`],
    )
    expect(names(await server.root.get(`/pages/domains?domain=A.${domain.toUpperCase()}`))).toEqual([`a.${domain}`])
    const noDomain = refused(404, '404 PagesDomain Not Found')
    for (const wanted of ['none.test', '', '💩', 'x'.repeat(5000)]) {
      expect(await server.root.get(`/pages/domains?domain=${wanted}`)).toMatchObject(noDomain)
    }
  })
})

describe('a domain', () => {
  test('is changed by maintainers', async () => {
    await place.owner.post(place.domains, { domain })
    const one = `${place.domains}/${domain}`
    const changed = await place.maintainer.put(one, { auto_ssl_enabled: true, certificate: 'x', key: 'y' })
    expect(changed).toMatchObject({ status: 200, body: { domain, auto_ssl_enabled: true } })
    expect((await place.maintainer.put(one, {})).body).toEqual(changed.body)
    expect(await place.maintainer.put(`${place.domains}/none.test`, {})).toMatchObject(
      refused(404, '404 PagesDomain Not Found'),
    )
    expect((await place.maintainer.put(one, { auto_ssl_enabled: 'perhaps' })).status).toBe(400)
  })

  test('is none of the hosts of sites', async () => {
    const invalid = refused(400, { domain: ['is invalid'] })
    for (const own of ['pages.localhost', 'a.pages.localhost', 'A.b.PAGES.localhost']) {
      expect(await place.owner.post(place.domains, { domain: own })).toMatchObject(invalid)
    }
    expect((await place.owner.post(place.domains, { domain: `my-pages.localhost${made}.test` })).status).toBe(201)
  })

  test('is the twentieth of its project at most', async () => {
    for (let index = 0; index < 20; index += 1) await place.owner.post(place.domains, { domain: `d${index}.${domain}` })
    expect(await place.owner.post(place.domains, { domain: `more.${domain}` })).toMatchObject(
      refused(400, { base: ['Maximum number of domains (20) exceeded'] }),
    )
  })

  test('has an address with the scheme and the port of sites', async () => {
    const { config } = server.app.platform
    await place.owner.post(place.domains, { domain })
    config.pagesHost = { hostname: 'sites.example', protocol: 'https:', port: undefined }
    expect((await shown()).url).toBe(`https://${domain}`)
    config.pagesHost = undefined
  })

  test('is unverified at first, in lower case, and belongs to one project', async () => {
    const { owner, maintainer, domains, project } = place
    const { status, body } = await maintainer.post(domains, { domain: domain.toUpperCase(), auto_ssl_enabled: true })
    expect(status).toBe(201)
    expect(body).toEqual({
      domain,
      url: `http://${domain}:${new URL(server.url).port}`,
      project_id: project.id,
      auto_ssl_enabled: true,
      verified: false,
      verification_code: expect.stringMatching(/^[0-9a-f]{32}$/),
      enabled_until: null,
    })
    expect((await owner.get(domains)).body).toEqual([body])
    expect((await owner.get(`${domains}/${domain.toUpperCase()}`)).body).toEqual(body)
    const other = await enterprise(server, `other${made}`)
    const taken = refused(400, { domain: ['has already been taken'] })
    expect(await other.owner.post(other.domains, { domain })).toMatchObject(taken)
    const noDomain = refused(404, '404 PagesDomain Not Found')
    for (const method of ['GET', 'DELETE']) {
      expect(await other.owner.request(method, `${other.domains}/${domain}`)).toMatchObject(noDomain)
    }
    expect(await other.owner.put(`${other.domains}/${domain}/verify`)).toMatchObject(noDomain)
    expect((await owner.delete(`${domains}/${domain}`)).status).toBe(204)
    expect(await owner.get(`${domains}/${domain}`)).toMatchObject(noDomain)
    expect((await owner.post(domains, {})).body.error).toBe('domain is missing')
  })

  test.each([
    '',
    'corp',
    '127.0.0.1',
    '[::1]',
    'a b.test',
    '-a.test',
    'a..test',
    'corp.test/x',
    'bücher.test',
    `${'a'.repeat(64)}.test`,
    `${'a.'.repeat(130)}test`,
    '%.test',
  ])('is no %j', async (written) => {
    const invalid = refused(400, { domain: ['is invalid'] })
    expect(await place.owner.post(place.domains, { domain: written })).toMatchObject(invalid)
  })

  test('is not the host of the server', async () => {
    const { externalUrl } = server.app.platform
    const invalid = refused(400, { domain: ['is invalid'] })
    const host = { domain: new URL(externalUrl).hostname }
    expect(await place.owner.post(place.domains, host)).toMatchObject(invalid)
  })

  test('is added once for concurrent requests', async () => {
    const answers = await Promise.all([1, 2].map(() => place.owner.post(place.domains, { domain })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
  })

  test('is listed with the same number of queries for any number of them', async () => {
    await place.owner.post(place.domains, { domain })
    const few = await queriesOf(server, () => place.owner.get(place.domains))
    for (const number of [1, 2, 3]) await place.owner.post(place.domains, { domain: `a${number}.${domain}` })
    expect(await queriesOf(server, () => place.owner.get(place.domains))).toBe(few)
  })
})

describe('verifying', () => {
  test('needs the code at the domain or below it', async () => {
    const { owner, domains } = place
    const { body } = await owner.post(domains, { domain })
    const verify = () => owner.put(`${domains}/${domain}/verify`)
    expect(await verify()).toMatchObject(refused(422, `Couldn't verify ${domain}`))
    publish(server, domain, '0'.repeat(32))
    expect((await verify()).status).toBe(422)
    unpublish(server)
    publish(server, `_fennec-pages-verification-code.${domain}`, body.verification_code)
    const enabled_until = new Date(clock.now().getTime() + 7 * dayMs).toISOString()
    expect(await verify()).toMatchObject({ status: 200, body: { verified: true, enabled_until } })
  })

  test('happens by the clock, and ends a week after the last success', async () => {
    const { body } = await place.owner.post(place.domains, { domain })
    await recheck()
    expect((await shown()).verified).toBe(false)
    publish(server, domain, body.verification_code)
    await recheck()
    expect((await shown()).verified).toBe(true)
    clock.advance(2 * dayMs)
    await recheck()
    const until = new Date(clock.now().getTime() + 7 * dayMs).toISOString()
    expect((await shown()).enabled_until).toBe(until)
    unpublish(server)
    clock.advance(6 * dayMs)
    await recheck()
    expect(await shown()).toMatchObject({ verified: true, enabled_until: until })
    clock.advance(dayMs)
    await recheck()
    expect(await shown()).toMatchObject({ verified: false, enabled_until: null })
    clock.advance(7 * dayMs)
    await recheck()
    expect((await place.owner.get(`${place.domains}/${domain}`)).status).toBe(404)
  })

  test('in a personal project claims no users', async () => {
    const user = await userWith(server, `solo${made}`, `solo@${domain}`)
    const project = await server.make.project('site', place.owner)
    await verifiedDomain(server, { ...place, domains: `/projects/${project.id}/pages/domains` }, domain)
    expect((await server.root.get(`/users/${user.id}`)).body.enterprise_group_id).toBeNull()
  })
})

test('the address of a service account in a verified domain of its group needs no confirmation', async () => {
  await verifiedDomain(server, place, domain)
  await server.root.put('/application/settings', { email_confirmation_setting: 'hard' })
  const confirmed = async (email: string) => {
    const { body } = await place.owner.post(`/groups/${place.group.id}/service_accounts`, { email })
    return (await server.root.get(`/users/${body.id}`)).body.confirmed_at !== null
  }
  expect(await confirmed(`bot@${domain}`)).toBe(true)
  expect(await confirmed(`bot@sub.${domain}`)).toBe(false)
  await server.root.put('/application/settings', { email_confirmation_setting: 'off' })
})

describe('the users of a verified domain', () => {
  test('are people with a confirmed address in exactly this domain', async () => {
    const one = await userWith(server, `one${made}`, `One@${domain.toUpperCase()}`)
    await userWith(server, `below${made}`, `below@sub.${domain}`)
    await userWith(server, `beside${made}`, `beside@x${domain}`)
    const unconfirmed = await userWith(server, `unconfirmed${made}`, `unconfirmed@${domain}`)
    const [old, member] = [
      await userWith(server, `old${made}`, `old@${domain}`),
      await userWith(server, `member${made}`, `member@${domain}`),
    ]
    await server.make.member({ namespace: place.group }, member, 10)
    const bot = await place.owner.post(`/groups/${place.group.id}/service_accounts`, { email: `bot@${domain}` })
    expect(bot.status).toBe(201)
    await server.app.platform.database.write(async (tx) => {
      const created_at = '2020-01-01T00:00:00.000Z'
      await tx.updateTable('users').set({ confirmed_at: null }).where('id', '=', unconfirmed.id).execute()
      await tx.updateTable('users').set({ created_at }).where('id', 'in', [old.id, member.id]).execute()
    })
    await verifiedDomain(server, place, domain)
    expect(idsOf(await place.owner.get(place.users))).toEqual([member.id, one.id])
  })

  test('move with the domain and with their address, and stay when the domain goes', async () => {
    const user = await userWith(server, `mover${made}`, `mover@${domain}`)
    const groupOf = async () => (await server.root.get(`/users/${user.id}`)).body.enterprise_group_id
    await verifiedDomain(server, place, domain)
    expect(await groupOf()).toBe(place.group.id)
    await place.owner.delete(`${place.domains}/${domain}`)
    await server.root.put(`/users/${user.id}`, { note: 'saved' })
    expect(await groupOf()).toBe(place.group.id)
    const late = await userWith(server, `late${made}`, `late@${domain}`)
    expect((await server.root.get(`/users/${late.id}`)).body.enterprise_group_id).toBeNull()
    const other = await enterprise(server, `heir${made}`)
    await verifiedDomain(server, other, domain)
    expect(await groupOf()).toBe(other.group.id)
    await server.app.platform.ports['users.remove_group'](server.app.platform, other.group.id)
    await server.app.platform.jobs.drain()
    expect((await server.root.get(`/users/${user.id}`)).body).toMatchObject({
      enterprise_group_id: null,
      enterprise_group_associated_at: null,
    })
  })

  test('are claimed neither before the domain is verified nor after its verification has lapsed', async () => {
    const groupOf = async (user: { id: number }) =>
      (await server.root.get(`/users/${user.id}`)).body.enterprise_group_id
    expect((await place.owner.post(place.domains, { domain })).status).toBe(201)
    const early = await userWith(server, `early${made}`, `early@${domain}`)
    expect(await groupOf(early)).toBeNull()
    publish(server, domain, (await shown()).verification_code)
    expect((await place.owner.put(`${place.domains}/${domain}/verify`)).status).toBe(200)
    await server.app.platform.jobs.drain()
    expect(await groupOf(early)).toBe(place.group.id)
    unpublish(server)
    clock.advance(8 * dayMs)
    await recheck()
    expect((await shown()).verified).toBe(false)
    const late = await userWith(server, `lapsed${made}`, `lapsed@${domain}`)
    expect(await groupOf(late)).toBeNull()
    expect(await groupOf(early)).toBe(place.group.id)
  })

  test('are claimed when they are created, changed or saved by an administrator', async () => {
    await verifiedDomain(server, place, domain)
    const account = { name: 'New', username: `new${made}`, password: 'korrekt-horse-9', skip_confirmation: true }
    const created = await server.root.post('/users', { ...account, email: `new@${domain}` })
    expect(created.status).toBe(201)
    const changed = await userWith(server, `changed${made}`, `changed@${domain}`)
    expect(idsOf(await place.owner.get(place.users)).sort()).toEqual([changed.id, created.body.id].sort())
    await server.root.put(`/users/${changed.id}`, { email: `changed@else${made}.test`, skip_reconfirmation: true })
    expect(idsOf(await place.owner.get(place.users))).toEqual([created.body.id])
  })
})
