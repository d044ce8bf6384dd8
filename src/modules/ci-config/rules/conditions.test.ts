import { describe, expect, test } from 'vitest'
import type { PipelineContext } from '../types.ts'
import { type CommitFacts, firstRule, isExcluded, isIncluded } from './conditions.ts'
import type { RefFilter, Rule } from './rule-values.ts'

const filterOf = (changes: Partial<RefFilter>): RefFilter => ({
  refs: null,
  variables: null,
  changes: null,
  ...changes,
})
const factsOf = (changed: string[] | null): CommitFacts => ({
  changedPaths: async () => changed,
  paths: async () => ['a.md'],
})
const variables = (name: string) => ({ A: '1', FOLDER: 'docs' })[name]
const branch = { ref: 'main', tag: false, source: 'push' } as PipelineContext
const tag = { ...branch, ref: 'v1', tag: true }
const request = { ...branch, ref: 'refs/merge-requests/1/head', source: 'merge_request_event' }

/** Whether `only` has a pipeline. */
const includes = (changes: Partial<RefFilter>, context: PipelineContext, changed: string[] | null = ['b.md']) =>
  isIncluded(filterOf(changes), context, variables, factsOf(changed))

describe('a word of `only`', () => {
  const words = ['pushes', 'api', 'schedules', 'triggers', 'pipelines', 'web', 'merge_requests']

  test.each([
    ['push', ['pushes']],
    ['api', ['api']],
    ['schedule', ['schedules']],
    ['trigger', ['triggers']],
    ['pipeline', ['triggers', 'pipelines']],
    ['web', ['web']],
    ['merge_request_event', ['merge_requests']],
    ['another', []],
  ])('for the source %s: %j', async (source, expected) => {
    const included: string[] = []
    for (const word of words) if (await includes({ refs: [word] }, { ...branch, source })) included.push(word)
    expect(included).toEqual(expected)
  })

  test.each([
    ['branches', true, false],
    ['tags', false, true],
    ['main', true, false],
    ['main@group/project', true, false],
    ['/^v/', false, true],
    ['/^V/i', false, true],
    ['/^v/i@group', false, true],
    ['/^v/@group/project', false, true],
    ['/^ma/in/', false, false],
    ['/^[/mv]/', true, true],
    ['/^x/', false, false],
    ['/(/', false, false],
  ])('%s includes the branch main: %s, the tag v1: %s', async (word, ofBranch, ofTag) => {
    expect([await includes({ refs: [word] }, branch), await includes({ refs: [word] }, tag)]).toEqual([ofBranch, ofTag])
  })
})

test.each([
  ['merge_requests', true, false],
  ['branches', false, true],
  ['tags', false, false],
  ['main', false, true],
  ['/^refs.merge-requests/', true, false],
])('%s includes a merge request: %s, the branch main: %s', async (word, ofRequest, ofBranch) => {
  expect([await includes({ refs: [word] }, request), await includes({ refs: [word] }, branch)]).toEqual([
    ofRequest,
    ofBranch,
  ])
  expect(await isExcluded(filterOf({ refs: [word] }), request, variables, factsOf([]))).toBe(ofRequest)
})

test('`only` without refs includes no merge request', async () => {
  expect([await includes({ changes: ['b.md'] }, branch), await includes({ changes: ['b.md'] }, request)]).toEqual([
    true,
    false,
  ])
})

describe('a filter', () => {
  const isSet = (name: string) => (lookup: (name: string) => string | undefined) => lookup(name) !== undefined
  /** Whether `only` and `except` find the branch main. */
  const found = async (changes: Partial<RefFilter>, changed: string[] | null = ['b.md']) => [
    await includes(changes, branch, changed),
    await isExcluded(filterOf(changes), branch, variables, factsOf(changed)),
  ]

  test('without conditions includes branches and tags, and excludes none', async () => {
    expect(await found({})).toEqual([true, false])
    expect(await includes({}, tag)).toBe(true)
  })

  test.each<[refs: string[], expected: boolean]>([
    [['main'], true],
    [['main', 'other'], true],
    [['other'], false],
  ])('with the refs %j: %s', async (refs, expected) => expect(await found({ refs })).toEqual([expected, expected]))

  test.each<[names: string[], expected: boolean]>([
    [['A'], true],
    [['A', 'NONE'], true],
    [['NONE'], false],
  ])('with the variables %j: %s', async (names, expected) => {
    expect(await found({ variables: names.map(isSet) })).toEqual([expected, expected])
  })

  test.each<[globs: string[], changed: string[] | null, expected: boolean]>([
    [['*.md'], ['b.md'], true],
    [['*.md'], ['b.ts', 'b.md'], true],
    [['*.js', '*.md'], ['b.md'], true],
    [['*.md'], ['b.ts'], false],
    [['*.md'], null, true],
    [['$FOLDER/*'], ['docs/a'], true],
    [['$FOLDER/*'], ['other/a'], false],
  ])('with changes of %j, where %j changed: %s', async (changes, changed, expected) => {
    expect(await found({ changes }, changed)).toEqual([expected, expected])
  })

  test('includes a pipeline when all conditions hold, and excludes it when one does', async () => {
    expect(await found({ refs: ['main'], variables: [isSet('NONE')] })).toEqual([false, true])
    expect(await found({ variables: [isSet('NONE')], changes: ['*.md'] })).toEqual([false, true])
    expect(await found({ refs: ['other'], changes: ['*.md'] })).toEqual([false, true])
  })
})

describe('a rule', () => {
  const ruleOf = (changes: Partial<Rule>) => ({ if: null, changes: null, compareTo: null, exists: null, ...changes })

  test.each<[string, Partial<Rule>, boolean]>([
    ['without conditions', {}, true],
    ['with an expression that is true', { if: () => true }, true],
    ['with an expression that is false', { if: () => false }, false],
    ['with changes', { changes: ['b.*'] }, true],
    ['without its changes', { changes: ['c.*'] }, false],
    ['with a path', { exists: ['a.*'] }, true],
    ['without its path', { exists: ['b.*'] }, false],
  ])('%s: %s, %s', async (_, changes, expected) => {
    const rule = ruleOf(changes) as Rule
    expect(await firstRule([rule], variables, factsOf(['b.md']))).toBe(expected ? rule : null)
  })
})
