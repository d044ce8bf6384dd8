import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseOid, type TagRef } from '../../../infra/git/index.ts'
import { parseConfig } from './config.ts'
import { formatDate } from './date.ts'
import { withSection } from './section.ts'
import { parseTemplate, renderTemplate, type TemplateValue } from './template.ts'
import { compareVersions, parseVersion, tagBefore, type Version } from './version.ts'

const render = (source: string, data: TemplateValue) => renderTemplate(parseTemplate(source), data)
const version = (text: string) => parseVersion(text) as Version

/** The message of the error that a function throws. */
function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return String((error as { body: { message: string } }).body.message)
  }
  throw new Error('nothing was thrown')
}

describe('templates', () => {
  test('support values, conditions and loops', () => {
    const users = [
      { name: 'a', tags: ['x', 'y'] },
      { name: 'b', tags: [] },
    ]
    expect(render('{{ users.1.name }}/{{users.0.tags.1}}/{{ none.at.all }}', { users })).toBe('b/y/')
    expect(render('{% each users %}{{ name }}:{% each tags %}[{{ it }}]{% end %};{% end %}', { users })).toBe(
      'a:[x][y];b:;',
    )
    expect(render('{% if yes %}1{% else %}2{% end %}{% if no %}3{% else %}4{% end %}', { yes: 'x', no: '' })).toBe('14')
    expect(render('{% each it %}{{ it.name }}{% end %}', users)).toBe('ab')
    // Inside a loop names are those of its value alone.
    expect(render('{% each users %}{{ outer }}{% end %}', { users, outer: 'o' })).toBe('')
  })

  test('distinguish true and false values', () => {
    const values: [value: TemplateValue, isTrue: boolean][] = [
      [true, true],
      [false, false],
      ['text', true],
      ['', false],
      [0, true],
      [[], false],
      [[1], true],
      [{}, false],
      [{ a: 1 }, true],
      [null, false],
      [undefined, false],
    ]
    for (const [value, isTrue] of values)
      expect([value, render('{% if v %}y{% end %}', { v: value })]).toEqual([value, isTrue ? 'y' : ''])
  })

  test('remove line breaks after tags and backslashes', () => {
    expect(render('---\n{% if foo %}\nbar\n{% end %}\n---\n', { foo: true })).toBe('---\nbar\n---\n')
    expect(render('a\\\nb\\c\nd', {})).toBe('ab\\c\nd')
    expect(render('a\r\n{% if foo %}\r\nb\\\r\nc{% end %}', { foo: 1 })).toBe('a\r\nbc')
    expect(render('{{ a }}\n\n{% if a %}\n\n{% end %}x', { a: 1 })).toBe('1\n\n\nx')
  })

  test('read only own members of the data', () => {
    const names = [
      'constructor',
      '__proto__',
      'toString',
      'length',
      'users.length',
      'users.0.name.length',
      'it.constructor',
    ]
    for (const name of names) expect([name, render(`{{ ${name} }}`, { users: [{ name: 'a' }] })]).toEqual([name, ''])
    expect(render('{{ trailers.__proto__ }}', { trailers: JSON.parse('{"__proto__": "x"}') })).toBe('x')
  })

  test('are refused on syntax errors', () => {
    const wrong = [
      '{{',
      '{{ a',
      '{{ a }',
      '{% if a %}',
      '{% each a %}x',
      '{% end %}',
      '{% else %}',
      '{% if a %}{% else %}{% else %}{% end %}',
      '{% each a %}{% else %}{% end %}',
      '{% if %}{% end %}',
      '{% if a b %}{% end %}',
      '{% if a == b %}{% end %}',
      '{% while a %}{% end %}',
      '{% raw',
      '{{ a | upcase }}',
      '{{ a..b }}',
      '{{ }}',
      '{{ a[0] }}',
      '{{ "text" }}',
    ]
    for (const source of wrong)
      expect([source, messageOf(() => parseTemplate(source))]).toEqual([
        source,
        expect.stringMatching(/^Failed to generate the changelog: the template/),
      ])
  })

  test('are limited in steps and output', () => {
    const deep = `${'{% if a %}'.repeat(5_000)}${'{% end %}'.repeat(5_000)}`
    expect(messageOf(() => parseTemplate(deep))).toContain('nests too deep')
    const many = Array.from({ length: 1_000 }, () => ({ text: 'x'.repeat(1_000) }))
    const wide = '{% each many %}{{ text }}{% end %}'.repeat(100)
    expect(messageOf(() => render(wide, { many }))).toContain('it is too large')
    const idle = '{% each many %}{% if none %}{% end %}{% end %}'.repeat(3_000)
    expect(messageOf(() => render(idle, { many }))).toContain('takes too long')
    for (const bad of ['{{'.repeat(30_000), '{%'.repeat(30_000), '\\\n'.repeat(30_000), `{{${'a.'.repeat(30_000)}}}`]) {
      expect(() => render(bad, {})).not.toThrow(RangeError)
    }
  })

  test('raise only their own error for any input', () => {
    const pieces = fc.constantFrom(
      '{{ a }}',
      '{% if a %}',
      '{% each a %}',
      '{% else %}',
      '{% end %}',
      '\\\n',
      '{',
      '%}',
      'text',
      '\n',
    )
    const source = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
    const data = fc.object({ key: fc.constantFrom('a', 'b') })
    fc.assert(
      fc.property(source, data, (text, value) => {
        try {
          expect(typeof render(text, value as TemplateValue)).toBe('string')
        } catch (error) {
          expect((error as { status: number }).status).toBe(422)
        }
      }),
    )
  })
})

describe('dates', () => {
  test('are formatted by strftime', () => {
    const moment = new Date('2026-03-05T14:07:09.012Z')
    const cases: [format: string, text: string][] = [
      ['%Y-%m-%d', '2026-03-05'],
      ['%d. %B %Y', '05. March 2026'],
      ['%-d %b %y', '5 Mar 26'],
      ['%A, %a %e', 'Thursday, Thu  5'],
      ['%H:%M:%S.%L %p %I %-I %l', '14:07:09.012 PM 02 2  2'],
      ['%F %T %R %D', '2026-03-05 14:07:09 14:07 03/05/26'],
      ['%j %u %w %s %z %Z', '064 4 4 1772719629 +0000 UTC'],
      ['%^b %^a', 'MAR THU'],
      ['100%% %Q %', '100% %Q %'],
      ['', ''],
      ['%-m%-H', '314'],
    ]
    for (const [format, text] of cases) expect([format, formatDate(moment, format)]).toEqual([format, text])
    expect(formatDate(new Date('2026-01-01T00:00:00Z'), '%-H %I %j')).toBe('0 12 001')
  })
})

describe('versions', () => {
  test('follow semantic versioning, with an optional v', () => {
    for (const text of [
      '1.0.0',
      'v1.2.3',
      '0.0.0',
      '1.0.0-rc.1',
      '1.0.0-0a.b-c',
      '1.0.0+build.5',
      '1.0.0-x+y',
      '99999999999999999999.0.0',
    ])
      expect([text, parseVersion(text) !== null]).toEqual([text, true])
    for (const text of [
      '',
      '1',
      '1.0',
      'v',
      '01.0.0',
      '1.0.0-',
      '1.0.0-01',
      '1.0.0+',
      ' 1.0.0',
      '1.0.0\n',
      'x1.0.0',
      '1.0.0.0',
      '-1.0.0',
      'V1.0.0',
    ])
      expect([text, parseVersion(text)]).toEqual([text, null])
  })

  test('are ordered by precedence', () => {
    const ordered =
      '1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.2.0 1.10.0 2.0.0'.split(
        ' ',
      )
    const shuffled = [...ordered].reverse().sort((a, b) => compareVersions(version(a), version(b)))
    expect(shuffled).toEqual(ordered)
    expect(compareVersions(version('1.0.0+a'), version('v1.0.0+b'))).toBe(0)
  })

  test('give the previous stable tag', async () => {
    const oid = parseOid('a'.repeat(40))!
    const tag = (name: string, type: 'commit' | 'blob' = 'commit'): TagRef => ({
      name,
      oid,
      type,
      peeled: oid,
      peeledType: type,
    })
    const tags = ['v1.0.0-pre1', 'v1.0.0', 'v1.1.0', 'v2.0.0', 'v10.0.0', 'nonsense', '1.0.5'].map((name) => tag(name))
    const precursor = async (text: string) =>
      (await tagBefore([...tags, tag('v2.0.5', 'blob')], version(text), parseVersion))?.name
    expect([
      await precursor('2.1.0'),
      await precursor('1.1.1'),
      await precursor('1.2.0'),
      await precursor('1.1.0'),
    ]).toEqual(['v2.0.0', 'v1.1.0', 'v1.1.0', '1.0.5'])
    expect([
      await precursor('1.0.0'),
      await precursor('0.9.0'),
      await precursor('2.0.0-rc1'),
      await precursor('11.0.0'),
    ]).toEqual([undefined, undefined, 'v1.1.0', 'v10.0.0'])
  })
})

describe('configurations', () => {
  test('may set every option, or none', () => {
    const config = parseConfig(`---
date_format: '%d.%m.%Y'
categories:
  feature: Features
  1: One
include_groups: [a/b]
tag_regex: '^version-(?P<major>\\d+)\\.(?P<minor>\\d+)\\.(?P<patch>\\d+)(-(?P<pre>.+))?$'
template: |
  {% each categories %}
  * {{ title }}
  {% end %}
`)
    expect(config.dateFormat).toBe('%d.%m.%Y')
    expect([...config.categories]).toEqual([
      ['feature', 'Features'],
      ['1', 'One'],
    ])
    expect(config.includeGroups).toEqual(['a/b'])
    expect(config.versionOfTag('version-1.2.3')).toEqual(version('1.2.3'))
    expect(config.versionOfTag('version-1.2.3-rc')).toEqual(version('1.2.3-rc'))
    expect(config.versionOfTag('v1.2.3')).toBeNull()
    expect(renderTemplate(config.template, { categories: [{ title: 'T' }] })).toBe('* T\n')
    expect(parseConfig('').dateFormat).toBe('%Y-%m-%d')
    expect(parseConfig("tag_regex: 'v(\\d+)'").versionOfTag('v1.2.3')).toBeNull()
  })

  test('are refused with the reason', () => {
    const wrong: [source: string, reason: RegExp][] = [
      ['a: [', /no YAML/],
      ['\u0000', /no list of settings/],
      ['- a', /no list of settings/],
      ['text', /no list of settings/],
      ['template: [1]', /template of the configuration is invalid/],
      ['template: "{{"', /the template has a tag/],
      ['date_format: 1', /date_format/],
      ['categories: [a]', /categories/],
      ['categories: {a: [b]}', /categories/],
      ['include_groups: a', /include_groups/],
      ['include_groups: [1]', /include_groups/],
      [`include_groups: [${'a,'.repeat(101)}]`, /include_groups/],
      ["tag_regex: '('", /tag_regex/],
      ["tag_regex: '(?=x)'", /tag_regex/],
      [`tag_regex: '${'a'.repeat(1_001)}'`, /tag_regex/],
      ["tag_regex: '((a{1000}){1000}){1000}'", /tag_regex/],
    ]
    for (const [source, reason] of wrong)
      expect([source, messageOf(() => parseConfig(source))]).toEqual([source, expect.stringMatching(reason)])
  })

  test('raise only their own error for any input', () => {
    const size = 32 * 1024
    const anchors = Array.from({ length: 30 }, (_, index) => `a${index + 1}: &x${index + 1} [*x${index}, *x${index}]`)
    for (const source of [
      '['.repeat(size),
      '{a: '.repeat(size / 4),
      '- '.repeat(size / 2),
      `a: "${'\\'.repeat(size)}`,
      `a0: &x0 [1]\n${anchors.join('\n')}`,
      '&a '.repeat(size / 3),
      '!!js/function "x": 1',
      '__proto__: {polluted: true}',
      '<<: {template: x}',
      `${'a: b\n'.repeat(size / 5)}`,
    ]) {
      try {
        parseConfig(source)
      } catch (error) {
        expect((error as { status: number }).status).toBe(422)
      }
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('a changelog file', () => {
  const add = (content: string, text: string) =>
    withSection(content, version(text), `## ${text} (today)\n\nNew ${text}.\n`)

  test('has sections in the order of versions', () => {
    let content = ''
    for (const text of ['1.0.0', '2.0.0', '1.5.0', '0.1.0', '2.0.0-rc1']) content = add(content, text)
    expect(content.match(/^## \S+/gm)).toEqual(['## 2.0.0', '## 2.0.0-rc1', '## 1.5.0', '## 1.0.0', '## 0.1.0'])
    expect(content).toMatch(/^## 2\.0\.0 \(today\)\n\nNew 2\.0\.0\.\n\n## 2\.0\.0-rc1/)
    expect(content.endsWith('New 0.1.0.\n')).toBe(true)
  })

  test('keeps its other content, and has each version once', () => {
    const head = '# Changes\n\nIntroduction.\n'
    const once = add(head, '1.0.0')
    expect(once).toBe('# Changes\n\nIntroduction.\n\n## 1.0.0 (today)\n\nNew 1.0.0.\n')
    expect(add(once, '1.0.0')).toBe(once)
    const both = add(once, '1.1.0')
    expect(add(both, '1.0.0')).toBe(both)
    expect(both).toContain('Introduction.\n\n## 1.1.0 (today)\n\nNew 1.1.0.\n\n## 1.0.0 (today)')
    const old = '## Unreleased\n\ntext\n\n## v1.0.0\n\nold\n\n## 0.9\n\nolder\r\n'
    expect(add(old, '1.0.1')).toBe(
      '## Unreleased\n\ntext\n\n## 1.0.1 (today)\n\nNew 1.0.1.\n\n## v1.0.0\n\nold\n\n## 0.9\n\nolder\n',
    )
  })
})
