import { describe, expect, test } from 'vitest'
import { checkedIntegration, type IntegrationDraft } from './validation.ts'

const draft: IntegrationDraft = { name: 'a', type: 'http', externalUrl: null, example: { stored: null }, mappings: [] }
const problemsOf = (given: Partial<IntegrationDraft>) => {
  try {
    checkedIntegration({ ...draft, ...given })
    return null
  } catch (error) {
    const { status, body } = error as { status: number; body: { message: object } }
    expect(status).toBe(400)
    return body.message
  }
}

describe('the address of an external integration', () => {
  const refused = { external_url: ['must be a valid URL'] }
  const address = (length: number) => `https://a.test/${'x'.repeat(length - 15)}`
  test.each([
    ['https://a.test', null],
    ['HTTP://a.test/x', null],
    [null, refused],
    ['', refused],
    ['ftp://a.test', refused],
    ['https:a.test', refused],
    ['https://[', refused],
    ['https://a b', refused],
    [' https://a.test', refused],
    [address(1024), null],
    [address(1025), refused],
  ])('%s: %j', (externalUrl, problems) => {
    expect(problemsOf({ type: 'external_link', externalUrl })).toEqual(problems)
  })

  test('is kept for these only', () => {
    const externalUrl = 'https://a.test'
    const kept = (type: IntegrationDraft['type']) => checkedIntegration({ ...draft, type, externalUrl }).external_url
    expect([kept('external_link'), kept('http'), kept('prometheus')]).toEqual([externalUrl, null, null])
    expect(problemsOf({ type: 'prometheus', externalUrl: 'x' })).toBeNull()
  })
})

describe('the example of a payload', () => {
  const object = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - '{"a":""}'.length) })
  test.each<[unknown, string[] | null]>([
    [null, null],
    [{ a: 1 }, null],
    ['{"a": 1}', null],
    ['[1]', ['must be a valid JSON object']],
    ['x', ['must be a valid JSON object']],
    [object(65_536), null],
    [object(65_537), ['is too long (maximum is 65536 bytes)']],
    [{ a: 'x'.repeat(65_530) }, ['is too long (maximum is 65536 bytes)']],
  ])('%#', (given, problems) => {
    expect(problemsOf({ example: { given } })).toEqual(problems ? { payload_example: problems } : null)
  })

  test('says nothing about the mappings when it is refused', () => {
    const mappings = [{ field_name: 'title', path: ['a'] }]
    expect(problemsOf({ mappings })).toEqual({ payload_attribute_mappings: ['require payload_example'] })
    expect(problemsOf({ mappings, example: { given: 'x' } })).toEqual({
      payload_example: ['must be a valid JSON object'],
    })
  })

  test('is kept when it is not given, and forgotten for other types', () => {
    const stored = '{"a":1}'
    expect(checkedIntegration({ ...draft, example: { stored } }).payload_example).toBe(stored)
    expect(checkedIntegration({ ...draft, type: 'prometheus', example: { stored } }).payload_example).toBeNull()
    expect(checkedIntegration({ ...draft, example: { given: null } }).payload_example).toBeNull()
    expect(problemsOf({ type: 'prometheus', example: { given: 'x' } })).toBeNull()
  })
})

test('a name has at most 255 characters, for each type', () => {
  const message = { name: ['is too long (maximum is 255 characters)'] }
  for (const type of ['http', 'prometheus'] as const) {
    expect(problemsOf({ type, name: 'x'.repeat(255) })).toBeNull()
    expect(problemsOf({ type, name: 'x'.repeat(256) })).toEqual(message)
  }
})
