import { describe, expect, test } from 'vitest'
import { startMailServer } from '../../testing/mail.ts'
import { createMailer, MailRefused } from './index.ts'

const from = 'Fennec <fennec@example.test>'
const mail = { to: 'ada@example.test', subject: 'Hello', text: 'A text.\n.\nAnother.' }

describe('a mail', () => {
  test('arrives with its texts, whatever they contain', async () => {
    await using server = await startMailServer({ user: 'u@x', password: 'p:/@ß' })
    const mailer = createMailer({ url: server.url, from })
    await mailer.deliver(mail, 'one')
    await mailer.deliver({ to: 'ada@example.test', subject: 'Grüße\r\nBcc: eve@evil.test', text: '日本\n=3D' }, 'two')
    expect(server.received).toMatchObject([
      {
        from: 'fennec@example.test',
        to: ['ada@example.test'],
        headers: { subject: 'Hello', from, 'message-id': '<one@example.test>', 'auto-submitted': 'auto-generated' },
        text: mail.text,
      },
      { to: ['ada@example.test'], headers: { 'message-id': '<two@example.test>' }, text: '日本\n=3D' },
    ])
    expect(server.received[1]?.headers.subject).toMatch(/^Grüße\s+Bcc: eve@evil.test$/)
    expect(server.received[1]?.headers).not.toHaveProperty('bcc')
  })

  test.each(['eve@evil.test, ada@example.test', 'ada@example.test\r\nRCPT TO:<eve@evil.test>', ''])(
    'is not delivered to %j',
    async (to) => {
      await using server = await startMailServer()
      await createMailer({ url: server.url, from })
        .deliver({ ...mail, to }, 'one')
        .catch(() => {})
      expect(server.received.flatMap((one) => one.to)).not.toContain('eve@evil.test')
      expect(server.received.flatMap((one) => one.to)).not.toContain('ada@example.test')
    },
  )

  test('that is refused for good is distinguished from one that may be accepted later', async () => {
    await using server = await startMailServer()
    const mailer = createMailer({ url: server.url, from })
    server.refusals.push(550, 451)
    await expect(mailer.deliver(mail, 'one')).rejects.toThrow(MailRefused)
    await expect(mailer.deliver(mail, 'one')).rejects.not.toThrow(MailRefused)
    await mailer.deliver(mail, 'one')
    expect(server.received).toHaveLength(1)
  })

  test('may be accepted once the log-in is corrected, or the server is there', async () => {
    await using server = await startMailServer({ user: 'u', password: 'right' })
    const wrong = createMailer({ url: server.url.replace('right', 'wrong'), from })
    await expect(wrong.deliver(mail, 'one')).rejects.not.toThrow(MailRefused)
    const unreachable = createMailer({ url: 'smtp://127.0.0.1:1', from })
    await expect(unreachable.deliver(mail, 'one')).rejects.not.toThrow(MailRefused)
  })
})

test('a password is not sent in the clear to another machine', async () => {
  // No STARTTLS is offered, and a name outside 127.0.0.0/8 leads to the same server.
  await using server = await startMailServer({ user: 'u', password: 'p' })
  const mailer = createMailer({ url: server.url.replace('127.0.0.1', '0.0.0.0'), from })
  await expect(mailer.deliver(mail, 'one')).rejects.toThrow(/STARTTLS/)
})
