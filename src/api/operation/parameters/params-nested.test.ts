import { describe, expect, test } from 'vitest'
import { parseNestedParameters } from './nested-parameters.ts'
import { type Param, type Problem, readParameters, t } from './params.ts'

function read(definition: Param<unknown>, value: unknown): unknown {
  const problems: Problem[] = []
  const { list } = readParameters({ list: definition }, { list: value }, problems)
  return problems.length > 0 ? problems.map(({ name, text }) => `${name} ${text}`) : list
}

function readQuery(definition: Param<unknown>, query: string): unknown {
  return read(definition, parseNestedParameters(query).list)
}

const access = t.array(t.object({ access_level: t.required(t.integerOf([30, 40])), user_id: t.integer() }))

describe('a list', () => {
  test('is read in all of its spellings', () => {
    for (const query of ['list[]=a&list[]=b', 'list[0]=a&list[1]=b', 'list[1]=b&list[0]=a']) {
      expect([query, readQuery(t.array(t.string()), query)]).toEqual([query, ['a', 'b']])
    }
    expect(read(t.array(t.string()), ['a', 'b'])).toEqual(['a', 'b'])
    expect(read(t.array(t.integer()), ['1', 2])).toEqual([1, 2])
  })

  test('a single value is one element', () => {
    expect(readQuery(t.array(t.string()), 'list=a,b')).toEqual(['a,b'])
    expect(read(t.array(t.integer()), 5)).toEqual([5])
    expect(read(t.array(t.string()), true)).toEqual(['true'])
    expect(readQuery(t.array(t.string()), 'list=')).toEqual([])
    expect(read(t.array(t.string()), [])).toEqual([])
  })

  test('is empty in a form with one empty element; further empty ones are absent where empty text is', () => {
    for (const item of [t.string({ blank: false }), t.oneOf(['a']), t.integer(), t.date()]) {
      expect(readQuery(t.array<number | string>(item), 'list[]=')).toEqual([])
    }
    expect(readQuery(t.array(t.integer()), 'list[]=&list[]=2&list[]=')).toEqual([2])
    expect(readQuery(t.array(t.string()), 'list[]=&list[]=b')).toEqual(['', 'b'])
  })

  test('is split at commas where the part says so, its elements are not', () => {
    const definition = t.array(t.string(), { commaSeparated: true })
    expect(readQuery(definition, 'list=a,b, c ,,')).toEqual(['a', 'b', 'c'])
    expect(readQuery(definition, 'list[]=a,b')).toEqual(['a,b'])
    expect(readQuery(t.array(t.integer(), { commaSeparated: true }), 'list=1,x')).toEqual(['list[1] is invalid'])
  })

  test('refuses other values', () => {
    expect(readQuery(t.array(t.string()), 'list[a]=b')).toEqual(['list is invalid'])
    expect(read(t.array(t.string()), { a: 'b' })).toEqual(['list is invalid'])
    expect(read(t.array(t.string()), ['a', { b: 'c' }, ['d'], null, '\u0000'])).toEqual([
      'list[1] is invalid',
      'list[2] is invalid',
      'list[3] is invalid',
      'list[4] is invalid',
    ])
    const tooMany = Array.from({ length: 10_001 }, () => 'a')
    expect(read(t.array(t.string()), tooMany)).toEqual(['list is invalid'])
    expect(read(t.array(t.string(), { maximum: 1 }), ['a', 'b'])).toEqual(['list is invalid'])
  })
})

describe('a list of objects', () => {
  const expected = [{ access_level: 30 }, { access_level: 40, user_id: 5 }]

  test('is the same as a form, as JSON, with numbers, and as JSON in a text', () => {
    const form = 'list[][access_level]=30&list[][access_level]=40&list[][user_id]=5'
    const numbered = 'list[0][access_level]=30&list[1][access_level]=40&list[1][user_id]=5'
    expect(readQuery(access, form)).toEqual(expected)
    expect(readQuery(access, numbered)).toEqual(expected)
    expect(read(access, expected)).toEqual(expected)
    expect(read(access, JSON.stringify(expected))).toEqual(expected)
    expect(readQuery(access, `list=${encodeURIComponent(JSON.stringify(expected))}`)).toEqual(expected)
  })

  test('names the problem by its path', () => {
    expect(read(access, [{ access_level: 30 }, {}, { access_level: 31, user_id: 'x' }, 'text'])).toEqual([
      'list[1][access_level] is missing',
      'list[2][access_level] does not have a valid value',
      'list[2][user_id] is invalid',
      'list[3] is invalid',
    ])
  })

  test.each(['text', '[', '[1', '{"access_level":30}', 'null', '""', '[[]]', '[null]', '[30]'])(
    'is refused as text that holds none: %s',
    (text) => {
      expect(JSON.stringify(read(access, text))).toMatch(/is invalid/)
    },
  )

  test('drops undeclared members, and names such as __proto__', () => {
    const value = JSON.parse('[{"access_level":30,"__proto__":{"user_id":5},"constructor":1,"admin":true}]')
    expect(read(access, value)).toEqual([{ access_level: 30 }])
  })
})

describe('an object', () => {
  const definition = t.object({ state: t.oneOf(['open', 'closed']), inner: t.object({ id: t.required(t.integer()) }) })

  test('is read by its members, at any depth', () => {
    expect(readQuery(definition, 'list[state]=open&list[inner][id]=5')).toEqual({ state: 'open', inner: { id: 5 } })
    expect(read(definition, { inner: {} })).toEqual(['list[inner][id] is missing'])
    expect(read(definition, {})).toEqual({})
  })

  test.each([[], 'text', 1, true, ['a']])('is not %j', (value) => {
    expect(read(definition, value)).toEqual(['list is invalid'])
  })

  test('has a schema with its required and nullable members', () => {
    const members = t.object({ a: t.required(t.string()), b: t.nullable(t.string()), c: t.string() })
    expect(members.schema).toMatchObject({
      required: ['a'],
      properties: { a: { type: 'string' }, b: { type: ['string', 'null'] }, c: { type: 'string' } },
    })
  })
})

describe('a file', () => {
  test('is the empty value, which removes', () => {
    expect(read(t.file(), '')).toBe('')
  })

  test('cannot be claimed: only an upload is one', () => {
    // A path of the caller's choice would be read as if it had been uploaded.
    const claimed = { uploaded: true, filename: 'a', contentType: 'text/plain', sizeBytes: 1, path: '/etc/passwd' }
    expect(read(t.file(), claimed)).toEqual(['list is invalid'])
    expect(read(t.file(), JSON.parse(JSON.stringify(claimed)))).toEqual(['list is invalid'])
  })

  test.each(['text', 1, true, {}, [], { uploaded: 'true' }, { path: '/etc/passwd' }])('is not %j', (value) => {
    expect(read(t.file(), value)).toEqual(['list is invalid'])
  })
})

describe('a record', () => {
  const definition = t.record(t.string(), { maximum: 2 })

  test('has members of any names', () => {
    expect(readQuery(definition, 'list[a]=1&list[b c]=2')).toEqual({ a: '1', 'b c': '2' })
    expect(Object.entries(readQuery(definition, 'list[__proto__]=x') as object)).toEqual([['__proto__', 'x']])
    expect(read(definition, { a: 1 })).toEqual({ a: '1' })
    expect(readQuery(definition, 'list=')).toBeUndefined()
  })

  test('is refused with other values, too many members, and names that are no text', () => {
    expect(readQuery(definition, 'list=x')).toEqual(['list is invalid'])
    expect(read(definition, ['x'])).toEqual(['list is invalid'])
    expect(read(definition, { a: {} })).toEqual(['list[a] is invalid'])
    expect(read(definition, { a: '1', b: '2', c: '3' })).toEqual(['list is invalid'])
    expect(read(definition, { 'a\u0000': '1' })).toEqual(['list is invalid'])
  })
})
