import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type MailServer, startMailServer } from '../../../testing/mail.ts'
import { hookPipelines } from '../../hooks/index.ts'
import { recipientsIn } from './mails.ts'

let mail: MailServer
let server: TestServer
let owner: Person
let at: string
beforeAll(async () => {
  mail = await startMailServer()
  server = await startTestServer({ settings: { FENNEC_SMTP_URL: mail.url } })
  owner = await server.user('owner')
  const project = await server.make.project('mailed', owner)
  at = `/projects/${project.id}`
})
afterAll(async () => {
  await server.stop()
  await mail[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await server.app.platform.jobs.drain()
  mail.received.length = 0
})

async function commit(file: string, content = file) {
  const actions = [{ action: 'create', file_path: file, content }]
  const body = { branch: 'main', commit_message: `Add ${file}\n\nWith a body`, actions }
  expect((await owner.post(`${at}/repository/commits`, body)).status).toBe(201)
  await server.app.platform.jobs.drain()
}

test('a push is mailed to the recipients, with its commits and files', async () => {
  await owner.put(`${at}/integrations/emails-on-push`, { recipients: 'a@x.test\nb@x.test, not-an-address' })
  await commit('first.txt')
  expect(mail.received.map(({ to }) => to).toSorted()).toEqual([['a@x.test'], ['b@x.test']])
  const [first] = mail.received
  expect(first?.headers.subject).toMatch(/^owner person \/ mailed \| \[main\] [0-9a-f]{8}: Add first.txt/)
  expect(first?.text).toContain('owner person pushed new branch main')
  expect(first?.text).toContain('added: first.txt')
  mail.received.length = 0
  await owner.put(`${at}/integrations/emails-on-push`, { recipients: 'a@x.test', disable_diffs: true })
  await commit('second.txt')
  expect(mail.received).toHaveLength(1)
  expect(mail.received[0]?.text).not.toContain('added: second.txt')
})

test('a pipeline is mailed when it has ended, and to the one who ran it where that is set', async () => {
  await owner.delete(`${at}/integrations/emails-on-push`)
  const fields = { recipients: 'c@x.test', pipeline_events: true, notify_only_broken_pipelines: true, add_pusher: true }
  await owner.put(`${at}/integrations/pipelines-email`, fields)
  await commit('.gitlab-ci.yml', 'job: { script: [make] }')
  const [pipeline] = (await owner.get(`${at}/pipelines`)).body
  const { platform } = server.app
  for (const status of ['running', 'success', 'failed'] as const) {
    await platform.database.write(async (tx) => {
      await tx.updateTable('pipelines').set({ status }).where('id', '=', pipeline.id).execute()
      await hookPipelines(platform, tx, { pipelineId: pipeline.id, projectId: pipeline.project_id })
    })
  }
  await platform.jobs.drain()
  const { email } = (await owner.get('/user')).body
  expect([...new Set(mail.received.map(({ to }) => to[0]))].toSorted()).toEqual(['c@x.test', email].toSorted())
  expect(mail.received[0]?.headers.subject).toMatch(/Pipeline #\d+ of branch main by owner person failed/)
})

test.each([
  ['a@x.test', ['a@x.test']],
  ['a@x.test;a@x.test b@y.test', ['a@x.test', 'b@y.test']],
  ['<a@x.test>, "b"@x.test, @, a@, x', []],
  ['a@x.test\r\nBcc:c@x.test', ['a@x.test', 'Bcc:c@x.test']],
])('recipients in %j', (list, expected) => {
  expect(recipientsIn(list)).toEqual(expected)
})

test('a list of any size is read in time, to a limit', () => {
  expect(recipientsIn(`${'a'.repeat(9_000)}@`)).toEqual([])
  expect(recipientsIn(Array.from({ length: 2_000 }, (_, index) => `u${index}@x.test`).join(' '))).toHaveLength(750)
})
