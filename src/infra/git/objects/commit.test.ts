import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Oid } from '../model/names.ts'
import { runGit } from '../testing.ts'
import { parseCommit, parseTagObject, parseTrailers } from './commit.ts'

const oid = 'f'.repeat(40) as Oid
const tree = 'a'.repeat(40)
const parent = 'b'.repeat(40)
const people = 'author Ada <ada@x> 1700000000 +0130\ncommitter Bob <bob@x> 1700000001 -0800\n'
const parse = (text: string | Buffer) => parseCommit(oid, Buffer.from(text))

describe('a commit', () => {
  test('is parsed completely', () => {
    const commit = parse(
      `tree ${tree}\nparent ${parent}\nparent ${tree}\n${people}\nTitle\n\nBody\n\nReviewed-by: Eve\n`,
    )
    expect(commit).toEqual({
      oid,
      treeOid: tree,
      parentOids: [parent, tree],
      author: { name: 'Ada', email: 'ada@x', date: '2023-11-14T22:13:20.000Z' },
      committer: { name: 'Bob', email: 'bob@x', date: '2023-11-14T22:13:21.000Z' },
      message: 'Title\n\nBody\n\nReviewed-by: Eve\n',
      title: 'Title',
      trailers: [{ key: 'Reviewed-by', value: 'Eve' }],
    })
  })

  test('has a signature whose lines are not parsed as headers', () => {
    const signature = `gpgsig -----BEGIN-----\n tree ${parent}\n author Mallory <m@x> 1 +0000\n -----END-----\n`
    const commit = parse(`tree ${tree}\n${people}${signature}\nSigned`)
    expect(commit).toMatchObject({ treeOid: tree, author: { name: 'Ada' }, message: 'Signed', parentOids: [] })
  })

  test('is decoded by its encoding, as far as possible if that is broken or unknown', () => {
    const latin = Buffer.from(
      `tree ${tree}\nauthor J\xfcrgen <j@x> 1 +0000\nencoding ISO-8859-1\n\nGr\xfc\xdfe`,
      'latin1',
    )
    expect(parse(latin)).toMatchObject({ author: { name: 'Jürgen' }, message: 'Grüße' })
    const broken = Buffer.concat([Buffer.from(`tree ${tree}\n${people}\nx`), Buffer.from([0xff, 0xfe])])
    expect(parse(broken)?.message).toBe('x\ufffd\ufffd')
    expect(parse(`tree ${tree}\nencoding no-such\n\nplain`)?.message).toBe('plain')
  })

  test.each([
    ['author <> 5 +0000', { name: '', email: '', date: '1970-01-01T00:00:05.000Z' }],
    ['author A B <c@d>', { name: 'A B', email: 'c@d', date: '1970-01-01T00:00:00.000Z' }],
    ['author only words', { name: 'only words', email: '', date: '1970-01-01T00:00:00.000Z' }],
    ['author A <a@x> 99999999999999999999 +0000', { name: 'A', email: 'a@x', date: '9999-12-31T23:59:59.000Z' }],
    ['author A <a@x> -5 +0000', { name: 'A', email: 'a@x', date: '1970-01-01T00:00:00.000Z' }],
    ['author A <a@x> tomorrow', { name: 'A', email: 'a@x', date: '1970-01-01T00:00:00.000Z' }],
  ])('with the malformed line %j has a person', (line, person) => {
    expect(parse(`tree ${tree}\n${line}\n\nm`)?.author).toEqual(person)
  })

  test('of another format is null; without message, the message is empty', () => {
    expect(parse('')).toBeNull()
    expect(parse('blob of text\n\ntree x')).toBeNull()
    expect(parse(`tree ${tree}\n${people}`)).toMatchObject({ message: '', title: '', trailers: [] })
  })

  test('of random bytes does not throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const content = Buffer.concat([Buffer.from(`tree ${tree}\n`), bytes])
        expect(parse(content)?.treeOid).toBe(tree)
      }),
    )
  })
})

describe('a tag object', () => {
  const parseTag = (text: string) => parseTagObject(oid, Buffer.from(text))
  const head = `object ${parent}\ntype commit\ntag v1\n`

  test('is parsed completely, with a separate signature', () => {
    const signature = '-----BEGIN PGP SIGNATURE-----\n\nxyz\n-----END PGP SIGNATURE-----\n'
    expect(parseTag(`${head}tagger Ada <ada@x> 1700000000 +0130\n\nVersion 1\n\nMore\n${signature}`)).toEqual({
      oid,
      name: 'v1',
      target: parent,
      targetType: 'commit',
      tagger: { name: 'Ada', email: 'ada@x', date: '2023-11-14T22:13:20.000Z' },
      message: 'Version 1\n\nMore\n',
      signature,
    })
  })

  test('may lack tagger and message, but not its target', () => {
    expect(parseTag(head)).toMatchObject({ tagger: null, message: '', signature: null })
    expect(parseTag('type commit\ntag v1\n\nx')).toBeNull()
    expect(parseTag(`object ${parent}\ntype nonsense\n\nx`)).toBeNull()
    expect(parseTag('')).toBeNull()
  })
})

/** Lines that the rule for trailers distinguishes. */
const line = fc.constantFrom(
  ...[
    '',
    '',
    'Text of a body',
    'Signed-off-by: A <a@x>',
    'Fixes: #1',
    'fixes : 2',
    ' folded',
    '\ttabbed',
    'No trailer: here',
  ],
  ...['(cherry picked from commit abc)', 'Key:', '-: x', 'Ünï: x', 'key:value', '   ', 'a b: c', ': x', 'Closes: a: b'],
)

describe('trailers', () => {
  test('are equal to those of git interpret-trailers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 9 }), async (lines) => {
        const message = `${lines.join('\n')}\n`
        const flags = ['--parse', '--no-divider']
        const { stdout } = await runGit(['interpret-trailers', ...flags], { input: message })
        const expected = stdout.split('\n').filter((text) => text !== '')
        const found = parseTrailers(message).map(({ key, value }) => `${key}: ${value}`.trimEnd())
        expect({ message, found }).toEqual({ message, found: expected.map((text) => text.trimEnd()) })
      }),
      { numRuns: 300 },
    )
  })
})

describe('the last paragraph of a message', () => {
  const longest = 65_536
  const signature = 'Signed-off-by: A <a@x>\n'
  const block = (length: number) => `${signature.repeat(Math.ceil(length / signature.length)).slice(0, length - 2)}:b`

  test('has trailers up to a length', () => {
    expect(parseTrailers(`Title\n\n${block(longest)}\n`).length).toBeGreaterThan(2_000)
    expect(parseTrailers(`Title\n\n${block(longest + 1)}\n`)).toEqual([])
    expect(parseTrailers(`Title\n\n${'x\n'.repeat(500_000)}\nFixes: #1\n \n\n`)).toEqual([
      { key: 'Fixes', value: '#1' },
    ])
  })

  test('has trailers only below another paragraph, however short the message is', () => {
    expect(parseTrailers('Fixes: #1')).toEqual([])
    expect(parseTrailers('\nFixes: #1')).toEqual([{ key: 'Fixes', value: '#1' }])
    expect([parseTrailers(''), parseTrailers('\n \n')]).toEqual([[], []])
  })
})
