import { describe, expect, test } from 'vitest'
import { readFrontMatter } from './front-matter.ts'
import { pageHtml } from './present.ts'
import { movedSlug, pathOfPage, slugOfTitle, titleOfSlug, titleProblems } from './titles.ts'

describe('a title', () => {
  test.each([
    ['Home', 'Home'],
    ['How to use', 'How-to-use'],
    ['  a \t b /  c\nd ', 'a-b/c-d'],
    ['a//b/', 'a/b'],
    ['/a/b', 'a/b'],
    ['Größe/日本 語', 'Größe/日本-語'],
    ['notes.md', 'notes.md'],
    [' / ', ''],
  ])('%j has the slug %j', (title, slug) => {
    expect(slugOfTitle(title)).toBe(slug)
  })

  test.each([
    ['a/b', 'c d', 'a/c-d'],
    ['a/b', '/c', 'c'],
    ['a/b', 'x/c', 'x/c'],
    ['b', 'c', 'c'],
    ['a/b', '', ''],
  ])('%j, changed to %j, moves the page', (slug, title, moved) => {
    expect(movedSlug(slug, title)).toBe(moved)
  })

  test('is derived from a slug', () => {
    expect(['How-to-use', 'a/b-c', 'x'].map(titleOfSlug)).toEqual(['How to use', 'b c', 'x'])
  })

  test.each([
    ['', ["can't be blank"]],
    ['x'.repeat(245), []],
    ['x'.repeat(246), ['exceeds the limit of 245 bytes']],
    ['ü'.repeat(123), ['exceeds the limit of 245 bytes']],
    [`${'d'.repeat(255)}/x`, []],
    [`${'d'.repeat(256)}/x`, [`exceeds the limit of 255 bytes for directory name "${'d'.repeat(256)}"`]],
    [`${'d/'.repeat(2000)}x`, ['exceeds the limit of 4000 bytes for the whole path']],
    ['x'.repeat(10_000_000), ['exceeds the limit of 245 bytes']],
    ['..', ['is invalid']],
    ['a/../b', ['is invalid']],
    ['.', ['is invalid']],
    ['.git', ['is invalid']],
    ['.git/config', ['is invalid']],
    ['a/.GIT/hooks', ['is invalid']],
    ['git~1/x', ['is invalid']],
    ['a\u0001b', ['is invalid']],
    [`uploads/${'a'.repeat(32)}/x`, ['is invalid']],
    ['uploads/x', []],
    ['-rf', []],
    ['a\\b', []],
  ])('is validated (%#)', (slug, problems) => {
    expect(titleProblems(slug)).toEqual(problems)
  })

  test('that is invalid has no path', () => {
    expect(pathOfPage('../x', 'md')).toBeNull()
    expect(pathOfPage('a/b', 'md')).toBe('a/b.md')
  })
})

describe('front matter', () => {
  test.each([
    ['---\ntitle: x\ntags: [a, b]\n---\n\n# Text\n', { title: 'x', tags: ['a', 'b'] }, '# Text\n'],
    ['---\r\ntitle: x\r\n---\r\nText', { title: 'x' }, 'Text'],
    ['---\na: 1\n...\nText', { a: 1 }, 'Text'],
    ['---\n---\nText', {}, '---\n---\nText'],
    ['---\n- a\n---\nText', {}, '---\n- a\n---\nText'],
    ['---\na: [\n---\nText', {}, '---\na: [\n---\nText'],
    ['---\nno end', {}, '---\nno end'],
    ['Text\n---\na: 1\n---\n', {}, 'Text\n---\na: 1\n---\n'],
    ['', {}, ''],
  ])('of %j', (text, values, body) => {
    expect(readFrontMatter(text)).toEqual({ values, body })
  })

  test('is limited in size, and safe', () => {
    const bomb = `---\n${['a: &a [x,x,x,x,x,x,x,x,x]', ...'bcdefghi'.split('').map((letter, index) => `${letter}: &${letter} [${`*${'abcdefghi'[index]},`.repeat(9)}]`)].join('\n')}\n---\n`
    expect(readFrontMatter(bomb).values).toEqual({})
    for (const mark of ['[', '{a: ', '- ', '? ', ': ', '!a ', '&a ', '#\n', '"\n', ']\n']) {
      const text = mark.repeat(Math.floor(4_000 / mark.length))
      expect(readFrontMatter(`---\nx: 1\n${text}\n---\n`).values).toEqual(mark === '#\n' ? { x: 1 } : {})
    }
    const deep = Array.from({ length: 80 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')
    expect(readFrontMatter(`---\n${deep}\n---\n`).values).toEqual({})
    expect(readFrontMatter('---\na: [[[[[[]]]]]]\n---\n').values).toEqual({ a: [[[[[[]]]]]] })
    expect(readFrontMatter(`---\na: ${'x'.repeat(20_000)}\n---\n`).values).toEqual({})
    const { values } = readFrontMatter('---\n__proto__: {polluted: true}\na: .nan\nb: 2026-01-01\n---\n')
    expect(values).toMatchObject({ a: null, b: '2026-01-01' })
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('HTML', () => {
  const owner = { kind: 'project', id: 1 } as const

  test('is rendered from Markdown, without the front matter', () => {
    expect(pageHtml(owner, 'markdown', '---\na: 1\n---\nhello').trim()).toBe('<p>hello</p>')
  })

  test('of other formats is their escaped source', () => {
    expect(pageHtml(owner, 'org', '* <b>"x" & \'y\'')).toBe('<pre>* &lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;</pre>')
  })
})
