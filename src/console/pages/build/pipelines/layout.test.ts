import { expect, test } from 'vitest'
import type { PlannedJob } from '../../../operations.ts'
import { placeJobs } from './layout.ts'

const job = (name: string, stage: string, needs: string[] | null = null) => ({ name, stage, needs }) as PlannedJob

test.each<[string, PlannedJob[], Record<string, [number, number]>]>([
  [
    'stages are columns',
    [job('a', 'one'), job('b', 'one'), job('c', 'two'), job('d', 'three')],
    { a: [0, 0], b: [0, 1], c: [1, 0], d: [2, 0] },
  ],
  [
    'a job without needs stands in the first column, one with needs behind the last of them',
    [job('a', 'one'), job('b', 'two', ['a']), job('c', 'two', []), job('d', 'three', ['b', 'a'])],
    { a: [0, 0], b: [1, 0], c: [0, 1], d: [2, 0] },
  ],
  [
    'jobs that need one another, themselves or nothing known have a place',
    [job('a', 'one', ['b']), job('b', 'one', ['a']), job('c', 'one', ['c', 'none'])],
    { a: [1, 0], b: [0, 0], c: [0, 1] },
  ],
])('%s', (_what, jobs, expected) => {
  const placed = placeJobs(jobs).map(({ job: { name }, column, row }) => [name, [column, row]])
  expect(Object.fromEntries(placed)).toEqual(expected)
})
