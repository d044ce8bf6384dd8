import { expect, test } from 'vitest'
import { bytesOfVariables, mostBytesOfJob, mostBytesOfOwner, requireShortValues, valueProblems } from './bounds.ts'

const longest = 'ä'.repeat(1_048_576)

test('a value is as long as the contract allows', () => {
  expect(valueProblems(longest)).toEqual([])
  const problems = ['is too long (maximum is 1048576 characters)']
  expect(valueProblems(`${longest}x`)).toEqual(problems)
  expect(() => requireShortValues([{ value: '' }, { value: longest }])).not.toThrow()
  expect(() => requireShortValues([{ value: '' }, { value: `${longest}x` }])).toThrow(
    expect.objectContaining({ status: 400, body: { message: { value: problems } } }),
  )
})

test('the bytes of variables are those of their keys and of their values in UTF-8', () => {
  expect(bytesOfVariables([])).toBe(0)
  expect(
    bytesOfVariables([
      { key: 'KEY', value: 'ä€' },
      { key: 'K', value: '' },
    ]),
  ).toBe(3 + 5 + 1)
  expect([mostBytesOfJob, mostBytesOfOwner]).toEqual([10_485_760, 67_108_864])
})
