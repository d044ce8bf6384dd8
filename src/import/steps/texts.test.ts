import { expect, test } from 'vitest'
import { credited, withoutActions } from './texts.ts'

test.each([
  ['/close', '\\/close'],
  ['text\n/assign @mara\n/label ~x', 'text\n\\/assign @mara\n\\/label ~x'],
  ['/usr/bin is a folder', '/usr/bin is a folder'],
  ['a /close in a line', 'a /close in a line'],
  ['```\n/close\n```\n/close', '```\n/close\n```\n\\/close'],
  ['~~~~\n```\n/close\n~~~~\n/close', '~~~~\n```\n/close\n~~~~\n\\/close'],
  ['', ''],
])('a line that would be a quick action is none: %j', (text, expected) => {
  expect(withoutActions(text)).toBe(expected)
})

test('names the author without a mention, the time and the origin', () => {
  const origin = {
    author: { username: 'ma`ra' },
    item: { created_at: '2024-05-06T07:08:09+02:00' },
    url: 'https://old.example/a/b/-/issues/1',
  }
  expect(credited('text', origin)).toBe(
    '*Imported from https://old.example/a/b/-/issues/1, written by `@mara` at 2024-05-06T05:08:09.000Z.*\n\ntext',
  )
  expect(credited('text', { author: undefined, item: { created_at: 5 }, url: 'https://old.example/<b>*\n' })).toBe(
    '*Imported from https://old.example/b.*\n\ntext',
  )
})
