import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  changeAddress,
  type Enterprise,
  enterprise,
  idsOf,
  publish,
  unpublish,
  userWith,
  withTwoFactor,
} from '../../src/modules/enterprise-users/testing.ts'
import { startTestServer, type TestServer } from '../../src/testing/index.ts'

/** The acceptance walk of enterprise users (contract 13); the numbers are the walk's. */
let server: TestServer
let place: Enterprise
beforeAll(async () => {
  server = await startTestServer()
  place = await enterprise(server, 'corp')
})
afterAll(async () => {
  server.app.platform.config.domainsVerification = 'dns'
  unpublish(server)
  await server.stop()
})

test('enterprise users', async () => {
  const { owner, maintainer, group, subgroup, users, domains } = place
  const first = await userWith(server, 'u1', 'u1@corp.test')
  const second = await userWith(server, 'u2', 'u2@corp.test')
  const third = await userWith(server, 'u3', 'u3@else.test')
  await withTwoFactor(server, second)
  const list = async (query = '') => idsOf(await owner.get(`${users}${query}`))
  const both = [second.id, first.id]
  // 1.
  expect((await server.anonymous.get(users)).status).toBe(401)
  expect((await maintainer.get(users)).status).toBe(403)
  const below = await owner.get(`/groups/${subgroup.id}/enterprise_users`)
  expect([below.status, below.body.message]).toEqual([400, '400 Bad request - Must be a top-level group'])
  expect(await owner.get(users)).toMatchObject({ status: 200, body: [] })
  // 2.
  const { status, body: domain } = await owner.post(domains, { domain: 'corp.test' })
  expect([status, domain.verified]).toEqual([201, false])
  const other = await server.make.project('other', owner, { namespace: group })
  const again = await owner.post(`/projects/${other.id}/pages/domains`, { domain: 'corp.test' })
  expect([again.status, again.body.message]).toEqual([400, { domain: ['has already been taken'] }])
  // 3.
  server.app.platform.config.domainsVerification = 'static'
  const verify = () => owner.put(`${domains}/corp.test/verify`)
  expect((await verify()).status).toBe(422)
  publish(server, 'corp.test', domain.verification_code)
  expect(await verify()).toMatchObject({ status: 200, body: { verified: true } })
  // 4.
  await expect.poll(() => list(), { timeout: 10_000 }).toEqual(both)
  expect((await owner.get(`/groups/${group.id}/members/${first.id}`)).status).toBe(404)
  // 5.
  expect(await list('?username=U1')).toEqual([first.id])
  expect(await list('?search=corp')).toEqual(both)
  expect(await list('?two_factor=enabled')).toEqual([second.id])
  expect(await list('?two_factor=x')).toEqual(both)
  // 6.
  await server.root.post(`/users/${first.id}/block`)
  expect(await list('?blocked=true')).toEqual([first.id])
  expect(await list('?active=true')).toEqual([second.id])
  expect(await list('?active=true&blocked=true')).toEqual([])
  // 7.
  expect(await list('?created_after=2999-01-01T00:00:00Z')).toEqual([])
  expect((await owner.get(`${users}?created_after=nonsense`)).body.error).toBe('created_after is invalid')
  expect((await owner.get(`${users}?active=maybe`)).status).toBe(400)
  // 8.
  expect((await owner.get(`${users}/${first.id}`)).body.email).toBe('u1@corp.test')
  expect(await owner.get(`${users}/${third.id}`)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  expect((await owner.get(`${users}/abc`)).status).toBe(400)
  // 9.
  const disable = `${users}/${second.id}/disable_two_factor`
  expect((await maintainer.patch(disable)).status).toBe(403)
  expect((await owner.patch(disable)).status).toBe(204)
  expect((await owner.get(`${users}/${second.id}`)).body.two_factor_enabled).toBe(false)
  expect((await owner.patch(disable)).body.message).toBe(
    '400 Bad request - Two-factor authentication is not enabled for this user',
  )
  // 10.
  expect((await owner.patch(`${users}/${second.id}`, { email: 'u2@else.test' })).status).toBe(400)
  expect((await owner.patch(`${users}/${second.id}`, { name: 'New' })).body.name).toBe('New')
  // 11.
  await changeAddress(server, second, 'u2@else.test')
  expect(await list()).toEqual([first.id])
  await changeAddress(server, second, 'u2@corp.test')
  expect(await list()).toEqual(both)
  // 12.
  const owned = await server.make.group('only-his', first)
  expect((await owner.delete(`${users}/${first.id}`)).status).toBe(409)
  expect((await owner.delete(`${users}/${first.id}?hard_delete=true`)).status).toBe(204)
  await expect.poll(async () => (await server.root.get(`/groups/${owned.id}`)).status, { timeout: 10_000 }).toBe(404)
  expect((await owner.get(`${users}/${first.id}`)).status).toBe(404)
  // 13.
  expect((await owner.delete(`${domains}/corp.test`)).status).toBe(204)
  await userWith(server, 'x', 'x@corp.test')
  expect(await list()).toEqual([second.id])
})
