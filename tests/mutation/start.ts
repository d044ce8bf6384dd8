import { expect, test } from 'vitest'
import { startTestServer } from '../../src/testing/index.ts'

// What is reached here is reached before any test, and once in a process (`judge.ts`).
test('a server starts', async () => {
  await using server = await startTestServer()
  expect((await server.root.get('/version')).status).toBe(200)
})
