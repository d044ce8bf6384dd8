import { describe, expect, test } from 'vitest'
import { asBadRequest, expiryProblems, problemsOf, requireAvailableScopes, requireNoProblems } from './validation.ts'

const range = { earliest: '2026-03-04', latest: '2026-04-03' }
const unlimited = { earliest: null, latest: null }

describe('the day on which a token expires', () => {
  const past = ["can't be in the past"]
  test.each([
    [undefined, range, []],
    ['2026-03-03', range, past],
    ['2026-03-04', range, []],
    ['2026-04-03', range, []],
    ['2026-04-04', range, ['must be before 2026-04-03']],
    ['1999-01-01', unlimited, []],
    ['2999-01-01', unlimited, []],
    ['2999-01-01', { ...range, latest: null }, []],
    ['1999-01-01', { ...range, latest: null }, past],
    ['1999-01-01', { ...range, earliest: null }, []],
  ])('%s of %j: %j', (day, given, problems) => expect(expiryProblems(day, given)).toEqual(problems))
})

test('all problems of a token are named', () => {
  const long = 'x'.repeat(256)
  const tooLong = ['is too long (maximum is 255 characters)']
  const none = { name: [], description: [], scopes: [], expires_at: [] }
  expect(problemsOf({ name: 'a', scopes: ['api'] }, range)).toEqual(none)
  expect(problemsOf({ name: long.slice(1), description: long.slice(1), scopes: ['api'] }, range)).toEqual(none)
  expect(problemsOf({ name: ' ', description: long, scopes: [], expires_at: '2026-05-01' }, range)).toEqual({
    ...{ name: ["can't be blank"], description: tooLong, scopes: ["can't be blank"] },
    expires_at: ['must be before 2026-04-03'],
  })
  expect(problemsOf({ name: long, scopes: ['api'] }, range)).toEqual({ ...none, name: tooLong })
  expect(() => requireNoProblems(none, asBadRequest)).not.toThrow()
  const odd = { ...none, name: ['is odd'], scopes: ["can't be blank"] }
  expect(() => requireNoProblems(odd, asBadRequest)).toThrow(
    expect.objectContaining({
      status: 400,
      body: { message: "400 Bad request - Name is odd and Scopes can't be blank" },
    }),
  )
})

describe('scopes', () => {
  type Case = { scopes: string[]; is_admin?: boolean; registryEnabled?: boolean }
  const isTaken = ({ scopes, is_admin = false, registryEnabled = true }: Case) => {
    try {
      requireAvailableScopes({ config: { registryEnabled } as never }, scopes, { is_admin })
      return true
    } catch {
      return false
    }
  }

  test.each<[Case, boolean]>([
    [{ scopes: ['api', 'read_user'] }, true],
    [{ scopes: ['api', 'none'] }, false],
    [{ scopes: ['sudo'] }, false],
    [{ scopes: ['api', 'admin_mode'] }, false],
    [{ scopes: ['sudo', 'admin_mode', 'api'], is_admin: true }, true],
    [{ scopes: ['none'], is_admin: true }, false],
    [{ scopes: ['read_registry', 'write_registry'] }, true],
    [{ scopes: ['read_registry'], registryEnabled: false }, false],
    [{ scopes: ['api', 'write_registry'], registryEnabled: false }, false],
    [{ scopes: ['write_registry'], is_admin: true, registryEnabled: false }, false],
    [{ scopes: ['api'], registryEnabled: false }, true],
  ])('%j: %s', (given, expected) => expect(isTaken(given)).toBe(expected))
})
