import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { exportArchiveJob } from './job.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

test('a request whose process has died in every attempt ends, and the next one is carried out', async () => {
  const { platform } = server.app
  const owner = await server.user('owner')
  const { body: project } = await owner.post('/projects', { name: 'exported' })
  const place = `/projects/${project.id}`
  const stateOf = async () => (await owner.get(`${place}/export`)).body.export_status
  await owner.post(`${place}/export`)
  await platform.jobs.drain()
  const dying = { ticket: 'of a process that died', is_started: true }
  const { id: exportId } = await platform.database.write((tx) =>
    tx.updateTable('transfer_exports').set(dying).returning('id').executeTakeFirstOrThrow(),
  )
  expect(await stateOf()).toBe('regeneration_in_progress')
  const context = { jobId: 0, attempt: 5, signal: new AbortController().signal }
  await expect(exportArchiveJob.run(platform, { exportId, ticket: dying.ticket }, context)).rejects.toThrow(
    'the archive could not be written in any attempt',
  )
  expect(await stateOf()).toBe('finished')
  const rows = () => platform.database.read.selectFrom('transfer_exports').select('secret').execute()
  const [before] = await rows()
  expect((await owner.post(`${place}/export`)).status).toBe(202)
  await platform.jobs.drain()
  expect([await stateOf(), (await rows())[0]?.secret === before?.secret]).toEqual(['finished', false])
})
