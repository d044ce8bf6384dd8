import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareVersions } from './version-order.ts'

test('compares numbers by value and puts pre-releases before their release', () => {
  const inOrder = [
    '1',
    'release',
    'release-2',
    'release-10',
    'v1.0.0-alpha',
    'v1.0.0-alpha.1',
    'v1.0.0-alpha.beta',
    'v1.0.0-beta.2',
    'v1.0.0-beta.11',
    'v1.0.0-rc1',
    'v1.0.0rc2',
    'v1.0.0',
    'v1.0.0.1',
    'v1.2',
    'v1.10.0',
    'v02',
    'v2.0',
    'v10',
    'v99999999999999999999',
    'v100000000000000000000',
    'ü1',
  ]
  for (const shuffled of [inOrder.toReversed(), [...inOrder].sort()]) {
    expect(shuffled.sort(compareVersions)).toEqual(inOrder)
  }
})

test('is a total order', () => {
  const name = fc.stringMatching(/^[a1.0-]{0,6}$/)
  fc.assert(
    fc.property(name, name, name, (a, b, c) => {
      const [ab, bc, ac] = [compareVersions(a, b), compareVersions(b, c), compareVersions(a, c)]
      expect(Math.sign(compareVersions(b, a))).toBe(-Math.sign(ab) + 0)
      expect(ab === 0).toBe(a === b)
      if (ab < 0 && bc < 0) expect(ac).toBeLessThan(0)
    }),
  )
})
