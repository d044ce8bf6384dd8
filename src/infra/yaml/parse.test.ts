import { describe, expect, test } from 'vitest'
import { parseYaml, YamlError } from './index.ts'

const options = { maximumLength: 32 * 1024 }
const read = (text: string) => parseYaml(text, options)

describe('YAML', () => {
  test('is parsed', () => {
    expect(read('a: 1\nb:\n  - x\n  - y: z\nc: |\n  {% if a %}\n  text\n')).toEqual({
      a: 1,
      b: ['x', { y: 'z' }],
      c: '{% if a %}\ntext\n',
    })
    expect(read('')).toBeNull()
    expect(read('a: 1\r\nb: 2\r\n')).toEqual({ a: 1, b: 2 })
    const map = parseYaml('__proto__: 1\nconstructor: 2\n', { ...options, mapAsMap: true })
    expect(map).toEqual(
      new Map([
        ['__proto__', 1],
        ['constructor', 2],
      ]),
    )
  })

  test.each([
    ['flow lists', '['.repeat(10_000)],
    ['flow mappings', '{a: '.repeat(5_000)],
    ['complex keys', '? '.repeat(10_000)],
    ['lists in lists', '- '.repeat(10_000)],
    ['keys in keys, line by line', Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('that is nested too deep is rejected: %s', (_, text) => {
    expect(() => read(text)).toThrow(YamlError)
  })

  test('that is invalid, too long or an alias bomb is rejected', () => {
    expect(() => read('a: "open')).toThrow(YamlError)
    expect(() => read('a'.repeat(32 * 1024 + 1))).toThrow('it is longer than 32768 characters')
    const bomb = [
      'a: &a [x, x, x]',
      ...'bcdefghi'.split('').map((name, index) => {
        const before = 'abcdefgh'[index]
        return `${name}: &${name} [*${before}, *${before}, *${before}, *${before}]`
      }),
    ].join('\n')
    expect(() => read(bomb)).toThrow(YamlError)
  })

  test('may contain more brackets when the limit is raised', () => {
    const template = `template: |\n${'  {{ x\n'.repeat(100)}`
    expect(() => read(template)).toThrow('nested too deep')
    expect(parseYaml(template, { ...options, maximumBrackets: 512 })).toHaveProperty('template')
  })
})
