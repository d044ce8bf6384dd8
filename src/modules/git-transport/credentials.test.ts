import { expect, test } from 'vitest'
import { PasswordQueueFull } from '../../infra/secrets/index.ts'
import { authenticatorOf } from '../../platform/index.ts'
import { startTestServer } from '../../testing/index.ts'
import { gitAuthentication } from './credentials.ts'

test('a storm of passwords is told to come back later', async () => {
  await using server = await startTestServer()
  const { database, clock, settings } = server.app.floor
  const policy = () => settings.current()
  const identify = gitAuthentication({
    ...{ database, clock, policy },
    authenticator: authenticatorOf(server.app.floor),
    signIn: () => Promise.reject(new PasswordQueueFull()),
  })
  const authorization = `Basic ${Buffer.from('root:guess').toString('base64')}`
  await expect(identify(authorization, '127.0.0.1')).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '30' },
  })
})
