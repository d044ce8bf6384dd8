import { expect, test } from 'vitest'
import { refuseInvalid } from './validation.ts'

test.each([
  [0, null],
  [2_147_483_647, null],
  [-1, 'must be greater than or equal to 0'],
  [2_147_483_648, 'must be less than or equal to 2147483647'],
  [null, null],
])('the weight %s: %s', (weight, problem) => {
  const check = () => refuseInvalid({ weight })
  if (problem === null) expect(check).not.toThrow()
  else expect(check).toThrow(expect.objectContaining({ status: 400, body: { message: { weight: [problem] } } }))
})
