import { expect, test } from 'vitest'
import { type ChangedFile, pagesOfDiff } from './chunks.ts'

const fileOf = (new_path: string, lines: readonly string[]): ChangedFile => ({
  ...{ old_path: new_path, new_path, new_file: true, renamed_file: false, deleted_file: false },
  ...{ a_mode: '0', b_mode: '100644' },
  diff: `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`,
})

const shownOn = (files: readonly ChangedFile[]) =>
  pagesOfDiff(files).map((pieces) => pieces.map(({ file, rows }) => `${file.new_path} ${rows.length}`))

test('a page has at most 3,000 lines, and small files stay whole', () => {
  const files = [1_999, 999, 1, 6_500].map((count, index) => fileOf(`f${index}`, Array(count).fill('x')))
  expect(shownOn(files)).toEqual([['f0 2000', 'f1 1000'], ['f2 2'], ['f3 3000'], ['f3 3000'], ['f3 501']])
})

test('a page has at most a million letters', () => {
  const files = Array.from({ length: 7 }, (_, index) => fileOf(`f${index}`, ['x'.repeat(300_000)]))
  expect(shownOn(files)).toEqual([['f0 2', 'f1 2', 'f2 2'], ['f3 2', 'f4 2', 'f5 2'], ['f6 2']])
})

test('a diff without files is one empty page', () => {
  expect(pagesOfDiff([])).toEqual([[]])
})
