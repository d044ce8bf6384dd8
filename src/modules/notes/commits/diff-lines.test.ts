import { expect, test } from 'vitest'
import { linesOf } from './diff-lines.ts'

const numbers = (patch: string) => [...linesOf(patch)].map(({ oldLine, newLine }) => [oldLine, newLine])

test('lines of a patch are counted on both sides', () => {
  expect(numbers('@@ -3,3 +3,3 @@ heading\n three\n-four\n+FOUR\n five\n@@ -9 +9,2 @@\n nine\n+ten\n')).toEqual([
    [3, 3],
    [4, null],
    [null, 4],
    [5, 5],
    [9, 9],
    [null, 10],
  ])
})

test('a line that looks like a hunk header or file header is still a line', () => {
  expect(numbers('@@ -1,2 +1,2 @@\n @@ -5 +5 @@\n--- a\n+++ b\n\\ No newline at end of file\n')).toEqual([
    [1, 1],
    [2, null],
    [null, 2],
  ])
})

test('an empty or malformed patch has no lines', () => {
  expect(numbers('')).toEqual([])
  expect(numbers('Binary files differ\n')).toEqual([])
})
