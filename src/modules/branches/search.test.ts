import { expect, test } from 'vitest'
import { ApiError } from '../../api/index.ts'
import { regexMatcher } from './search.ts'

test('limits the length of a pattern', () => {
  expect(regexMatcher('a'.repeat(1_000))('a'.repeat(1_000))).toBe(true)
  expect(() => regexMatcher('a'.repeat(1_001))).toThrow(ApiError)
})

test('limits the time for all names to one second', () => {
  const matches = regexMatcher(`${'[^a]{1000}'.repeat(90)}z`)
  const name = `${'x'.repeat(900)}`
  const matchForever = () => {
    for (;;) matches(name)
  }
  expect(matchForever).toThrow(expect.objectContaining({ body: { message: '400 Bad request - regex timed out' } }))
})
