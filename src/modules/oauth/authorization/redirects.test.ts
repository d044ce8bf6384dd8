import { describe, expect, test } from 'vitest'
import { identifiesApplication, isRegistered, withParameters } from './redirects.ts'

describe('an address is that of an application', () => {
  const registered = [
    ...['https://a.test/back?x=1', 'http://127.0.0.1/cb', 'http://[::1]:1/', 'http://localhost:7171/cb'],
    ...['com.example.app:/cb', 'urn:ietf:wg:oauth:2.0:oob'],
  ].join('\n')
  test.each([
    ['https://a.test/back?x=1', true],
    ['https://a.test/back', false],
    ['https://a.test/back?x=1&y=2', false],
    ['https://A.test/back?x=1', false],
    ['http://a.test/back?x=1', false],
    ['https://a.test:444/back?x=1', false],
    ['http://127.0.0.1:4711/cb', true],
    ['http://127.0.0.1/cb', true],
    ['http://127.0.0.1:4711/cb/', false],
    ['https://127.0.0.1:4711/cb', false],
    ['http://127.0.0.1:4711', false],
    ['http://127.0.0.1:1@evil.test/cb', false],
    ['http://127.0.0.1.evil.test/cb', false],
    ['http://127.0.0.1:123456/cb', false],
    ['http://[::1]:2/', true],
    ['http://localhost:7171/cb', true],
    ['http://localhost:7172/cb', false],
    ['com.example.app:/cb', true],
    ['urn:ietf:wg:oauth:2.0:oob', false],
    ['', false],
    [registered, false],
  ])('%s: %s', (address, isOwn) => expect(isRegistered(registered, address)).toBe(isOwn))
})

test('a name in the web identifies an application', () => {
  expect(identifiesApplication('https://a.test/')).toBe(true)
  expect(identifiesApplication('http://127.0.0.1/')).toBe(false)
  expect(identifiesApplication('com.example.app:/cb')).toBe(false)
})

test.each([
  ['https://a.test/back', 'https://a.test/back?code=a+b&iss=https%3A%2F%2Fx'],
  ['https://a.test/back?', 'https://a.test/back?code=a+b&iss=https%3A%2F%2Fx'],
  ['https://a.test/back?q=%20', 'https://a.test/back?q=%20&code=a+b&iss=https%3A%2F%2Fx'],
  ['https://ä.test/é', 'https://xn--4ca.test/%C3%A9?code=a+b&iss=https%3A%2F%2Fx'],
  ['com.example.app:/cb', 'com.example.app:/cb?code=a+b&iss=https%3A%2F%2Fx'],
])('the answer to %s is %s', (address, expected) => {
  expect(withParameters(address, { code: 'a b', state: undefined, iss: 'https://x' })).toBe(expected)
})
