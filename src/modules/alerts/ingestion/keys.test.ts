import { expect, test } from 'vitest'
import { hashToken } from '../../../infra/secrets/index.ts'
import { isKey } from './keys.ts'

test('a key is compared by its digest and in constant time', () => {
  const digest = hashToken('right')
  const compared = ['right', 'wrong', 'Right', '', digest].map((key) => isKey(key, digest))
  expect(compared).toEqual([true, false, false, false, false])
  expect([isKey(null, digest), isKey('right', null)]).toEqual([false, false])
  // `safeEqual` takes bytes as well as text; an operator, which compares until the first difference, would find them unequal.
  expect(isKey('right', Buffer.from(digest) as never)).toBe(true)
})
