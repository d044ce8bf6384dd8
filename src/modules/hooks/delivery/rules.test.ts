import { describe, expect, test, vi } from 'vitest'
import type { Platform } from '../../../platform/index.ts'
import { acceptsBranch } from '../reactions/pushes.ts'
import type { WebHookRow } from '../tables.ts'
import { attempt, isAccepted, sentenceOf } from './attempt.ts'
import { disabledFromFailures, isExecutable, pausedUntil } from './failures.ts'
import { renderTemplate, TemplateError } from './template.ts'

const moment = new Date('2026-03-01T12:00:00.000Z')
const later = (ms: number) => new Date(moment.getTime() + ms).toISOString()

describe('the filter of branches', () => {
  type Filter = [
    strategy: WebHookRow['branch_filter_strategy'],
    filter: string | null,
    branch: string,
    accepts: boolean,
  ]
  test.each<Filter>([
    ['wildcard', null, 'main', true],
    ['wildcard', 'rel-*', 'rel-1', true],
    ['wildcard', 'rel-*', 'x-rel-1', false],
    ['all_branches', 'rel-*', 'main', true],
    ['regex', '^rel-[0-9]+$', 'rel-12', true],
    ['regex', '^rel-[0-9]+$', 'rel-x', false],
    ['regex', 'el', 'rel-x', true],
    ['regex', 'rel-*', 'main', false],
  ])('as %s: `%s` accepts `%s`: %s', (branch_filter_strategy, push_events_branch_filter, branch, accepts) => {
    expect(acceptsBranch({ branch_filter_strategy, push_events_branch_filter }, branch)).toBe(accepts)
  })
})

test.each([
  [null, false],
  [199, false],
  [200, true],
  [299, true],
  [300, false],
  [302, false],
  [500, false],
])('an answer %s is a success: %s', (code, expected) => expect(isAccepted({ code })).toBe(expected))

test.each([
  [{ name: 'TimeoutError', message: 'The operation was aborted due to timeout' }, 'execution expired'],
  [{ name: 'AbortError', message: 'The operation was aborted' }, 'execution expired'],
  [
    { name: 'Error', message: 'connect ECONNREFUSED 127.0.0.1:9', code: 'ECONNREFUSED' },
    'connect ECONNREFUSED 127.0.0.1:9',
  ],
  // What comes when several addresses were tried.
  [{ name: 'AggregateError', message: '', code: 'ECONNREFUSED' }, 'ECONNREFUSED'],
  [{ name: 'AggregateError', message: '' }, 'AggregateError'],
  [{ name: 'Error', message: `\u0000${'x'.repeat(2_000)}` }, `\ufffd${'x'.repeat(1_023)}`],
])('the reason of a failure %o is %s', (error, reason) => {
  expect(sentenceOf(error)).toBe(reason)
})

test('a request without an address is logged as failed, with the time that it took in seconds', async () => {
  const platform = { config: { version: '17.7.0' }, externalUrl: 'http://localhost' } as unknown as Platform
  const hook = { uuid: 'u', url: 'no address', custom_webhook_template: null } as WebHookRow
  const event = { uuid: 'e', header: 'Push Hook', payload: '{}' }
  const secrets = { token: null, headers: [], variables: new Map<string, string>() }
  const measured = vi.spyOn(performance, 'now').mockReturnValueOnce(1_000).mockReturnValueOnce(3_500)
  const made = attempt(platform, { hook, secrets, event, idempotencyKey: 'k' })
  measured.mockRestore()
  expect(await made).toMatchObject({ code: null, responseBody: 'Invalid URL', duration: 2.5 })
})

describe('a hook that fails', () => {
  test.each<[failures: number, pauseMs: number | null]>([
    [0, null],
    [3, null],
    [4, 60_000],
    [5, 120_000],
    [14, 61_440_000],
    [15, 86_400_000],
    [39, 86_400_000],
    [40, null],
  ])('for the %i. time in a row pauses for %s ms', (failures, pauseMs) => {
    expect(pausedUntil(failures, moment)).toBe(pauseMs === null ? null : later(pauseMs))
  })

  test.each([
    [3, null, 'executable'],
    [4, later(1), 'temporarily_disabled'],
    [4, later(0), 'executable'],
    [39, null, 'executable'],
    [40, null, 'disabled'],
    [41, null, 'disabled'],
  ])('%i times, paused until %s, is %s', (recent_failures, disabled_until, alert_status) => {
    const hook = { recent_failures, disabled_until }
    expect(isExecutable(hook, moment)).toBe(alert_status === 'executable')
    const until = alert_status === 'temporarily_disabled' ? disabled_until : null
    expect(disabledFromFailures(hook, moment)).toEqual({ alert_status, disabled_until: until })
  })
})

describe('a template', () => {
  const payload = { a: { b: 'x"y', n: 1, none: null }, list: [1, 2] }

  test.each([
    ['{"t": "{{a.b}}"}', '{"t":"x\\"y"}'],
    ['{"t": "<{{ a.b }}>"}', '{"t":"<x\\"y>"}'],
    ['[{{a.n}}, {{list}}, {{a.none}}]', '[1,[1,2],null]'],
    ['[{{a.other}}, {{a.none.b}}, {{a.n.b}}, {{a.b.length}}, {{a.toString}}]', '[null,null,null,null,null]'],
    ['{{list.1}}', '2'],
    ['{"t": "{{}}"}', '{"t":"{{}}"}'],
  ])('%s becomes %s', (template, expected) => expect(renderTemplate(template, payload)).toBe(expected))

  test.each(['{{a.b}}', '{"t": {{a.n}}', ''])('`%s` gives no JSON', (template) => {
    expect(() => renderTemplate(template, payload)).toThrow(TemplateError)
  })
})
