/** Whose approvals count for which rules. */
import { expect, test } from 'vitest'
import { isOverwritten } from '../approval-rules/applicable.ts'
import { countsFor } from './progress.ts'
import type { NamedRule } from './store.ts'

const rule = (fields: object) =>
  ({ rule_type: 'regular', userIds: [], groupIds: [], ...fields }) as unknown as NamedRule
const members = new Map([
  [10, new Set([1])],
  [20, new Set([2])],
])

test.each<[string, object, number[]]>([
  ['a rule for everyone', { rule_type: 'any_approver', userIds: [1] }, [1, 2, 3]],
  ['a rule that names no one', {}, [1, 2, 3]],
  ['a rule for users', { userIds: [1, 3] }, [1, 3]],
  ['a rule for a group', { groupIds: [20] }, [2]],
  ['a rule for groups', { groupIds: [10, 20] }, [1, 2]],
  ['a rule for a user and a group', { userIds: [3], groupIds: [10] }, [1, 3]],
  ['a rule for a group without members', { groupIds: [30] }, []],
])('%s', (_, fields, expected) => {
  expect([1, 2, 3].filter((userId) => countsFor(rule(fields), userId, members))).toEqual(expected)
})

const scoped = (kind: string, report_type: string | null) => rule({ scope: { kind, id: 1 }, report_type })

test.each<[string, NamedRule[], boolean]>([
  ['none', [], false],
  ['those of a project', [scoped('project', null)], false],
  ['one of a merge request', [scoped('project', null), scoped('merge_request', null)], true],
  ['one of a merge request for its reports', [scoped('merge_request', 'code_coverage')], false],
  ['several of a merge request', [scoped('merge_request', 'code_coverage'), scoped('merge_request', null)], true],
])('rules stand in place of those of the project: %s', (_, rules, expected) => {
  expect(isOverwritten(rules)).toBe(expected)
})
