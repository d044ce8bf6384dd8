import { expect, test } from 'vitest'
import { hashPassword } from '../../../infra/secrets/index.ts'
import { startTestServer } from '../../../testing/index.ts'
import { identify } from './credentials.ts'

test('more sign-ins than the queue holds are answered with 503 and Retry-After', async () => {
  await using server = await startTestServer()
  const authorization = `Basic ${Buffer.from('nobody-here:guess').toString('base64')}`
  // Two run, for longer than it takes to look up a user, and two hundred wait.
  const running = Array.from({ length: 2 }, () => hashPassword('x', { n: 2 ** 15, r: 8, p: 16 }))
  const waiting = Array.from({ length: 200 }, () => hashPassword('x', { n: 16, r: 1, p: 1 }))
  const attempt = identify(server.app.platform, authorization, '127.0.0.1')
  await expect(attempt).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '30' } })
  // The queue belongs to the process: it must be empty for the next test file.
  await Promise.all([...running, ...waiting])
})
