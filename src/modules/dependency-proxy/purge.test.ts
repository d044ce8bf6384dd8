import { expect, test } from 'vitest'
import { startTestServer } from '../../testing/index.ts'

test('x.dependency_proxy_purge accepts the request of an owner, any number of times', async () => {
  await using server = await startTestServer()
  const owner = await server.user('owner')
  const maintainer = await server.user('maintainer')
  const group = await server.make.group('proxied', owner)
  await server.make.member({ namespace: group }, maintainer, 40)
  const path = `/groups/${group.id}/dependency_proxy/cache`
  for (let round = 0; round < 2; round += 1) {
    expect(await owner.delete(path)).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
  }
  expect((await maintainer.delete(path)).status).toBe(403)
  expect((await owner.get(`/groups/${group.id}`)).status).toBe(200)
})
