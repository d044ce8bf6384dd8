import { describe, expect, test } from 'vitest'
import type { InstanceSettings } from '../../../platform/settings/index.ts'
import {
  checkBranchFilter,
  checkDraft,
  checkUrl,
  filledUrl,
  type HookDraft,
  hookPolicy,
  isHeader,
  isVariable,
  parseHookUrl,
} from './validation.ts'

const isRefused = (work: () => void) => {
  try {
    work()
    return false
  } catch (error) {
    expect(error).toMatchObject({ status: 422 })
    return true
  }
}

test('hooks of the instance have a setting of their own for local addresses', () => {
  const settings = {
    allow_local_requests_from_web_hooks_and_services: false,
    allow_local_requests_from_system_hooks: true,
    outbound_local_requests_whitelist: [],
  } as unknown as InstanceSettings
  const allowed = (['instance', 'project', 'group'] as const).map((kind) => hookPolicy(settings, { kind }).allowLocal)
  expect(allowed).toEqual([true, false, false])
})

describe('an address', () => {
  test.each([
    ['https://a.test/x', true],
    ['http://a.test:8080', true],
    ['ftp://a.test', false],
    ['a.test', false],
    ['https://', false],
    ['https://a.test/ ', false],
    ['https://a.test/\n', false],
    ['https://a.test/\u0000', false],
    [`https://a.test/${'x'.repeat(2048 - 15)}`, true],
    [`https://a.test/${'x'.repeat(2049 - 15)}`, false],
  ])('%s may be one of a hook: %s', (text, expected) => expect(parseHookUrl(text) !== null).toBe(expected))

  test('is filled with the values of its variables', () => {
    const variables = new Map([['host', 'a.test']])
    expect(filledUrl('https://{host}/{path}/{host}{}', variables)).toBe('https://a.test/{path}/a.test{}')
    const check = (url: string) => isRefused(() => checkUrl(url, variables, { allowLocal: false }))
    expect(['https://{host}/x', 'https://{none}/x', 'https://{host}/}', 'https://127.0.0.1'].map(check)).toEqual([
      ...[false, true],
      ...[true, true],
    ])
  })
})

describe('a pair', () => {
  const value = 'v'
  test.each([
    [{ key: 'X-Custom', value }, true, true],
    [{ key: 'a1.b_c-2', value }, true, true],
    [{ key: '1a', value }, false, false],
    [{ key: 'a--b', value }, false, false],
    [{ key: '', value }, false, false],
    [{ key: 'Host', value }, true, false],
    [{ key: 'content-Length', value }, true, false],
    [{ key: 'transfer-encoding', value }, true, false],
    [{ key: 'connection', value }, true, false],
    [{ key: 'upgrade', value }, true, false],
    [{ key: 'expect', value }, true, false],
    [{ key: 'te', value }, true, false],
    [{ key: 'trailer', value }, true, false],
    [{ key: 'x'.repeat(100), value }, true, true],
    [{ key: 'x'.repeat(101), value }, false, false],
    [{ key: 'a', value: '' }, false, false],
    [{ key: 'a', value: 'a\nb' }, false, false],
    [{ key: 'a', value: 'é' }, false, false],
    [{ key: 'a', value: 'x'.repeat(2048) }, true, true],
    [{ key: 'a', value: 'x'.repeat(2049) }, false, false],
  ])('%j is a variable: %s, a header: %s', (pair, asVariable, asHeader) => {
    expect([isVariable(pair), isHeader(pair)]).toEqual([asVariable, asHeader])
  })
})

describe('a filter of branches', () => {
  test.each([
    ['wildcard', null, true],
    ['wildcard', 'rel-*', true],
    ['wildcard', '*', true],
    ['wildcard', '', false],
    ['wildcard', 'a b', false],
    ['wildcard', 'a..b', false],
    ['wildcard', '/a', false],
    ['wildcard', 'a.lock', false],
    ['wildcard', '[a', false],
    ['wildcard', 'x'.repeat(4000), true],
    ['wildcard', 'x'.repeat(4001), false],
    ['regex', '^rel', true],
    ['regex', '[a', false],
    ['regex', '(a{20}){20}', true],
    ['regex', '(a{50}){50}', false],
    ['all_branches', '[a', true],
  ] as const)('as %s: `%s` is valid: %s', (branch_filter_strategy, push_events_branch_filter, expected) => {
    expect(isRefused(() => checkBranchFilter({ branch_filter_strategy, push_events_branch_filter }))).toBe(!expected)
  })
})

describe('the other values of a hook', () => {
  const draft: HookDraft = {
    ...{ name: null, description: null, token: null, custom_webhook_template: null },
    ...{ url_variables: [], custom_headers: [] },
  }
  const headers = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `h${index}`, value: 'v' }))
  const schema = ['must be a valid json schema']
  const tooLong = (most: number) => [`is too long (maximum is ${most} characters)`]
  const text = (length: number) => 'x'.repeat(length)
  test.each<[Partial<HookDraft>, object | null]>([
    [{}, null],
    [{ name: text(255), description: text(2048), token: text(2048), custom_webhook_template: text(4096) }, null],
    [{ name: text(256) }, { name: tooLong(255) }],
    [{ description: text(2049) }, { description: tooLong(2048) }],
    [{ token: '' }, null],
    [{ token: text(2049) }, { token: ['is invalid'] }],
    [{ token: 'a\tb' }, { token: ['is invalid'] }],
    [{ custom_webhook_template: text(4097) }, { custom_webhook_template: tooLong(4096) }],
    [{ url_variables: [...headers(1), { key: '1', value: 'v' }] }, { url_variables: schema }],
    [{ custom_headers: [...headers(1), { key: 'host', value: 'v' }] }, { custom_headers: schema }],
    [{ custom_headers: headers(20) }, null],
    [{ custom_headers: [...headers(20), ...headers(1)] }, null],
    [{ custom_headers: headers(21) }, { custom_headers: ['number of keys exceeds the limit of 20'] }],
  ])('%#: %j', (given, message) => {
    const check = () => checkDraft({ ...draft, ...given })
    if (message) expect(check).toThrow(expect.objectContaining({ status: 422, body: { message } }))
    else expect(check).not.toThrow()
  })
})
