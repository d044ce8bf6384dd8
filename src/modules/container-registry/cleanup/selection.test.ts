import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PatternError } from '../../../infra/regex/index.ts'
import { compileCleanupPattern } from '../../projects/index.ts'
import { type CleanupRules, candidateTest, compileRules, type JudgedTag, selectTags } from './selection.ts'

const rules = (more: Partial<CleanupRules> = {}): CleanupRules => ({
  deletePattern: '.*',
  keepPattern: null,
  keepCount: 0,
  olderThanSeconds: null,
  ...more,
})
const now = new Date('2026-06-01T00:00:00.000Z')
const dayMs = 86_400_000
const aged = (name: string, days: number): JudgedTag => ({
  name,
  manifestId: 1,
  createdAt: new Date(now.getTime() - days * dayMs).toISOString(),
})

async function candidates(names: string[], more: Partial<CleanupRules>): Promise<string[]> {
  const isCandidate = candidateTest(compileRules(rules(more)))
  const found: string[] = []
  for (const name of names) if (await isCandidate(name)) found.push(name)
  return found
}

describe('the candidates of a clean-up', () => {
  test.each<[Partial<CleanupRules>, string[]]>([
    [{}, ['v1', 'v2', 'V1', 'xv1', 'v1x']],
    [{ deletePattern: 'v.' }, ['v1', 'v2']],
    [{ deletePattern: 'v1|v2' }, ['v1', 'v2']],
    [{ deletePattern: 'v1|1x' }, ['v1']],
    [{ deletePattern: '(?i)v1' }, ['v1', 'V1']],
    [{ deletePattern: 'latest' }, []],
    [{ deletePattern: '' }, []],
    [{ keepPattern: 'v1' }, ['v2', 'V1', 'xv1', 'v1x']],
    [{ keepPattern: '' }, ['v1', 'v2', 'V1', 'xv1', 'v1x']],
    [{ keepPattern: '.*' }, []],
  ])('of %j are %j', async (more, names) => {
    expect(await candidates(['latest', 'v1', 'v2', 'V1', 'xv1', 'v1x'], more)).toEqual(names)
  })

  test.each([
    ['*x', 'missing argument to repetition operator: `*`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['\\1', 'invalid escape sequence: `\\1`'],
    ['(a', 'missing closing ): `(a`'],
    ['a)(b', 'unexpected ): `a)(b`'],
    ['a'.repeat(2049), 'pattern too long (maximum is 2048)'],
    ['.{1000}'.repeat(290), 'pattern too large - compile failed'],
    ['((a{100}){100}){100}', 'invalid repeat count: `{100}`'],
  ])('cannot be chosen by %s', (text, reason) => {
    expect(() => compileCleanupPattern(text)).toThrow(new PatternError(reason))
  })

  test('are found in linear time, also by a pattern that costs others exponential time', async () => {
    const name = 'a'.repeat(127)
    const names = Array.from({ length: 200 }, (_, index) => `${name}${index % 10}`)
    expect(await candidates(names, { deletePattern: '(a+)+$', keepPattern: '(?:(?:(?:a?){10}){10}){10}b' })).toEqual([])
  })
})

describe('the tags that a clean-up deletes', () => {
  test('are those of the acceptance walk, step 11', () => {
    const tags = [aged('v1', 5), aged('v3', 3)]
    const deleted = selectTags(tags, rules({ keepCount: 1, olderThanSeconds: 86_400 }), now)
    expect(deleted.map(({ name }) => name)).toEqual(['v1'])
  })

  test('are all but the newest, however old these are', () => {
    const tags = [aged('a', 100), aged('b', 300), aged('c', 200)]
    const deleted = selectTags(tags, rules({ keepCount: 2, olderThanSeconds: 1 }), now)
    expect(deleted.map(({ name }) => name)).toEqual(['b'])
  })

  test('are never the newest, even if only others are old enough, and of the rest only what is old enough', () => {
    const tags = [aged('new', 0.1), aged('newer', 0), aged('old', 3), aged('older', 5)]
    const deleted = (keepCount: number) =>
      selectTags(tags, rules({ keepCount, olderThanSeconds: 86_400 }), now).map(({ name }) => name)
    expect(deleted(1)).toEqual(['older', 'old'])
    expect(deleted(2)).toEqual(['older', 'old'])
    expect(deleted(3)).toEqual(['older'])
    expect(deleted(4)).toEqual([])
  })

  test('are chosen by name among those of the same time, the greatest name being the newest', () => {
    const tags = [aged('a', 1), aged('c', 1), aged('b', 1)]
    expect(selectTags(tags, rules({ keepCount: 1 }), now).map(({ name }) => name)).toEqual(['a', 'b'])
  })

  test('are older than the limit, not as old', () => {
    const tags = [aged('exact', 1), { ...aged('older', 1), createdAt: '2026-05-30T23:59:59.999Z' }]
    const deleted = selectTags(tags, rules({ olderThanSeconds: 86_400 }), now)
    expect(deleted.map(({ name }) => name)).toEqual(['older'])
    expect(selectTags(tags, rules({ olderThanSeconds: Number.MAX_VALUE }), now)).toEqual([])
  })

  test('stay the same when a part of them is gone already', () => {
    const tags = fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[a-z]{1,3}$/), days: fc.nat({ max: 5 }) }), {
      selector: ({ name }) => name,
    })
    fc.assert(
      fc.property(
        tags,
        fc.integer({ min: -2, max: 4 }),
        fc.nat({ max: 5 }),
        fc.nat(),
        (made, keepCount, days, part) => {
          const all = made.map(({ name, days }) => aged(name, days))
          const chosen = rules({ keepCount, olderThanSeconds: days * 86_400 + 1 })
          const first = selectTags(all, chosen, now)
          const gone = new Set(first.slice(0, part % (first.length + 1)).map(({ name }) => name))
          const second = selectTags(
            all.filter(({ name }) => !gone.has(name)),
            chosen,
            now,
          )
          expect(second.map(({ name }) => name)).toEqual(
            first.map(({ name }) => name).filter((name) => !gone.has(name)),
          )
          expect(all.length - first.length).toBeGreaterThanOrEqual(Math.min(all.length, keepCount))
        },
      ),
    )
  })
})
