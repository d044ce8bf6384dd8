import { expect, test } from 'vitest'
import type { LabelChanges } from './params.ts'
import { titleProblems, validated } from './validation.ts'

const tooLong = (most: number) => [`is too long (maximum is ${most} characters)`]

test.each([
  ['bug', []],
  [' ', ["can't be blank", 'is invalid']],
  ['a,b', ['is invalid']],
  ['x'.repeat(255), []],
  ['x'.repeat(256), tooLong(255)],
  [`,${'x'.repeat(255)}`, ['is invalid', ...tooLong(255)]],
])('the title %s: %j', (title, problems) => expect(titleProblems(title)).toEqual(problems))

test('the given members are checked and cleaned', () => {
  expect(validated({ new_name: ' bug ', color: 'red', description: 'd', priority: 0 })).toEqual({
    ...{ title: 'bug', color: '#FF0000', description: 'd' },
  })
  expect(validated({})).toEqual({})
  expect(validated({ priority: null, description: null })).toEqual({ description: null })
})

test.each<[LabelChanges, object]>([
  [{ new_name: ',' }, { title: ['is invalid'] }],
  [{ color: 'reddish' }, { color: ['must be a valid color code'] }],
  [{ description: 'x'.repeat(4097) }, { description: tooLong(4096) }],
  [{ priority: -1 }, { priority: ['must be greater than or equal to 0'] }],
  [
    { new_name: '', priority: -2 },
    { title: ["can't be blank", 'is invalid'], priority: ['must be greater than or equal to 0'] },
  ],
])('%j is refused: %j', (given, message) => {
  expect(() => validated(given)).toThrow(expect.objectContaining({ status: 400, body: { message } }))
})

test('a description may have 4096 characters', () => {
  const description = 'x'.repeat(4096)
  expect(validated({ description })).toEqual({ description })
})
