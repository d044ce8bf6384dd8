import { describe, expect, test } from 'vitest'
import { type Param, type Problem, readParameters, t } from './params.ts'
import { dayOfField } from './problems.ts'

/** The value that is read, or what is said against it. */
function read(definition: Param<unknown>, value: unknown): unknown {
  const problems: Problem[] = []
  const { name } = readParameters({ name: definition }, { name: value }, problems)
  return problems.length > 0 ? problems.map(({ text }) => text) : name
}

const invalid = ['is invalid']
const notListed = ['does not have a valid value']
/** What is no value of a scalar, whatever its type. */
const shapes: unknown[] = [{}, { a: '1' }, [], ['1'], [[]], Object.create(null), { uploaded: true }]

describe('text', () => {
  test.each<[unknown, unknown]>([
    ['', ''],
    [' a ', ' a '],
    ['é🦊\n', 'é🦊\n'],
    [1.5, '1.5'],
    [0, '0'],
    [false, 'false'],
    ['\u0000', invalid],
    ['a\u0000b', invalid],
    ['\ud800', invalid],
    ['a\udc00b', invalid],
    ...shapes.map((shape): [unknown, unknown] => [shape, invalid]),
  ])('%j', (value, expected) => {
    expect(read(t.string(), value)).toEqual(expected)
  })

  test('is measured in characters', () => {
    const definition = t.string({ maxLength: 3 })
    expect(read(definition, '🦊🦊🦊')).toBe('🦊🦊🦊')
    expect(read(definition, 'abcd')).toEqual(['is too long (maximum is 3 characters)'])
    expect(read(definition, 1234)).toEqual(['is too long (maximum is 3 characters)'])
    expect(read(t.string({ maxLength: 255 }), 'a'.repeat(1_000_000))).toEqual([
      'is too long (maximum is 255 characters)',
    ])
  })

  test('can be declared as not blank', () => {
    const definition = t.string({ blank: false })
    expect([read(definition, ''), read(definition, ' \t\n'), read(definition, ' a')]).toEqual([
      ['is empty'],
      ['is empty'],
      ' a',
    ])
  })
})

describe('an integer', () => {
  test.each<[unknown, unknown]>([
    [0, 0],
    [-5, -5],
    ['5', 5],
    ['+5', 5],
    ['-5', -5],
    ['007', 7],
    ['', undefined],
    [null, undefined],
    [1.5, invalid],
    ['1.0', invalid],
    ['1e3', invalid],
    ['0x10', invalid],
    ['1_000', invalid],
    ['--1', invalid],
    ['+', invalid],
    ['five', invalid],
    ['٥', invalid],
    ['5\u0000', invalid],
    [true, invalid],
    [Number.NaN, invalid],
    [Number.POSITIVE_INFINITY, invalid],
    ['9223372036854775808', invalid],
    ['-9223372036854775808', invalid],
    [1e300, invalid],
    ['9'.repeat(100_000), invalid],
    ...shapes.map((shape): [unknown, unknown] => [shape, invalid]),
  ])('%j', (value, expected) => {
    expect(read(t.integer(), value)).toEqual(expected)
  })

  test.each(['9223372036854775807', '-9223372036854775807'])(
    '%s is the largest, and stays within what databases hold',
    (text) => {
      const value = read(t.integer(), text)
      expect(typeof value).toBe('number')
      const magnitude = BigInt(Math.abs(value as number))
      expect(magnitude <= 2n ** 63n - 1n).toBe(true)
      expect(magnitude >= BigInt(Number.MAX_SAFE_INTEGER)).toBe(true)
    },
  )

  test('has bounds, and lists', () => {
    const bounded = t.integer({ minimum: 1, maximum: 3 })
    expect([read(bounded, '1'), read(bounded, 3), read(bounded, 0), read(bounded, '4')]).toEqual([
      1,
      3,
      notListed,
      notListed,
    ])
    const listed = t.integerOf([0, 30, 40])
    expect([read(listed, '30'), read(listed, 0), read(listed, 10), read(listed, 'x'), read(listed, '')]).toEqual([
      30,
      0,
      notListed,
      invalid,
      undefined,
    ])
  })
})

describe('a boolean', () => {
  test.each([true, 1, '1', 'true', 'TRUE', 'True', 't', 'T', 'on', 'On', 'yes', 'YES', 'y', 'Y'])(
    '%j is true',
    (value) => {
      expect(read(t.boolean(), value)).toBe(true)
    },
  )

  test.each([false, 0, '0', 'false', 'FALSE', 'f', 'F', 'off', 'OFF', 'no', 'No', 'n', 'N'])('%j is false', (value) => {
    expect(read(t.boolean(), value)).toBe(false)
  })

  test.each([2, -1, '2', '00', 'tru', 'truee', 'null', 'enabled', '\u0000', 'constructor', '__proto__', ...shapes])(
    '%j is neither',
    (value) => {
      expect(read(t.boolean(), value)).toEqual(invalid)
    },
  )

  test('the empty text is no value', () => {
    expect([read(t.boolean(), ''), read(t.boolean(), null)]).toEqual([undefined, undefined])
  })
})

describe('one of a list', () => {
  const definition = t.oneOf(['asc', 'desc'])
  test.each<[unknown, unknown]>([
    ['asc', 'asc'],
    ['ASC', notListed],
    [' asc', notListed],
    ['', notListed],
    [1, notListed],
    ['constructor', notListed],
    ['asc\u0000', invalid],
    ...shapes.map((shape): [unknown, unknown] => [shape, invalid]),
  ])('%j', (value, expected) => {
    expect(read(definition, value)).toEqual(expected)
  })
})

describe('moments and days', () => {
  test('are read as ISO 8601', () => {
    expect(read(t.datetime(), '2026-01-02T03:04:05+01:00')).toBe('2026-01-02T02:04:05.000Z')
    expect(read(t.date(), '2026-01-02')).toBe('2026-01-02')
    expect([read(t.datetime(), ''), read(t.date(), '')]).toEqual([undefined, undefined])
  })

  test.each(['tomorrow', '2026-02-30', 20260102, true, '\u0000', ...shapes])('%j is none', (value) => {
    expect(read(t.datetime(), value)).toEqual(invalid)
    expect(read(t.date(), value)).toEqual(invalid)
  })

  test('the day of a field is cut from a date-time', () => {
    expect(dayOfField('due_date', ' 2026-01-02 ')).toBe('2026-01-02')
    expect(dayOfField('due_date', '2026-01-02T00:30:00+02:00')).toBe('2026-01-02')
    for (const text of ['tomorrow', '2026-02-30', '', '20260102']) {
      expect(() => dayOfField('due_date', text)).toThrow(
        expect.objectContaining({ status: 400, body: { message: { due_date: ['is invalid'] } } }),
      )
    }
  })

  test('a day has no time', () => {
    expect(read(t.date(), '2026-01-02T00:00:00Z')).toEqual(invalid)
  })
})

describe('absence', () => {
  test('null clears nullable parameters, and is absent elsewhere', () => {
    expect(read(t.nullable(t.string()), null)).toBeNull()
    expect(read(t.nullable(t.integer()), null)).toBeNull()
    expect(read(t.string(), null)).toBeUndefined()
    for (const cleared of [null, '']) {
      expect(read(t.clearable(t.integer()), cleared)).toBeNull()
      expect(read(t.clearable(t.string()), cleared)).toBeNull()
    }
    expect([read(t.clearable(t.integer()), '3'), read(t.clearable(t.integer()), 'x')]).toEqual([3, invalid])
    expect(read(t.clearable(t.integer()), undefined)).toBeUndefined()
    expect(read(t.required(t.string()), null)).toEqual(['is missing'])
  })

  test('an absent required parameter is missing; one that must not be blank is also empty', () => {
    expect(read(t.required(t.string()), undefined)).toEqual(['is missing'])
    expect(read(t.required(t.string()), '')).toBe('')
    expect(read(t.required(t.integer()), '')).toEqual(['is missing'])
    expect(read(t.requiredNotBlank(), undefined)).toEqual(['is missing', 'is empty'])
    expect(read(t.requiredNotBlank(), ' ')).toEqual(['is empty'])
  })

  test('blank text of a parameter that must be filled is empty', () => {
    const definition = t.filled(t.required(t.boolean()))
    for (const blank of ['', ' ']) expect(read(definition, blank)).toEqual(['is empty'])
    expect([read(definition, 'f'), read(definition, undefined)]).toEqual([false, ['is missing']])
    expect([read(definition, 'x'), read(definition, null)]).toEqual([['is invalid'], ['is missing']])
  })

  test('inherited members of an object are not parameters', () => {
    const problems: Problem[] = []
    const definitions = { toString: t.string(), constructor: t.string() } as unknown as Record<string, Param<string>>
    expect(readParameters(definitions, {}, problems)).toEqual({})
    expect(problems).toEqual([])
  })

  test('undeclared parameters are ignored', () => {
    const problems: Problem[] = []
    expect(readParameters({ a: t.string() }, { a: 'x', b: 'y', 'a[]': 'z' }, problems)).toEqual({ a: 'x' })
    expect(problems).toEqual([])
  })
})
