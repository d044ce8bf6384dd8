import { describe, expect, test } from 'vitest'
import { demoServer, echo, person, thrown } from '../testing.ts'
import { allScopes, anonymous, type Scope } from './actor.ts'
import { reading, readingFiles, readingUsers, requireScope, type Scopes, writing } from './scopes.ts'

function mayWith(scopes: Scope[], asked: Scopes): boolean {
  try {
    requireScope(person({ scopes }), asked)
    return true
  } catch {
    return false
  }
}

describe('each scope permits the operations of its row in contract 00', () => {
  const permitted: [Scopes, readonly Scope[]][] = [
    [reading, ['api', 'read_api']],
    [readingUsers, ['api', 'read_api', 'read_user']],
    [readingFiles, ['api', 'read_api', 'read_repository']],
    [writing, ['api']],
    [
      ['api', 'self_rotate'],
      ['api', 'self_rotate'],
    ],
    ['any', allScopes],
  ]
  test.each(permitted)('%j', (asked, scopes) => {
    expect(allScopes.filter((scope) => mayWith([scope], asked))).toEqual(
      allScopes.filter((one) => scopes.includes(one)),
    )
  })

  test('a token without scopes may only use operations for any token', () => {
    expect([mayWith([], reading), mayWith([], writing), mayWith([], 'any')]).toEqual([false, false, true])
  })

  test('anonymous callers need no scopes', () => {
    expect(() => requireScope(anonymous, writing)).not.toThrow()
  })
})

test.each<[Scopes, string]>([
  [reading, 'api read_api'],
  [readingUsers, 'api read_user read_api'],
  [readingFiles, 'api read_api read_repository'],
  [writing, 'api'],
])('the answer lists those that would do: %j', (asked, scope) => {
  expect(thrown(() => requireScope(person({ scopes: ['read_registry'] }), asked))).toEqual({
    status: 403,
    body: {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope,
    },
  })
})

test('a token without the scope is refused, even on public operations', async () => {
  await using demo = demoServer([echo()])
  expect((await demo.get('/api/v4/things')).statusCode).toBe(200)
  expect((await demo.get('/api/v4/things', { 'PRIVATE-TOKEN': 'registry' })).statusCode).toBe(403)
  expect((await demo.get('/api/v4/things', { 'PRIVATE-TOKEN': 'reader' })).statusCode).toBe(200)
})
