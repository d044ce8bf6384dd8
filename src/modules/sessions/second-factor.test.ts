import { expect, test } from 'vitest'
import { type Factors, isOverdue, secondFactorDue } from './second-factor.ts'

const now = new Date('2026-03-04T10:00:00Z')
const off = {
  require_two_factor_authentication: false,
  require_admin_two_factor_authentication: false,
  two_factor_grace_period: 48,
}
const person: Factors = { is_admin: false, two_factor_enabled: false, second_factor_demanded_at: null }
const admin = { ...person, is_admin: true }
const ofAll = { ...off, require_two_factor_authentication: true }
const ofAdministrators = { ...off, require_admin_two_factor_authentication: true }

test('a second factor is demanded of those whom the settings name, who have none', () => {
  const demands = ([off, ofAll, ofAdministrators] as const).map((settings) =>
    [person, admin, { ...admin, two_factor_enabled: true }].map(
      (user) => secondFactorDue(user, settings, now) !== null,
    ),
  )
  expect(demands).toEqual([
    [false, false, false],
    [true, true, false],
    [false, true, false],
  ])
})

test('the grace period runs from the first demand on', () => {
  expect(secondFactorDue(person, ofAll, now)).toEqual(new Date('2026-03-06T10:00:00Z'))
  const before = { ...person, second_factor_demanded_at: '2026-03-02T10:00:00.000Z' }
  const due = secondFactorDue(before, ofAll, now)
  expect(due).toEqual(now)
  expect([isOverdue(due, now), isOverdue(due, new Date(now.getTime() - 1)), isOverdue(null, now)]).toEqual([
    ...[true, false],
    false,
  ])
  expect(isOverdue(secondFactorDue(person, { ...ofAll, two_factor_grace_period: 0 }, now), now)).toBe(true)
  const long = secondFactorDue(person, { ...ofAll, two_factor_grace_period: 2 ** 31 - 1 }, now)
  expect([isOverdue(long, now), Number.isNaN(long?.getTime())]).toEqual([false, false])
})
