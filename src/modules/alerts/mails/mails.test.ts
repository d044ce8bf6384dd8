import { expect, test } from 'vitest'
import { makePeople, startTestServer } from '../../../testing/index.ts'
import { storedJobs } from '../../../testing/jobs.ts'
import { startMailServer } from '../../../testing/mail.ts'
import { deliver, projectWithAlerts } from '../testing.ts'
import { mailAlertJob } from './mails.ts'

test('maintainers and owners get a mail for each new alert and each recovery, where the project wants that', async () => {
  await using mails = await startMailServer()
  await using server = await startTestServer({ settings: { FENNEC_SMTP_URL: mails.url } })
  const { jobs, database } = server.app.platform
  const people = await makePeople(server)
  const made = await projectWithAlerts(server, people)
  const { url, token } = await made.integration()
  const fire = async (more: object) => {
    mails.received.length = 0
    const { status } = await deliver(url, token, { title: 'Disk full', fingerprint: 'a', hosts: ['h1'], ...more })
    expect(status).toBe(200)
    await jobs.drain()
    return mails.received
  }
  expect(await fire({})).toEqual([])
  await fire({ end_time: '2026-03-01T13:00:00Z' })

  await made.maintainer.put(made.settings, { send_email: true })
  const emails = await database.read.selectFrom('users').select(['email', 'username']).execute()
  const emailOf = (username: string) => emails.find((row) => row.username === username)?.email ?? ''
  const everyone = (await made.maintainer.get(`/projects/${made.project.id}/members/all`)).body
  const readers = everyone.filter((one: { access_level: number }) => one.access_level >= 40)
  expect(readers.length).toBeGreaterThan(1)
  const addresses = readers.map((one: { username: string }) => emailOf(one.username)).sort()

  const first = await fire({ title: 'Disk\nfull', description: 'No space' })
  expect(first.flatMap(({ to }) => to).sort()).toEqual(addresses)
  expect(first[0]?.headers.subject).toMatch(/ \| Alert: Disk full$/)
  expect(first[0]?.text).toMatch(/Hosts: h1\nDescription: No space/)
  expect(first[0]?.text).toMatch(/\/-\/alert_management\/2\/details$/)
  // The same alert again is not new.
  expect(await fire({ title: 'Disk\nfull' })).toEqual([])

  // A blocked user gets none.
  const [blocked] = readers
  await server.root.post(`/users/${blocked.id}/block`)
  const recovery = await fire({ end_time: '2026-03-01T13:00:00Z' })
  expect(recovery.flatMap(({ to }) => to).sort()).toEqual(
    addresses.filter((to: string) => to !== emailOf(blocked.username)),
  )
  expect(recovery[0]?.headers.subject).toMatch(/ \| Resolved alert: Disk full$/)
  expect(recovery[0]?.text).toContain('End time: 2026-03-01T13:00:00')

  // Nor does an alert that is new and resolved at once send one, or that was acknowledged before the job ran.
  expect(await fire({ fingerprint: 'b', end_time: '2026-03-01T13:00:00Z' })).toEqual([])
  const { id } = await database.read.selectFrom('alerts').select('id').where('iid', '=', 3).executeTakeFirstOrThrow()
  const acknowledged = { status: 'acknowledged', ended_at: null } as const
  await database.write((tx) => tx.updateTable('alerts').set(acknowledged).where('id', '=', id).execute())
  const context = { jobId: 1, attempt: 1, signal: new AbortController().signal }
  await mailAlertJob.run(server.app.platform, { alertId: id, occasion: 'triggered' }, context)
  await jobs.drain()
  expect(mails.received).toEqual([])
  expect(await storedJobs(database, { state: 'failed' })).toEqual([])
})
