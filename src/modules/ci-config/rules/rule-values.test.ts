import { describe, expect, test } from 'vitest'
import { Problems } from '../errors.ts'
import { refFilter, rulesReader } from './rule-values.ts'

const readRules = rulesReader(() => undefined)

/** Reads a value of `rules`. */
function rulesOf(value: unknown) {
  const problems = new Problems()
  return { rules: readRules(value, 'job:rules', problems), problems: problems.messages }
}

/** A value within so many lists. */
const nested = (value: unknown, depth: number): unknown => (depth === 0 ? value : [nested(value, depth - 1)])

const empty = {
  ...{ if: null, changes: null, compareTo: null, exists: null, when: null, startInSeconds: null },
  ...{ allowFailure: null, variables: [], needs: null },
}

describe('a rule', () => {
  test.each<[value: object, expected: object]>([
    [{}, {}],
    [{ if: null, changes: null, exists: null }, {}],
    [{ when: 'on_success' }, { when: 'on_success' }],
    [{ when: 'on_failure' }, { when: 'on_failure' }],
    [{ when: 'always' }, { when: 'always' }],
    [{ when: 'manual' }, { when: 'manual' }],
    [{ when: 'delayed' }, { when: 'delayed' }],
    [{ when: 'never' }, { when: 'never' }],
    [{ changes: ['a', 'b'] }, { changes: ['a', 'b'] }],
    [{ changes: { paths: ['a'] } }, { changes: ['a'] }],
    [{ changes: { paths: ['a'], compare_to: 'main' } }, { changes: ['a'], compareTo: 'main' }],
    [{ changes: { paths: ['a'], compare_to: 1 } }, { changes: ['a'] }],
    [{ changes: {} }, { changes: [] }],
    [{ exists: ['a'] }, { exists: ['a'] }],
    [{ exists: { paths: ['a'] } }, { exists: ['a'] }],
    [
      { start_in: '1 minute', allow_failure: true },
      { startInSeconds: 60, allowFailure: true },
    ],
  ])('%j', (value, expected) => {
    expect(rulesOf([value])).toEqual({ rules: [{ ...empty, ...expected }], problems: [] })
  })

  test.each([
    [{ if: 1 }, 'job:rules:rule if invalid expression syntax'],
    [{ if: '$A ==' }, 'job:rules:rule if invalid expression syntax'],
    [{ changes: 'a' }, 'job:rules:rule:changes config should be a hash'],
    [{ changes: [1] }, 'job:rules:rule:changes config should be an array of strings'],
    [{ exists: 'a' }, 'job:rules:rule:exists config should be an array of strings'],
    [
      { when: 'sometimes' },
      'job:rules:rule:when config should be one of: on_success, on_failure, always, manual, delayed, never',
    ],
    ['text', 'job:rules:rule config should be a hash'],
  ])('%j is refused: %s', (value, problem) => expect(rulesOf([value]).problems).toEqual([problem]))
})

describe('a list of rules', () => {
  test('may be absent, and is a list otherwise', () => {
    for (const absent of [undefined, null]) expect(rulesOf(absent)).toEqual({ rules: undefined, problems: [] })
    expect(rulesOf({}).problems).toEqual(['job:rules config should be an array of hashes'])
  })

  test('may contain lists of rules, ten levels deep', () => {
    expect(rulesOf([[{ when: 'never' }], {}]).rules).toEqual([{ ...empty, when: 'never' }, empty])
    expect(rulesOf([nested({}, 10)])).toEqual({ rules: [empty], problems: [] })
    expect(rulesOf([nested({}, 11)]).problems).toEqual(['job:rules:rule config should be a hash'])
  })
})

describe('only', () => {
  const read = (value: unknown) => {
    const problems = new Problems()
    return { filter: refFilter(value, 'job:only', problems), problems: problems.messages }
  }
  const none = { refs: null, variables: null, changes: null }

  test.each([
    [undefined, undefined],
    [null, undefined],
    ['main', { ...none, refs: ['main'] }],
    [['main', 'tags'], { ...none, refs: ['main', 'tags'] }],
    [{ refs: ['main'] }, { ...none, refs: ['main'] }],
    [{ changes: ['a'] }, { ...none, changes: ['a'] }],
    [{ variables: ['$A'] }, { ...none, variables: [expect.any(Function)] }],
    [{ kubernetes: 'active' }, none],
  ])('%j', (value, expected) => expect(read(value)).toEqual({ filter: expected, problems: [] }))

  test.each([
    [1, 'job:only config should be an array of strings'],
    [{ refs: 'main' }, 'job:only:refs config should be an array of strings'],
    [{ variables: ['$A =='] }, 'job:only:variables invalid expression syntax'],
  ])('%j is refused: %s', (value, problem) => expect(read(value).problems).toEqual([problem]))
})
