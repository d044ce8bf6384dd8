import { describe, expect, test } from 'vitest'
import { addressesIn, applicationProblems, scopesIn, type WantedApplication } from './rules.ts'

const wanted: WantedApplication = { name: 'a', redirect_uri: 'https://a.test/back', scopes: 'api' }
const none = { name: [], redirect_uri: [], scopes: [] }
const problemsOf = (given: Partial<WantedApplication>) => applicationProblems({ ...wanted, ...given })

describe('an application', () => {
  const [relative, forbidden] = ['must be an absolute URI.', 'is forbidden by the server.']
  test.each([
    ['https://a.test/back', []],
    ['http://localhost:7000 urn:ietf:wg:oauth:2.0:oob', []],
    ['com.example.app:/callback', []],
    ['a.test/back', [relative]],
    ['https://a.test https://', [relative]],
    ['javascript:alert(1)', [forbidden]],
    ['data:text/html,x', [forbidden]],
    ['VBScript:x', [forbidden]],
    ['https://a.test/#here', ['cannot contain a fragment.']],
    ['https://a.test/#', ['cannot contain a fragment.']],
    ['x y', [relative]],
    ['x data:x', [relative, forbidden]],
    ['', ["can't be blank"]],
    [`https://a.test/${'x'.repeat(4096 - 15)}`, []],
    [`https://a.test/${'x'.repeat(4096 - 14)}`, ['is too long (maximum is 4096 characters)']],
  ])('with the addresses %s: %j', (redirect_uri, problems) => {
    expect(problemsOf({ redirect_uri })).toEqual({ ...none, redirect_uri: problems })
  })

  test.each([
    ['', ["can't be blank"]],
    [' \n', ["can't be blank"]],
    ['api read_user', []],
    ['api nothing', ["doesn't match configured on the server."]],
  ])('with the scopes `%s`: %j', (scopes, problems) => {
    expect(problemsOf({ scopes })).toEqual({ ...none, scopes: problems })
  })

  test('has a name of at most 255 characters', () => {
    expect(problemsOf({ name: 'x'.repeat(255) })).toEqual(none)
    expect(problemsOf({ name: 'x'.repeat(256) }).name).toEqual(['is too long (maximum is 255 characters)'])
    expect(problemsOf({ name: ' ' }).name).toEqual(["can't be blank"])
  })
})

test('lists are separated by white space, and each scope counts once', () => {
  expect(addressesIn(' a\n b  c ')).toEqual(['a', 'b', 'c'])
  expect(scopesIn(' api  read_user api ')).toEqual(['api', 'read_user'])
})
