import { expect, test } from 'vitest'
import { manualClock } from '../infra/clock/index.ts'
import { startTestServer } from '../testing/index.ts'
import { storedJobs } from '../testing/jobs.ts'
import { startMailServer } from '../testing/mail.ts'
import { sendMail } from './index.ts'

const mail = { to: 'ada@example.test', subject: 'Hello', text: 'A secret text.' }

test('a mail is stored sealed, retried while the server fails, and given up when it is refused', async () => {
  await using mails = await startMailServer()
  const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  await using server = await startTestServer({ clock, settings: { FENNEC_SMTP_URL: mails.url } })
  const { platform } = server.app
  const { database, jobs } = platform
  const stored = () => storedJobs(database, { kind: 'mail.deliver' })
  const send = () => database.write((tx) => sendMail(platform, tx, mail))

  await database
    .write(async (tx) => {
      await sendMail(platform, tx, mail)
      throw new Error('rolled back')
    })
    .catch(() => {})
  expect(await stored()).toHaveLength(0)

  mails.refusals.push(451)
  await send()
  await jobs.drain()
  const [job] = await stored()
  expect(job).toMatchObject({ state: 'pending', attempts: 1 })
  expect(JSON.stringify(job)).not.toMatch(/secret|ada|Hello/)
  clock.advance(10_000)
  await jobs.drain()
  expect(await stored()).toHaveLength(0)
  expect(mails.received).toMatchObject([
    {
      from: 'fennec@127.0.0.1',
      to: [mail.to],
      text: mail.text,
      headers: {
        subject: mail.subject,
        from: 'Fennec <fennec@127.0.0.1>',
        'message-id': `<mail-${job?.id}@127.0.0.1>`,
      },
    },
  ])

  mails.refusals.push(550)
  await send()
  await jobs.drain()
  expect(await stored()).toHaveLength(0)
  expect(mails.received).toHaveLength(1)
})

test('mails wait while their worker is switched off', async () => {
  await using mails = await startMailServer()
  const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  await using server = await startTestServer({ clock, settings: { FENNEC_SMTP_URL: mails.url } })
  const { platform } = server.app
  await server.root.post('/features/mail_worker', { value: false })
  await platform.database.write((tx) => sendMail(platform, tx, mail))
  await platform.jobs.drain()
  expect(mails.received).toEqual([])
  await server.root.delete('/features/mail_worker')
  clock.advance(60_000)
  await platform.jobs.drain()
  expect(mails.received).toMatchObject([{ to: [mail.to] }])
})

test('without a mail server nothing is stored', async () => {
  await using server = await startTestServer()
  const { platform } = server.app
  await platform.database.write((tx) => sendMail(platform, tx, mail))
  expect(await storedJobs(platform.database, { kind: 'mail.deliver' })).toHaveLength(0)
})
