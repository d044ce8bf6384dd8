/** What requests make of the lists of a protected environment. */
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../api/index.ts'
import { type ListKind, listChanges, requireLength, requireNaming } from './entries.ts'
import type { GivenEntry } from './params.ts'

/** The status of the refusal and what it says; null where nothing is refused. */
function refusalOf(act: () => unknown) {
  try {
    act()
    return null
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { status: error.status, ...error.body }
  }
}

const one = { access_level: 40 }
const times = (count: number, entry: GivenEntry = one) => Array.from({ length: count }, () => entry)
const severalNamed = (title: string) => ({
  status: 422,
  message: [`${title} must set exactly one of access_level, user_id or group_id`],
})
const noneNamed = (at: string) =>
  expect.objectContaining({
    status: 400,
    error: `${at}[access_level], ${at}[user_id], ${at}[group_id] are missing, at least one parameter must be provided`,
  })
const tooLong = (title: string, maximum: number) => ({
  status: 422,
  message: [`${title} is too long (maximum is ${maximum})`],
})

describe('an element of a list', () => {
  test.each<[string, ListKind, GivenEntry[], object | null]>([
    ['a role', 'deploy', [{ access_level: 40 }], null],
    ['a user', 'deploy', [{ user_id: 1 }], null],
    ['a group', 'approval', [{ group_id: 1 }], null],
    ['nothing', 'deploy', [one, {}], noneNamed('deploy_access_levels[1]')],
    ['nothing, of the other list', 'approval', [{}], noneNamed('approval_rules[0]')],
    ['nothing, of an entry that is there', 'deploy', [{ id: 1 }], null],
    ['nothing, of one that goes', 'deploy', [{ _destroy: true }], null],
    ['nothing, of one that stays', 'deploy', [{ _destroy: false }], noneNamed('deploy_access_levels[0]')],
    ['a role and a user', 'deploy', [{ access_level: 40, user_id: 1 }], severalNamed('Deploy access levels')],
    ['a user and a group', 'approval', [{ user_id: 1, group_id: 1 }], severalNamed('Approval rules')],
    [
      'two, of an entry that is there',
      'deploy',
      [{ id: 1, user_id: 1, group_id: 1 }],
      severalNamed('Deploy access levels'),
    ],
  ])('names one: %s', (_, kind, given, refusal) => {
    expect(refusalOf(() => requireNaming(kind, given))).toEqual(refusal)
  })

  test.each<[ListKind, number, object | null]>([
    ['deploy', 200, null],
    ['deploy', 201, tooLong('Deploy access levels', 100)],
    ['approval', 40, null],
    ['approval', 41, tooLong('Approval rules', 20)],
  ])('is one of so many: %s %i', (kind, count, refusal) => {
    expect(refusalOf(() => requireNaming(kind, times(count)))).toEqual(refusal)
  })
})

test.each<[ListKind, number, object | null]>([
  ['deploy', 0, { status: 422, message: ['Deploy access levels is too short (minimum is 1 character)'] }],
  ['deploy', 1, null],
  ['deploy', 100, null],
  ['deploy', 101, tooLong('Deploy access levels', 100)],
  ['approval', 0, null],
  ['approval', 20, null],
  ['approval', 21, tooLong('Approval rules', 20)],
])('a list that remains has a length: %s %i', (kind, length, refusal) => {
  expect(refusalOf(() => requireLength(kind, length))).toEqual(refusal)
})

describe('the changes of a list', () => {
  const named = { access_level: null, user_id: null, group_id: null }
  const stored = (id: number, userId: number) => ({
    ...{ ...named, id, user_id: userId, protected_environment_id: 1, group_inheritance_type: 0, required_approvals: 1 },
  })
  const current = [stored(1, 10), stored(2, 20)]
  /** User 99 has no access. */
  const changesOf = (kind: ListKind, ...given: GivenEntry[]) => {
    const { removed, changed, added } = listChanges(kind, current, given, ({ user_id }) => user_id !== 99)
    return { removed, changed: Object.fromEntries(changed), added }
  }
  const nothing = { removed: [], changed: {}, added: [] }

  test.each<[string, ListKind, GivenEntry[], object]>([
    ['none', 'deploy', [], nothing],
    ['a new one', 'deploy', [{ user_id: 5 }], { ...nothing, added: [{ ...named, user_id: 5 }] }],
    [
      'a new one with details',
      'approval',
      [{ group_id: 5, group_inheritance_type: 1, required_approvals: 3 }],
      { ...nothing, added: [{ ...named, group_id: 5, group_inheritance_type: 1, required_approvals: 3 }] },
    ],
    ['a new one without details', 'approval', [{ user_id: 5 }], { ...nothing, added: [{ ...named, user_id: 5 }] }],
    [
      'a new one that needs no approvals, as it is for those who deploy',
      'deploy',
      [{ access_level: 40, required_approvals: 3 }],
      { ...nothing, added: [{ ...named, access_level: 40 }] },
    ],
    ['a new one that goes at once', 'deploy', [{ user_id: 5, _destroy: true }], nothing],
    ['a new one without access', 'deploy', [{ user_id: 99 }], nothing],
    ['another user', 'deploy', [{ id: 2, user_id: 5 }], { ...nothing, changed: { 2: { ...named, user_id: 5 } } }],
    ['another user, without access', 'deploy', [{ id: 2, user_id: 99 }], nothing],
    [
      'details alone',
      'approval',
      [{ id: 1, required_approvals: 2 }],
      { ...nothing, changed: { 1: { required_approvals: 2 } } },
    ],
    [
      'inheritance alone',
      'deploy',
      [{ id: 1, group_inheritance_type: 1 }],
      { ...nothing, changed: { 1: { group_inheritance_type: 1 } } },
    ],
    ['one that goes', 'deploy', [{ id: 1, _destroy: true }], { ...nothing, removed: [1] }],
    [
      'one that is changed and goes',
      'deploy',
      [
        { id: 1, user_id: 5 },
        { id: 1, _destroy: true },
        { id: 2, user_id: 6 },
      ],
      { removed: [1], changed: { 2: { ...named, user_id: 6 } }, added: [] },
    ],
    [
      'one that stays',
      'deploy',
      [{ id: 1, user_id: 5, _destroy: false }],
      { ...nothing, changed: { 1: { ...named, user_id: 5 } } },
    ],
  ])('%s', (_, kind, given, changes) => {
    expect(changesOf(kind, ...given)).toStrictEqual(changes)
  })

  test('are refused for an entry of another list', () => {
    expect(refusalOf(() => changesOf('deploy', { id: 3, user_id: 5 }))).toMatchObject({ status: 404 })
    expect(refusalOf(() => changesOf('deploy', { id: 3, _destroy: true }))).toMatchObject({ status: 404 })
  })
})
