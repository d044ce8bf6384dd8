import { expect, test } from 'vitest'

// What is reached here is reached before any test, and once in a process (`judge.ts`); also while the server is loaded.
test('a server starts', async () => {
  const { startTestServer } = await import('../../src/testing/index.ts')
  await using server = await startTestServer()
  expect((await server.root.get('/version')).status).toBe(200)
})
