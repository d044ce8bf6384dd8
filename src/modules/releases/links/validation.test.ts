import { describe, expect, test } from 'vitest'
import { duplicateLink, validLink } from './validation.ts'

const problemsOf = (given: Parameters<typeof validLink>[0]) => {
  try {
    validLink(given)
    return {}
  } catch (error) {
    return (error as { body: { message: object } }).body.message
  }
}
const tooLong = (most: number) => [`is too long (maximum is ${most} characters)`]

describe('the address of a link', () => {
  const [invalid, blocked] = [['must be a valid URL'], ['is blocked: Only allowed schemes are http, https, ftp']]
  const address = (bytes: number) => `https://a.test/${'x'.repeat(bytes - 'https://a.test/'.length)}`
  test.each([
    ['https://a.test/x', null],
    ['http://a.test', null],
    ['FTP://a.test/x', null],
    ['', ["can't be blank"]],
    [' ', ["can't be blank"]],
    ['a.test', invalid],
    ['https://a b', invalid],
    ['https://a.test/\u0000', invalid],
    ['https:a.test', invalid],
    ['https:/a.test', invalid],
    ['https://', invalid],
    ['ftp://', invalid],
    ['javascript:x', blocked],
    ['file:///etc/passwd', blocked],
    [address(2048), null],
    [address(2049), tooLong(2048)],
    [`${address(2046)}é`, null],
    [`${address(2047)}é`, tooLong(2048)],
  ])('%s: %j', (url, problems) => expect(problemsOf({ url })).toEqual(problems ? { url: problems } : {}))
})

describe('the path of a link', () => {
  const invalid = ['is in an invalid format']
  test.each([
    ['/a', null],
    ['/bin/app-1.0_x.zip', null],
    ['a', invalid],
    ['/', invalid],
    ['/a/', invalid],
    ['/a-', invalid],
    ['/a//b', invalid],
    ['/../b', invalid],
    ['/a/./b', invalid],
    ['/a..b', null],
    ['/ä', invalid],
    [`/${'x'.repeat(127)}`, null],
    [`/${'x'.repeat(128)}`, tooLong(128)],
  ])('%s: %j', (text, problems) => {
    const expected = problems ? { filepath: problems } : {}
    expect([problemsOf({ filepath: text }), problemsOf({ direct_asset_path: text })]).toEqual([expected, expected])
  })
})

test('the newer name of the path wins, and an empty one is none', () => {
  const paths = (given: Parameters<typeof validLink>[0]) => validLink(given).filepath
  expect(paths({ direct_asset_path: '/new', filepath: '/old' })).toBe('/new')
  expect(paths({ direct_asset_path: '', filepath: '/old' })).toBeNull()
  expect(paths({ filepath: '' })).toBeNull()
  expect(paths({})).toBeUndefined()
  expect(problemsOf({ name: 'x'.repeat(256), url: '', filepath: '/' })).toEqual({
    ...{ name: tooLong(255), url: ["can't be blank"], filepath: ['is in an invalid format'] },
  })
})

test('other errors than those of a unique index stay as they are', () => {
  const error = new Error('other')
  expect(duplicateLink(error)).toBe(error)
})
