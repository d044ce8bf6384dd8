import { expect, test } from 'vitest'
import { countTasks, taskStatus } from './tasks.ts'

test.each([
  [null, 0, 0, ''],
  ['no list', 0, 0, ''],
  ['- [ ] a\n* [x] b\n+ [X] c', 3, 2, '2 of 3 checklist items completed'],
  ['1. [ ] a\n  2) [x] b\n> - [ ] c', 3, 1, '1 of 3 checklist items completed'],
  ['- [x] a', 1, 1, '1 of 1 checklist item completed'],
  ['```\n- [ ] a\n```\n- [ ] b\n~~~\n- [x] c', 1, 0, '0 of 1 checklist item completed'],
  ['- [] a\n- [xx] b\n-[ ] c\n[ ] d\n- [ ]e', 0, 0, ''],
])('the items of %j are counted', (description, count, completed_count, words) => {
  const completion = countTasks(description)
  expect(completion).toEqual({ count, completed_count })
  expect(taskStatus(completion)).toBe(words)
})

test('a long description is read in time', () => {
  for (const piece of ['- [ ] ', '>', ' ', '```\n', '[', '- [x] a\n'])
    countTasks(piece.repeat(1_000_000 / piece.length))
})
