import { expect, test } from 'vitest'
import { problemsOf } from './validation.ts'

const draft = { key: 'K', masked: false, raw: false, description: null, environmentScope: '*' }

test.each([
  [10_000, true, undefined],
  [10_001, true, ['The value of the provided variable exceeds the 10000 character limit']],
  [1_048_577, true, ['The value of the provided variable exceeds the 10000 character limit']],
  [1_048_576, false, undefined],
  [1_048_577, false, ['is too long (maximum is 1048576 characters)']],
])('a value of %i characters, of the instance: %s', (length, isOfInstance, problems) => {
  expect(problemsOf({ ...draft, value: 'x'.repeat(length) }, isOfInstance)).toEqual(problems ? { value: problems } : {})
})
