/** What clients see of a server between its first listening and the end of its start. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { startFennec } from '../src/index.ts'
import { git, temporaryDirectory } from '../src/testing/index.ts'

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

test('a server that is starting answers 503 with Retry-After, never 404', async () => {
  const port = await freePort()
  let started = false
  const starting = startFennec({ port }).finally(() => {
    started = true
  })
  const seen = new Set<string>()
  while (!started) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v4/version`).catch(() => null)
    if (response) seen.add(`${response.status} ${response.headers.get('retry-after')} ${await response.text()}`)
  }
  await using server = await starting
  expect((await fetch(`${server.url}/api/v4/version`)).status).toBe(401)
  const unavailable = '503 5 {"message":"503 Service Unavailable"}'
  expect([...seen].filter((answer) => !answer.startsWith('401 '))).toEqual([unavailable])
})

test('git addresses may have several slashes in a row', async () => {
  await using server = await startFennec()
  await using folder = await temporaryDirectory()
  const headers = { 'PRIVATE-TOKEN': server.rootToken, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ name: 'demo', initialize_with_readme: true })
  expect((await fetch(`${server.url}//api/v4//projects`, { method: 'POST', headers, body })).status).toBe(201)
  const address = `${server.url.replace('://', `://root:${server.rootToken}@`)}//root//demo.git`
  expect(await git(folder.path, 'clone', address, 'copy')).toMatchObject({ code: 0 })
})
