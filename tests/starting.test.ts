/** What clients see of a server between its first listening and the end of its start. */
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startApp } from '../src/app.ts'
import { memoryConfig, readConfig } from '../src/config.ts'
import { startEmbedded } from '../src/embedded.ts'
import { git, temporaryDirectory } from '../src/testing/index.ts'

test('a server that is starting answers 503 with Retry-After, never 404', async () => {
  await using folder = await temporaryDirectory()
  const config = { ...memoryConfig(readConfig({}), folder.path), listen: { host: '127.0.0.1', port: 0 } }
  const answers: unknown[] = []
  const onListening = async (url: string) => {
    for (const path of [
      '/api/v4/version',
      '/api/v4/projects',
      '/root/demo.git/info/refs?service=git-upload-pack',
      '/',
    ]) {
      const response = await fetch(`${url}${path}`)
      answers.push([response.status, response.headers.get('retry-after'), await response.text()])
    }
  }
  const app = await startApp({ config, log: pino({ level: 'silent' }), durable: false, onListening })
  expect((await fetch(`${app.url}/api/v4/version`)).status).toBe(401)
  await app.stop()
  const unavailable = [503, '5', '{"message":"503 Service Unavailable"}']
  expect(answers).toEqual([unavailable, unavailable, unavailable, unavailable])
})

test('git addresses may have several slashes in a row', async () => {
  await using server = await startEmbedded()
  await using folder = await temporaryDirectory()
  const headers = { 'PRIVATE-TOKEN': server.rootToken, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ name: 'demo', initialize_with_readme: true })
  expect((await fetch(`${server.url}//api/v4//projects`, { method: 'POST', headers, body })).status).toBe(201)
  const address = `${server.url.replace('://', `://root:${server.rootToken}@`)}//root//demo.git`
  expect(await git(folder.path, 'clone', address, 'copy')).toMatchObject({ code: 0 })
})
