import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEffort, TooMuchEffort } from './effort.ts'
import { ownershipOf, parseCodeOwners } from './file.ts'
import { pathComponents, pathMatcher } from './pattern.ts'

const matches = (pattern: string, path: string) => pathMatcher(pattern)(pathComponents(path), createEffort())

describe('pathMatcher', () => {
  test.each([
    ['*', 'a', true],
    ['*', 'a/b/.c', true],
    ['README.md', 'README.md', true],
    ['README.md', 'docs/README.md', true],
    ['README.md', 'README.md/x', false],
    ['/README.md', 'README.md', true],
    ['/README.md', 'docs/README.md', false],
    ['*.rb', 'a/b.rb', true],
    ['*.rb', 'b.rbx', false],
    ['/*.rb', 'a/b.rb', false],
    ['docs/', 'docs/a', true],
    ['docs/', 'docs/a/b', true],
    ['docs/', 'x/docs/a', true],
    ['docs/', 'docs', false],
    ['/docs/', 'docs/a/b', true],
    ['/docs/', 'x/docs/a', false],
    ['/docs/*', 'docs/a', true],
    ['/docs/*', 'docs/a/b', false],
    ['/docs/**', 'docs/a/b', true],
    ['/docs/**/*.md', 'docs/a.md', true],
    ['/docs/**/*.md', 'docs/a/b/c.md', true],
    ['/docs/**/*.md', 'x/docs/c.md', false],
    ['lib/a', 'x/lib/a', true],
    ['**/a', 'a', true],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['[ab].txt', 'b.txt', true],
    ['[!ab].txt', 'b.txt', false],
    ['[a-c].txt', 'b.txt', true],
    ['a[b', 'a[b', true],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['\\#x', '#x', true],
    ['with\\ space', 'with space', true],
    ['ü*', 'über', true],
    ['?', '🦊', true],
    ['.*', '.x', true],
    ['a.c', 'abc', false],
    ['/', 'a', true],
    ['A', 'a', false],
  ])('%s and the path %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected)
  })

  test('takes linear time for hostile input', () => {
    expect(matches('**/'.repeat(200).concat('*a'.repeat(100), 'b'), `${'a/'.repeat(500)}${'a'.repeat(255)}`)).toBe(
      false,
    )
  })
})

const file = `
# A comment
* @everybody
*.rb @ruby # not @this
*.none
\\#odd @odd
with\\ space.md one@Example.com @Group/Sub not-an-owner

[Docs][2] @writers @a.b-c_d
docs/
/docs/api.md @api
/docs/free.md free

^[Optional]
*.css @designer

[docs]
/more/ @more
[Broken
/tail @tail
`

const parse = (text: string) => parseCodeOwners(text, createEffort())
const owned = async (text: string, path: string, effort = createEffort()) =>
  ownershipOf(await parse(text), path, effort)

describe('CODEOWNERS', () => {
  const of = async (path: string) =>
    (await owned(file, path)).map(({ section, pattern, owners }) => [
      section.name,
      pattern,
      owners.map((owner) => (owner.kind === 'name' ? owner.name : owner.email)).join(),
    ])

  test('assigns a path by the last matching pattern of every section', async () => {
    expect(await of('a')).toEqual([['', '*', 'everybody']])
    expect(await of('a.rb')).toEqual([['', '*.rb', 'ruby']])
    expect(await of('a.none')).toEqual([])
    expect(await of('#odd')).toEqual([['', '\\#odd', 'odd']])
    expect(await of('with space.md')).toEqual([['', 'with\\ space.md', 'one@example.com,group/sub']])
    expect(await of('docs/x')).toEqual([
      ['', '*', 'everybody'],
      ['Docs', 'docs/', 'writers,a.b-c_d'],
    ])
    expect((await of('docs/api.md')).at(-1)).toEqual(['Docs', '/docs/api.md', 'api'])
    expect(await of('docs/free.md')).toHaveLength(1)
    expect((await of('more/x')).at(-1)).toEqual(['Docs', '/more/', 'more'])
    expect((await of('tail')).at(-1)).toEqual(['Docs', '/tail', 'tail'])
  })

  test('parses sections with a number of approvals and optional sections', async () => {
    const known = (await parse(file)).map(({ name, isOptional }) => [name, isOptional])
    expect(known).toEqual([
      ['', false],
      ['Docs', false],
      ['Optional', true],
    ])
    expect((await of('a.css')).at(-1)).toEqual(['Optional', '*.css', 'designer'])
  })

  test('parses any text in linear time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('*', '/', '[', ']', '^', '@', '#', '\\', ' ', '\n', 'a') }),
        async (text) => {
          await owned(text, 'a/a')
        },
      ),
      { numRuns: 500 },
    )
    const hostile = [
      '['.repeat(1_000_000),
      '@'.repeat(1_000_000),
      'a @a.'.repeat(200_000),
      `x @${'a.'.repeat(500_000)}`,
    ]
    for (const text of [...hostile, `[${'a'.repeat(1_000_000)}`, `${'['.repeat(4_000)}\n`.repeat(200)])
      expect(await owned(text, 'b')).toEqual([])
    expect(await owned('\ufeff* @a\r\n', 'x')).toHaveLength(1)
  })
})

describe('the effort limit of a push', () => {
  const costly = `*${'a'.repeat(500)}b @x\n`
  const path = 'a'.repeat(1_000)

  test('counts all comparisons', async () => {
    const effort = createEffort({ inAll: 1_000_000 })
    const owners = await parseCodeOwners(costly, effort)
    expect(await ownershipOf(owners, path, effort)).toEqual([])
    const again = async () => {
      for (let count = 0; count < 10; count += 1) await ownershipOf(owners, path, effort)
    }
    await expect(again()).rejects.toThrow(TooMuchEffort)
  })

  test('limits a single pattern, a set of characters and parsing', async () => {
    const effort = () => createEffort({ atOnce: 100_000 })
    await expect(owned(costly, path, effort())).rejects.toThrow(TooMuchEffort)
    const set = `*[${'bc'.repeat(1_000)}] @x`
    await expect(owned(set, path, effort())).rejects.toThrow(TooMuchEffort)
    await expect(parseCodeOwners('a\n'.repeat(100), createEffort({ inAll: 1_000 }))).rejects.toThrow(TooMuchEffort)
  })

  test('is enough for a large push with an ordinary file', async () => {
    const effort = createEffort()
    const file = Array.from({ length: 500 }, (_, index) => `/source/module-${index}/**/*.ts @team-${index}`).join('\n')
    const owners = await parseCodeOwners(file, effort)
    for (let index = 0; index < 500; index += 1) {
      expect(await ownershipOf(owners, `source/module-${index}/deep/er/file.ts`, effort)).toHaveLength(1)
    }
  })
})
