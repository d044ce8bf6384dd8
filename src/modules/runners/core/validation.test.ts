import { expect, test } from 'vitest'
import { cleanTags, type RunnerDraft, requireValidRunner } from './validation.ts'

const draft: RunnerDraft = {
  ...{ description: null, maintenance_note: null, maximum_timeout: null, run_untagged: true, tag_list: [] },
}
const tooLong = (most: number) => [`is too long (maximum is ${most} characters)`]
const tags = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`)

test.each<[string, Partial<RunnerDraft>, object | null]>([
  ['nothing', {}, null],
  ['a long description', { description: '😀'.repeat(1024) }, null],
  ['a longer description', { description: 'x'.repeat(1025) }, { description: tooLong(1024) }],
  ['a long note', { maintenance_note: 'x'.repeat(1024) }, null],
  ['a longer note', { maintenance_note: 'x'.repeat(1025) }, { maintenance_note: tooLong(1024) }],
  ['ten minutes', { maximum_timeout: 600 }, null],
  ['less than ten minutes', { maximum_timeout: 599 }, { maximum_timeout: ['needs to be at least 10 minutes'] }],
  [
    'no job',
    { run_untagged: false },
    { tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'] },
  ],
  ['tagged jobs', { run_untagged: false, tag_list: ['a'] }, null],
  ['50 tags', { tag_list: tags(50) }, null],
  [
    '51 tags',
    { tag_list: tags(51) },
    { tags_list: ['Too many tags specified. Please limit the number of tags to 50'] },
  ],
  ['a long tag', { tag_list: ['a', 'x'.repeat(255)] }, null],
  ['a longer tag', { tag_list: ['a', 'x'.repeat(256)] }, { tags_list: tooLong(255) }],
])('a runner with %s', (_name, given, message) => {
  const check = () => requireValidRunner({ ...draft, ...given })
  if (message) expect(check).toThrow(expect.objectContaining({ status: 400, body: { message } }))
  else expect(check).not.toThrow()
})

test('tags are stored once, without blanks', () => {
  expect(cleanTags([' a ', 'b', 'a', '', ' '])).toEqual(['a', 'b'])
})
