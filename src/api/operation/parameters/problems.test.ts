import { expect, test } from 'vitest'
import { humanSize } from './problems.ts'

test('sizes are formatted for humans', () => {
  expect([0, 1023, 1024, 1280, 5_242_880, 5_242_881, 6 * 1024 ** 2, 1023 * 1024].map(humanSize)).toEqual([
    '0 Bytes',
    '1023 Bytes',
    '1 KiB',
    '1.25 KiB',
    '5 MiB',
    '5 MiB',
    '6 MiB',
    '1023 KiB',
  ])
})
