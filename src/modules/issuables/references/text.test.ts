import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closedIn, mentionsIn, referencesIn } from './text.ts'

const at = 'https://fennec.example.com'
const shown = (references: ReturnType<typeof referencesIn>) =>
  references.map(({ type, path, iid }) => `${path ?? ''}${{ Issue: '#', MergeRequest: '!', Epic: '&' }[type]}${iid}`)
const refs = (text: string) => shown(referencesIn(text, at))
const closed = (text: string) => shown(closedIn(text, at))

describe('references', () => {
  test.each([
    ['see #1, !2 and &3.', ['#1', '!2', '&3']],
    ['(#1) [#2] #3: #4; "#5"', ['#1', '#2', '#3', '#4', '#5']],
    ['group/project#1 a/b.c/d-e!2 project#3', ['group/project#1', 'a/b.c/d-e!2', 'project#3']],
    ['#1 and #1 again, A/b#1, a/B#1', ['#1', 'a/B#1']],
    [`${at}/a/b/-/issues/7 ${at}/a/b/-/merge_requests/8#note_9`, ['a/b#7', 'a/b!8']],
    [`${at}/a/-/work_items/1 ${at}/a/b/-/issues/incident/2 ${at}/groups/g/h/-/epics/3`, ['a#1', 'a/b#2', 'g/h&3']],
    ['https://elsewhere.example.com/a/b/-/issues/7', []],
    ['`#1` `` `#2` `` and #3', ['#3']],
    ['```\n#1\n```\n#2\n~~~ruby\n#3', ['#2']],
    ['#a #1a &#39; ## #', []],
    ['//a#1 ../b#2 /c#3', []],
    ['#12345678901', []],
    ['', []],
  ])('of %j are %j', (text, expected) => {
    expect(refs(text)).toEqual(expected)
  })

  test('of a text are 100 at most', () => {
    expect(refs(Array.from({ length: 300 }, (_, index) => `#${index + 1}`).join(' '))).toHaveLength(100)
  })
})

describe('closing words', () => {
  test.each([
    ['Closes #1', ['#1']],
    ['close #1 closed #2 closing #3', ['#1', '#2', '#3']],
    ['Fix #1\nfixes #2\nFIXED: #3 fixing #4', ['#1', '#2', '#3', '#4']],
    ['resolve #1, resolves #2; resolved #3; resolving #4', ['#1', '#2', '#3', '#4']],
    ['implement #1 implements #2 implemented #3 implementing #4', ['#1', '#2', '#3', '#4']],
    ['Closes #1, #2 and #3, and group/project#4', ['#1', '#2', '#3', 'group/project#4']],
    ['closes issues #1 and issue #2', ['#1', '#2']],
    [`Closes ${at}/a/b/-/issues/3 and #4`, ['a/b#3', '#4']],
    ['closes #1 or #2', ['#1']],
    ['closes !1 and #2', []],
    ['see #1; encloses #2; closest #3; fixture #4', []],
    ['closes#1 closes', []],
    ['`closes #1`', []],
  ])('of %j close %j', (text, expected) => {
    expect(closed(text)).toEqual(expected)
  })
})

test.each([
  ['@alice and @Bob.', ['alice', 'bob']],
  ['(@a.b-c), @d_e!', ['a.b-c', 'd_e']],
  ['mail a@b.example, @@x, /@y, `@z`', []],
  ['@', []],
])('%j mentions %j', (text, expected) => {
  expect(mentionsIn(text)).toEqual(expected)
})

test('any text is read in a time that grows with its length only', () => {
  const pieces = fc.constantFrom(
    '#1',
    '!',
    '&',
    '/',
    'a',
    '.',
    '-',
    '`',
    '```\n',
    '@',
    'closes ',
    ', ',
    ' and ',
    `${at}/`,
    '/-/issues/',
    '\n',
    'é',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 200 }), (parts) => {
      const text = parts.join('')
      for (const one of [refs(text), closed(text), mentionsIn(text)]) expect(one.length).toBeLessThanOrEqual(100)
    }),
  )
  const long = 1_000_000
  for (const piece of [
    'a',
    'a/',
    '#',
    '#1',
    '`',
    '``` ',
    '@a',
    '@',
    'closes ',
    'closes #1, ',
    `${at}/`,
    '[',
    '~~~\n',
    `${at}/a/-/issues/1 `,
  ]) {
    const text = piece.repeat(long / piece.length)
    refs(text)
    closed(text)
    mentionsIn(text)
  }
})

test('the beginning of a long text is searched, up to a whole word', () => {
  const before = (length: number) => 'x '.repeat(length / 2)
  const read = (text: string) => [
    referencesIn(text, 'http://fennec.test').map(({ iid }) => iid),
    closedIn(text, 'http://fennec.test').map(({ iid }) => iid),
    mentionsIn(text),
  ]
  expect(read(`${before(262_000)}closes #123 @user`)).toEqual([[123], [123], ['user']])
  expect(read(`${before(262_134)}closes #123 @user`)).toEqual([[], [], []])
  expect(read('#1'.repeat(200_000))).toEqual([[], [], []])
})
