import { expect, test } from 'vitest'
import { type MilestoneDraft, milestoneFailure, problemsOf } from './validation.ts'

const draft: MilestoneDraft = { title: 'v1', start_date: null, due_date: null }
const reversed = { due_date: ['must be greater than start date'] }

test.each<[Partial<MilestoneDraft>, object]>([
  [{}, {}],
  [{ title: '' }, { title: ["can't be blank"] }],
  [{ title: 'x'.repeat(255) }, {}],
  [{ title: 'x'.repeat(256) }, { title: ['is too long (maximum is 255 characters)'] }],
  [{ start_date: '2026-01-02', due_date: '2026-01-01' }, reversed],
  [{ start_date: '2026-01-01', due_date: '2026-01-01' }, {}],
  [{ start_date: '2026-01-01' }, {}],
  [{ due_date: '2026-01-01' }, {}],
])('a milestone with %j: %j', (given, problems) => expect(problemsOf({ ...draft, ...given })).toEqual(problems))

test('the problems are said as clients know them', () => {
  const { status, body } = milestoneFailure('update', { title: ['is odd', 'is even'], ...reversed })
  const message =
    'Failed to update milestone {:title=>["is odd", "is even"], :due_date=>["must be greater than start date"]}'
  expect([status, body]).toEqual([400, { message }])
})
