import { expect, test } from 'vitest'
import { slugOf } from './addresses.ts'

test.each([
  ['Pager Hook', 'pager-hook'],
  ['  --Ä B!  ', 'b'],
  ['', 'http-endpoint'],
  ['日本', 'http-endpoint'],
  ['x'.repeat(80), 'x'.repeat(63)],
  [`${'x'.repeat(62)} y`, 'x'.repeat(62)],
])('the slug of %j is %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})
