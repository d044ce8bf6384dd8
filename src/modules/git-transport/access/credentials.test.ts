import { expect, test } from 'vitest'
import { startTestServer } from '../../../testing/index.ts'
import { identify } from './credentials.ts'

test('more sign-ins than the queue holds are answered with 503 and Retry-After', async () => {
  await using server = await startTestServer({})
  const authorization = `Basic ${Buffer.from('nobody-here:guess').toString('base64')}`
  const attempts = Array.from({ length: 300 }, () => identify(server.app.platform, authorization, '127.0.0.1'))
  // The first to fail is refused before any password has been verified.
  await expect(Promise.all(attempts)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '30' } })
  // The queue belongs to the process: it must be empty for the next test file.
  await Promise.allSettled(attempts)
}, 120_000)
