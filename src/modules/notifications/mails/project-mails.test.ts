import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { react } from '../../../platform/index.ts'
import {
  makePeople,
  type People,
  projectWithTwoCommits,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { type MailServer, startMailServer } from '../../../testing/mail.ts'
import { dueJob } from '../telling/project-work.ts'

let mails: MailServer
let server: TestServer
let people: People
let own: Awaited<ReturnType<typeof projectWithTwoCommits>>
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })

beforeAll(async () => {
  mails = await startMailServer()
  server = await startTestServer({ clock, settings: { FENNEC_SMTP_URL: mails.url } })
  people = await makePeople(server)
  own = await projectWithTwoCommits(server, { people, path: 'project-mails' })
})
afterAll(async () => {
  await own[Symbol.asyncDispose]()
  await server.stop()
  await mails[Symbol.asyncDispose]()
})
beforeEach(async () => {
  for (const person of Object.values(people)) await person.put('/notification_settings', { level: 'participating' })
})

async function sent() {
  await server.app.platform.jobs.drain()
  const all = mails.received.splice(0)
  const named = all.map((mail) => [mail.to[0]?.split('@')[0] as string, mail] as const)
  return { names: named.map(([name]) => name).sort(), of: Object.fromEntries(named) }
}

const levels = (person: People['guest'], settings: object) => person.put(`${own.base}/notification_settings`, settings)

test('watchers and those who chose releases are notified of a new one, and can end the mails of the project', async () => {
  const { developer, reporter, guest, maintainer } = people
  await levels(reporter, { level: 'watch' })
  await levels(maintainer, { level: 'custom', new_release: true })
  await levels(guest, { level: 'watch' })
  await levels(developer, { level: 'watch' })
  const made = { tag_name: 'v1', ref: 'main', name: 'One\r\nBcc: a@b.c', description: '**New**' }
  expect((await developer.post(`${own.base}/releases`, made)).status).toBe(201)
  const { names, of } = await sent()
  // Guests of private projects may not read the code.
  expect(names).toEqual(['maintainer', 'reporter'])
  expect(of.reporter?.headers.bcc).toBeUndefined()
  expect(of.reporter?.html).toContain('<strong>New</strong>')
  const link = of.reporter?.headers['list-unsubscribe']?.slice(1, -1) as string
  expect(await (await fetch(link)).text()).toContain('about project')
  expect((await fetch(link, { method: 'POST' })).status).toBe(200)
  expect((await reporter.get(`${own.base}/notification_settings`)).body).toEqual({ level: 'disabled' })
  await developer.put(`${own.base}/releases/v1`, { name: 'Changed' })
  await developer.post(`${own.base}/releases`, { tag_name: 'v2', ref: 'main' })
  expect((await sent()).names).toEqual(['maintainer'])
})

test('who started a pipeline is notified that it failed, was fixed, and, where chosen, succeeded', async () => {
  const { developer } = people
  const { database, ...platform } = server.app.platform
  const project = (await developer.get(own.base)).body
  let iid = 0
  const pipeline = (status: 'failed' | 'success', more: object = {}) =>
    database.write(async (tx) => {
      iid += 1
      const at = clock.now().toISOString()
      const row = { project_id: project.id, iid: 1000 + iid, sha: 'a'.repeat(40), ref: 'main', status, source: 'push' }
      const times = { created_at: at, updated_at: at, user_id: developer.id }
      const { id } = await tx
        .insertInto('pipelines')
        .values({ ...row, ...times, ...more })
        .returning('id')
        .executeTakeFirstOrThrow()
      await react({ ...platform, database }, tx, 'pipeline.changed', { pipelineId: id, projectId: project.id })
      return id
    })
  const told = async (status: 'failed' | 'success', more: object = {}) => {
    await pipeline(status, more)
    const { names, of } = await sent()
    return [names, of.developer?.text.split('\n')[0]]
  }
  await levels(developer, { level: 'global' })
  expect(await told('failed')).toEqual([['developer'], 'The pipeline has failed.'])
  expect(await told('success', { ref: 'other' })).toEqual([[], undefined])
  expect(await told('success')).toEqual([['developer'], expect.stringMatching(/had failed/)])
  expect(await told('success')).toEqual([[], undefined])
  await levels(developer, { level: 'custom', success_pipeline: true, failed_pipeline: false })
  expect(await told('success')).toEqual([['developer'], 'The pipeline has succeeded.'])
  expect(await told('failed')).toEqual([[], undefined])
  await levels(developer, { level: 'watch' })
  expect(await told('failed', { user_id: null })).toEqual([[], undefined])
  // A mail of a pipeline that has gone on says nothing true.
  await server.root.post('/features/mail_worker', { value: false })
  const id = await pipeline('failed')
  await server.app.platform.jobs.drain()
  await database.write((tx) => tx.updateTable('pipelines').set({ status: 'running' }).where('id', '=', id).execute())
  await server.root.delete('/features/mail_worker')
  clock.advance(60_000)
  expect((await sent()).names).toEqual([])
})

test('who takes part in an issue is notified the day before it is due, where they have chosen that', async () => {
  const { owner, developer, reporter } = people
  const issues = `${own.base}/issues`
  for (const title of ['Due', 'Closed']) {
    await owner.post(issues, { title, due_date: '2026-03-02', assignee_ids: [developer.id] })
  }
  await owner.post(issues, { title: 'Later', due_date: '2026-03-03', assignee_ids: [developer.id] })
  await owner.put(`${issues}/2`, { state_event: 'close' })
  for (const person of [developer, reporter]) await levels(person, { level: 'custom', issue_due: true })
  await sent()
  await dueJob.run(server.app.platform, null, { jobId: 1, attempt: 1, signal: new AbortController().signal })
  const { names, of } = await sent()
  expect(names).toEqual(['developer'])
  expect(of.developer?.headers.subject).toContain('Due (#1)')
})

test('merge requests tell of reviewers, pushes of a minute at once, approvals and merges', async () => {
  const { developer, maintainer, reporter, owner } = people
  for (const person of [developer, reporter, maintainer]) await levels(person, { level: 'global' })
  const commit = (content: string, action = 'create') => {
    const actions = [{ action, file_path: 'mailed.txt', content }]
    const to = { branch: 'mailed', start_branch: 'main', commit_message: 'c' }
    return developer.post(
      `${own.base}/repository/commits`,
      action === 'create' ? { ...to, actions } : { ...to, start_branch: undefined, actions },
    )
  }
  expect((await commit('1')).status).toBe(201)
  const request = { title: 'Mailed', source_branch: 'mailed', target_branch: 'main', reviewer_ids: [maintainer.id] }
  const { iid } = (await developer.post(`${own.base}/merge_requests`, request)).body
  const at = `${own.base}/merge_requests/${iid}`
  const first = await sent()
  expect(first.names).toEqual(['maintainer'])
  expect(first.of.maintainer?.headers).toMatchObject({
    ...{ 'x-gitlab-mergerequest-iid': String(iid), 'x-gitlab-notificationreason': 'review_requested' },
  })
  await commit('2', 'update')
  await commit('3', 'update')
  expect((await sent()).names).toEqual([])
  clock.advance(60_000)
  const pushed = await sent()
  expect(pushed.names).toEqual(['maintainer'])
  expect(pushed.of.maintainer?.headers['in-reply-to']).toBe(first.of.maintainer?.headers['message-id'])
  await owner.put(at, { reviewer_ids: [reporter.id] })
  expect((await sent()).names).toEqual(['developer', 'maintainer', 'reporter'])
  await maintainer.post(`${at}/approve`)
  expect((await sent()).names).toEqual(['developer', 'reporter'])
  await owner.put(`${at}/merge`)
  const merged = await sent()
  expect(merged.names).toEqual(['developer', 'reporter'])
  expect(merged.of.developer?.text).toMatch(/ merged the merge request\./)
})
