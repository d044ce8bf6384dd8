import { expect, test } from 'vitest'
import { memberLevels, role, roleName } from './policy.ts'

/** The role ladder of contract 00, and what a membership may have. */
test('the ladder of roles', () => {
  expect(role).toEqual({
    none: 0,
    minimal: 5,
    guest: 10,
    planner: 15,
    reporter: 20,
    developer: 30,
    maintainer: 40,
    owner: 50,
    administrator: 60,
  })
  expect(memberLevels).toEqual([5, 10, 15, 20, 30, 40, 50])
})

test.each([
  [0, 'No access'],
  [5, 'Minimal access'],
  [10, 'Guest'],
  [15, 'Planner'],
  [20, 'Reporter'],
  [30, 'Developer'],
  [40, 'Maintainer'],
  [50, 'Owner'],
  [60, '60'],
])('the level %d has the name %s', (level, name) => expect(roleName(level)).toBe(name))
