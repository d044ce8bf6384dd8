import { expect, test } from 'vitest'
import { ApiError } from '../../api/index.ts'
import { regexMatcher } from './search.ts'

test('a pattern is bounded in length', () => {
  expect(regexMatcher('a'.repeat(1_000))('a'.repeat(1_000))).toBe(true)
  expect(() => regexMatcher('a'.repeat(1_001))).toThrow(ApiError)
})

test('all names together get one second', () => {
  const matches = regexMatcher(`${'[^a]{1000}'.repeat(90)}z`)
  const name = `${'x'.repeat(900)}`
  const matchForever = () => {
    for (;;) matches(name)
  }
  expect(matchForever).toThrow(expect.objectContaining({ body: { message: '400 Bad request - regex timed out' } }))
})
