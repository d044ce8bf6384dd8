import { describe, expect, test } from 'vitest'
import { requestInfo } from '../testing.ts'
import { type CaptchaService, checkSpam, type SpamCheck } from './captcha.ts'

type Setup = Partial<Omit<SpamCheck, 'request' | 'captcha'>> & {
  headers?: Record<string, string>
  captcha?: CaptchaService | undefined
}

const human: CaptchaService = { siteKey: 'site-key', accepts: async (response) => response === 'right' }

/** Knows one open entry, number 41, of user 7, for a snippet; the next one made is 42. */
function attempt(setup: Setup) {
  const recorded: unknown[] = []
  const verified: number[] = []
  let open = true
  const { headers = {}, ...rest } = setup
  const check: SpamCheck = {
    kind: 'snippet',
    userId: 7,
    request: requestInfo({ headers }),
    verdict: async () => 'suspicious',
    captcha: human,
    log: {
      async record(entry) {
        recorded.push(entry)
        return 42
      },
      async verify({ id, userId, kind }) {
        verified.push(id)
        const known = open && id === 41 && userId === 7 && kind === 'snippet'
        if (known) open = false
        return known
      },
    },
    ...rest,
  }
  const outcome = () =>
    checkSpam(check).then(
      () => 'passed',
      ({ status, body }) => ({ status, body }),
    )
  return { outcome, recorded, verified }
}

function challenge(kind: string) {
  return {
    status: 409,
    body: {
      needs_captcha_response: true,
      spam_log_id: 42,
      captcha_site_key: 'site-key',
      message: {
        error: `Your ${kind} has been recognized as spam. Please, change the content or solve the reCAPTCHA to proceed.`,
      },
    },
  }
}

const service = { 'x-service-captcha-response': 'right', 'x-service-spam-log-id': '41' }
const gitlab = { 'x-gitlab-captcha-response': 'right', 'x-gitlab-spam-log-id': '41' }

test('text that is not spam passes, and nothing is recorded', async () => {
  const { outcome, recorded } = attempt({ verdict: async () => 'allow' })
  expect([await outcome(), recorded]).toEqual(['passed', []])
})

test.each(['snippet', 'issue'] as const)('spam is discarded where there is no CAPTCHA: %s', async (kind) => {
  const { outcome, recorded } = attempt({ kind, captcha: undefined })
  expect(await outcome()).toEqual({
    status: 400,
    body: { message: { error: `Your ${kind} has been recognized as spam and has been discarded.` } },
  })
  expect(recorded).toEqual([{ userId: 7, kind, solvable: false }])
})

test('certain spam is discarded even where there is a CAPTCHA', async () => {
  const { outcome, recorded } = attempt({ verdict: async () => 'certain' })
  const error = 'Your snippet has been recognized as spam and has been discarded.'
  expect(await outcome()).toEqual({ status: 400, body: { message: { error } } })
  expect(recorded).toEqual([{ userId: 7, kind: 'snippet', solvable: false }])
})

test('an answer does not help where there is no CAPTCHA', async () => {
  expect(await attempt({ captcha: undefined, headers: service }).outcome()).toMatchObject({ status: 400 })
})

test.each(['snippet', 'issue'] as const)('spam is challenged where there is one: %s', async (kind) => {
  const { outcome, recorded } = attempt({ kind })
  expect(await outcome()).toEqual(challenge(kind))
  expect(recorded).toEqual([{ userId: 7, kind, solvable: true }])
})

describe('a second try', () => {
  test.each<[string, Record<string, string>]>([
    ['with the headers of the seed', service],
    ['with those of the clients', gitlab],
    ['with one of each', { 'x-service-captcha-response': 'right', 'x-gitlab-spam-log-id': '41' }],
    ['with the other one of each', { 'x-gitlab-captcha-response': 'right', 'x-service-spam-log-id': '41' }],
    [
      'with both, where the seed wins',
      { ...service, 'x-gitlab-captcha-response': 'wrong', 'x-gitlab-spam-log-id': '1' },
    ],
  ])('passes %s', async (_name, headers) => {
    const { outcome, recorded, verified } = attempt({ headers })
    expect([await outcome(), recorded, verified]).toEqual(['passed', [], [41]])
  })

  test('passes once', async () => {
    const { outcome } = attempt({ headers: service })
    expect([await outcome(), await outcome()]).toEqual(['passed', challenge('snippet')])
  })

  test('passes once, of two at the same time', async () => {
    const { outcome } = attempt({ headers: service })
    const outcomes = await Promise.all([outcome(), outcome()])
    expect(outcomes.filter((one) => one === 'passed')).toHaveLength(1)
  })

  test.each<[string, Setup]>([
    ['a wrong answer', { headers: { ...service, 'x-service-captcha-response': 'wrong' } }],
    [
      'a wrong answer of the seed beside a right one',
      { headers: { ...gitlab, 'x-service-captcha-response': 'wrong' } },
    ],
    ['an entry that is none', { headers: { ...service, 'x-service-spam-log-id': '40' } }],
    ['an entry of another user', { headers: service, userId: 8 }],
    ['an entry of another kind', { headers: service, kind: 'issue' }],
    ['no entry', { headers: { 'x-service-captcha-response': 'right' } }],
    ['no answer', { headers: { 'x-service-spam-log-id': '41' } }],
    ['an empty answer', { headers: { ...service, 'x-service-captcha-response': '' } }],
  ])('is challenged again: %s', async (_name, setup) => {
    const { outcome, recorded } = attempt(setup)
    expect(await outcome()).toEqual(challenge(setup.kind ?? 'snippet'))
    expect(recorded).toHaveLength(1)
  })

  test('with a wrong answer does not use up its entry', async () => {
    const { outcome, verified } = attempt({ headers: { ...service, 'x-service-captcha-response': 'wrong' } })
    await outcome()
    expect(verified).toEqual([])
  })

  test.each(['', 'x', '41x', '1.5', '-1', '0', '1e300', '0x29', '9'.repeat(30), 'NaN', '41, 41'])(
    'with a number that no entry has does not ask for it: %s',
    async (id) => {
      const { outcome, verified } = attempt({ headers: { ...service, 'x-service-spam-log-id': id } })
      expect([await outcome(), verified]).toEqual([challenge('snippet'), []])
    },
  )
})
