import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import {
  addMembers,
  makePeople,
  type People,
  type Person,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { storedJobs } from '../../../testing/jobs.ts'
import { type MailServer, startMailServer } from '../../../testing/mail.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { Occasion } from '../telling/occasion.ts'
import { insertRun } from '../telling/store.ts'
import { tellJob } from '../telling/tell.ts'
import { mailJob } from './send.ts'

let mails: MailServer
let server: TestServer
let people: People
let project: ProjectRow
let at: string
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })

beforeAll(async () => {
  mails = await startMailServer()
  server = await startTestServer({ clock, settings: { FENNEC_SMTP_URL: mails.url } })
  people = await makePeople(server)
})
afterAll(async () => {
  await server.stop()
  await mails[Symbol.asyncDispose]()
})

const nothing = { headers: {} as Record<string, string>, html: '' }

let made = 0
beforeEach(async () => {
  made += 1
  project = await server.make.project(`mailed-${made}`, people.owner, { visibility: 'private' })
  await addMembers(server, project, people)
  at = `/projects/${project.id}/issues`
  mails.received.length = 0
})
afterEach(async () => {
  expect(await storedJobs(server.app.platform.database, { state: 'failed' })).toEqual([])
  for (const person of Object.values(people)) await person.put('/notification_settings', { level: 'participating' })
})

/** Lets the jobs run. @returns the mails since the last call, by the names of those who got them */
async function sent() {
  await server.app.platform.jobs.drain()
  const all = mails.received.splice(0)
  const named = all.map((mail) => [mail.to[0]?.split('@')[0] as string, mail] as const)
  return { names: named.map(([name]) => name).sort(), of: Object.fromEntries(named), all }
}

async function newIssue(by: Person, attributes: object = {}) {
  const { status, body } = await by.post(at, { title: 'Broken', ...attributes })
  expect(status).toBe(201)
  return body
}

test('those who take part get mails, each once, and never who acted', async () => {
  const { owner, developer, reporter, guest } = people
  const issue = await newIssue(reporter, { assignee_ids: [developer.id], description: 'See @owner and @outsider' })
  const first = await sent()
  // The outsider may not read the project.
  expect(first.names).toEqual(['developer', 'owner'])
  expect(first.of.owner?.text).toMatch(
    /^reporter.* created an issue:\n\nSee @owner and @outsider\n\nhttp:.*\/-\/issues\/1\n/,
  )
  expect(first.of.owner?.headers.subject).toBe(`${project.name} | Broken (#1)`)

  await guest.post(`${at}/${issue.iid}/notes`, { body: 'Me **too**' })
  const second = await sent()
  expect(second.names).toEqual(['developer', 'owner', 'reporter'])
  const { headers, html } = second.of.reporter ?? nothing
  expect(headers.subject).toBe(`Re: ${project.name} | Broken (#1)`)
  expect(headers['in-reply-to']).toBe(first.of.owner?.headers['message-id'])
  expect(headers.references).toBe(`<issue_${issue.id}@127.0.0.1>`)
  expect(headers['message-id']).not.toBe(headers.references)
  expect(html).toContain('<strong>too</strong>')
  expect(headers).toMatchObject({
    ...{ 'auto-submitted': 'auto-generated', 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' },
    ...{ 'x-gitlab-project-id': String(project.id), 'x-fennec-project-id': String(project.id) },
    ...{ 'x-gitlab-issue-iid': '1', 'x-service-issue-id': String(issue.id) },
    ...{ 'x-gitlab-notificationreason': 'author', from: 'guest person <fennec@127.0.0.1>' },
  })
  expect(headers['list-id']).toContain(`<${project.id}.`)

  await owner.put(`${at}/1`, { state_event: 'close' })
  const closed = await sent()
  expect(closed.names).toEqual(['developer', 'guest', 'reporter'])
  expect(closed.of.guest?.text).toMatch(/ closed the issue\.\n/)
  await owner.put(`${at}/1`, { assignee_ids: [guest.id] })
  const reassigned = await sent()
  expect(reassigned.names).toEqual(['developer', 'guest', 'reporter'])
  expect(reassigned.of.guest?.text).toMatch(/changed the assignees: added guest.* and removed developer/)
  // A changed description tells those who are new in it.
  await owner.put(`${at}/1`, { description: 'See @owner and @maintainer' })
  expect((await sent()).names).toEqual(['maintainer'])
  // Only addresses of the recipients themselves are in mails.
  for (const mail of [...first.all, ...second.all, ...closed.all, ...reassigned.all]) {
    const shown = `${JSON.stringify(mail.headers)}${mail.text}${mail.html}`.replaceAll(mail.to[0] as string, '')
    expect(shown).not.toContain('@example.com')
  }
})

test('levels of the project count before those of groups and the own one', async () => {
  const { owner, developer, reporter, guest, maintainer, outsider } = people
  const place = `/projects/${project.id}/notification_settings`
  await developer.put('/notification_settings', { level: 'watch' })
  await outsider.put('/notification_settings', { level: 'watch' })
  await reporter.put(place, { level: 'custom', new_issue: true })
  await guest.put(place, { level: 'disabled' })
  await newIssue(owner, { description: '@guest and @maintainer' })
  expect((await sent()).names).toEqual(['developer', 'maintainer', 'reporter'])
  await developer.put(place, { level: 'mention' })
  await owner.put(`${at}/1`, { state_event: 'close' })
  expect((await sent()).names).toEqual(['maintainer'])

  const group = (await owner.post('/groups', { name: 'g', path: `told-${made}` })).body
  const below = (await owner.post('/groups', { name: 's', path: 's', parent_id: group.id })).body
  const inGroup = (await owner.post('/projects', { name: 'p', namespace_id: below.id })).body
  for (const { id } of [developer, reporter, maintainer]) {
    await owner.post(`/groups/${group.id}/members`, { user_id: id, access_level: 30 })
  }
  await developer.put(`/groups/${below.id}/notification_settings`, { level: 'global' })
  await developer.put(`/groups/${group.id}/notification_settings`, { level: 'mention' })
  await reporter.put(`/groups/${group.id}/notification_settings`, { level: 'watch' })
  await owner.post(`/projects/${inGroup.id}/issues`, { title: 'In a group' })
  expect((await sent()).names).toEqual(['reporter'])
  // Who is no member any more gets none, whatever their settings are.
  await owner.delete(`/groups/${group.id}/members/${reporter.id}`)
  await owner.post(`/projects/${inGroup.id}/issues`, { title: 'Another' })
  expect((await sent()).names).toEqual([])
})

test('subscriptions count, and links of mails end them with one POST and without sign-in', async () => {
  const { owner, developer, guest } = people
  const issue = await newIssue(owner)
  await guest.put('/notification_settings', { level: 'disabled' })
  await guest.post(`${at}/1/subscribe`)
  await developer.post(`${at}/1/notes`, { body: 'One' })
  const { names, of } = await sent()
  expect(names).toEqual(['guest', 'owner'])
  const link = of.owner?.headers['list-unsubscribe']?.slice(1, -1) as string
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1.*\/-\/sent_notifications\/[\w.-]+\/unsubscribe$/)
  const asked = await fetch(link)
  expect([asked.status, await asked.text()]).toEqual([200, expect.stringContaining('<form method="post">')])
  await developer.post(`${at}/1/notes`, { body: 'Two' })
  expect((await sent()).names).toEqual(['guest', 'owner'])
  for (let time = 0; time < 2; time += 1) {
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    expect((await fetch(link, { method: 'POST', body })).status).toBe(200)
  }
  expect((await owner.get(`${at}/1`)).body.subscribed).toBe(false)
  await developer.post(`${at}/1/notes`, { body: 'Three' })
  expect((await sent()).names).toEqual(['guest'])
  await developer.post(`${at}/1/notes`, { body: '@owner' })
  expect((await sent()).names).toEqual(['guest', 'owner'])
  const broken = [
    link.replace('/unsubscribe', 'x/unsubscribe'),
    link.replace(/notifications\/[^/]+/, 'notifications/..%2f..'),
  ]
  for (const address of broken) expect((await fetch(address, { method: 'POST' })).status).toBe(404)
  await owner.delete(`${at}/${issue.iid}`)
  expect((await fetch(link, { method: 'POST' })).status).toBe(404)
})

test('confidential issues and internal notes are for those who may read them', async () => {
  const { owner, developer, reporter, guest } = people
  for (const person of [developer, reporter, guest]) await person.put('/notification_settings', { level: 'watch' })
  await newIssue(owner, { confidential: true, description: '@guest' })
  expect((await sent()).names).toEqual(['developer', 'reporter'])
  await newIssue(owner, { assignee_ids: [guest.id] })
  expect((await sent()).names).toEqual(['developer', 'guest', 'reporter'])
  await owner.post(`${at}/2/notes`, { body: 'Secret @guest', internal: true })
  expect((await sent()).names).toEqual(['developer', 'reporter'])
})

test('rights and settings are asked again when a mail is sent', async () => {
  const { owner, developer, reporter, guest } = people
  const { platform } = server.app
  const told = async (change: () => Promise<unknown>) => {
    await server.root.post('/features/mail_worker', { value: false })
    await newIssue(owner, { description: '@developer @reporter @guest @maintainer' })
    await platform.jobs.drain()
    // The mails are stored, and not yet sent.
    expect((await storedJobs(platform.database, { kind: mailJob.kind })).length).toBeGreaterThan(1)
    await change()
    await server.root.delete('/features/mail_worker')
    clock.advance(60_000)
    return (await sent()).names
  }
  expect(await told(async () => {})).toEqual(['developer', 'guest', 'maintainer', 'reporter'])
  expect(await told(() => owner.delete(`/projects/${project.id}/members/${developer.id}`))).not.toContain('developer')
  await server.make.member({ project }, developer, 30)
  expect(await told(() => guest.put('/notification_settings', { level: 'disabled' }))).not.toContain('guest')
  await guest.put('/notification_settings', { level: 'participating' })
  const confidential = () => owner.put(`${at}/4`, { confidential: true })
  expect(await told(confidential)).not.toContain('guest')
  expect(await told(() => server.root.post(`/users/${reporter.id}/block`))).not.toContain('reporter')
  await server.root.post(`/users/${reporter.id}/unblock`)
  expect(await told(() => owner.put(`/projects/${project.id}`, { issues_access_level: 'disabled' }))).toEqual([])
  await owner.put(`/projects/${project.id}`, { issues_access_level: 'enabled' })
  expect(await told(() => owner.delete(`${at}/7`))).toEqual([])
})

test('titles, names and texts can begin no header and no element', async () => {
  const { owner, developer } = people
  const title = 'A\r\nBcc: evil@example.org\r\n\r\nbody \u2028 <script>alert(1)</script> \u{1f600}'
  await owner.put('/user/status', {})
  await newIssue(developer, {
    title,
    assignee_ids: [owner.id],
    description: '<script>x</script> [a](javascript:alert(1)) [b](/x)',
  })
  const { of, names } = await sent()
  expect(names).toEqual(['owner'])
  const { headers, html } = of.owner ?? nothing
  expect(headers.bcc).toBeUndefined()
  expect(headers.subject).toMatch(/^mailed-\d+ \| A\s+Bcc: evil@example\.org\s+body\s+<script>/)
  expect(html).not.toMatch(/<script|href="javascript/)
  expect(html).toContain(`href="${server.url}/x"`)
  await newIssue(developer, { title: 'x'.repeat(255), assignee_ids: [owner.id], description: '# '.repeat(200_000) })
  expect((await sent()).of.owner?.text.length).toBeLessThan(25_000)
})

test('a run that is repeated stores no mail twice, in portions of many users', async () => {
  const { owner } = people
  const { database } = server.app.platform
  const issue = await newIssue(owner)
  await sent()
  await database.write(async (tx) => {
    for (let part = 0; part < 3; part += 1) {
      const rows = Array.from({ length: 210 }, (_, index) => {
        const name = `many-${made}-${part}-${index}`
        const [moment, zero] = ['2026-01-01T00:00:00.000Z', 0]
        const times = { created_at: moment, updated_at: moment, confirmed_at: moment }
        return { username: name, name, email: `${name}@example.com`, projects_limit: zero, ...times }
      })
      const users = await tx.insertInto('users').values(rows).returning('id').execute()
      const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' }
      const of = { project_id: project.id, group_id: null, noteable_type: 'Issue' as const, noteable_id: issue.id }
      const subscriptions = users.map(({ id }) => ({ ...of, commit_id: null, user_id: id, subscribed: true, ...times }))
      await tx.insertInto('subscriptions').values(subscriptions).execute()
    }
  })
  await database.write((tx) =>
    tx.updateTable('projects').set({ visibility: 'public' }).where('id', '=', project.id).execute(),
  )
  const occasion: Occasion = {
    ...{ happening: 'closed', event: 'close_issue', type: 'Issue', id: issue.id, actorId: people.guest.id },
    ...{ mentioned: [], added: [], removed: [] },
  }
  await server.root.post('/features/mail_worker', { value: false })
  const runId = await database.write((tx) => insertRun(tx, project.id, occasion, clock.now().toISOString()))
  const context = { jobId: 1, attempt: 1, signal: new AbortController().signal }
  const run = () => tellJob.run(server.app.platform, { runId }, context)
  await Promise.all([run(), run()])
  await run()
  expect(await storedJobs(database, { kind: mailJob.kind })).toHaveLength(631)
  await database.write((tx) => tx.deleteFrom('jobs').where('kind', '=', mailJob.kind).execute())
  await server.root.delete('/features/mail_worker')
  expect((await sent()).names).toEqual([])
})

test('a user is sent so many mails an hour, and the others after it', async () => {
  const { owner, guest } = people
  const { database } = server.app.platform
  await newIssue(owner, { assignee_ids: [guest.id] })
  await sent()
  const seconds = Math.floor(clock.now().getTime() / 1000)
  const key = `notification_mails:${guest.id}`
  const window_start = seconds - (seconds % 3600)
  await database.write(async (tx) => {
    await tx.deleteFrom('rate_windows').where('key', '=', key).execute()
    await tx.insertInto('rate_windows').values({ key, window_start, requests: 200 }).execute()
  })
  await owner.post(`${at}/1/notes`, { body: 'One more' })
  expect((await sent()).names).toEqual([])
  clock.advance(3_600_000)
  expect((await sent()).names).toEqual(['guest'])
})
