import { expect, test } from 'vitest'
import { createLogReader, type Said } from './reader.ts'
import { classesOf, styleOf } from './style.ts'

const esc = '\u001b'
const clear = `${esc}[0K`

/** What lines say, shortened: text as `classes|text`, sections with their marks. */
function told(...lines: string[]): string[] {
  const reader = createLogReader()
  const textOf = (said: Extract<Said, { pieces: unknown }>) =>
    said.pieces.map(({ text, classes }) => (classes === '' ? text : `${classes}|${text}`)).join('+')
  return lines.flatMap((line) =>
    reader.read(line).map((said) => {
      if (said.kind === 'close') return `</${said.name} ${said.at}>`
      return said.kind === 'open' ? `<${said.name} ${said.at} ${said.isFolded}>${textOf(said)}` : textOf(said)
    }),
  )
}

test.each([
  ['plain', ['plain']],
  ['', ['']],
  [`${esc}[31mred${esc}[0m plain`, ['f1|red+ plain']],
  [`${esc}[1;32mbold${esc}[22m green${esc}[39m none`, ['f2 bold|bold+f2| green+ none']],
  [`${esc}[97;44mboth`, ['f15 b4|both']],
  [`${esc}[38;5;196mtable${esc}[48;2;0;0;250mtrue`, ['f9|table+f9 b12|true']],
  [`${esc}[38;5;9999;1mx`, ['bold|x']],
  [`${esc}[3m${esc}[4mx${esc}[23m${esc}[24my`, ['italic under|x+y']],
  [`a${esc}[31mb${esc}[31mc`, ['a+f1|bc']],
  [`10%\r20%\r100%`, ['100%']],
  ['ends\r', ['ends']],
  [`${esc}[32mgone\rkept`, ['f2|kept']],
  [`${esc}]8;;https://evil.example${esc}\\link${esc}]8;;\u0007`, ['link']],
  [`${esc}[2Ja${esc}[1;1Hb${esc}7c${esc}`, ['abc']],
  ['nul\u0000bell\u0007\u009bcsi\ttab', ['nulbellcsi\ttab']],
  ['<b>&"', ['<b>&"']],
  [`${esc}[31`, ['']],
])('a line %j', (line, expected) => {
  expect(told(line)).toEqual(expected)
})

test('colours go on in the next line', () => {
  expect(told(`${esc}[31mone`, `two${esc}[0m`, 'three')).toEqual(['f1|one', 'f1|two', 'three'])
  const reader = createLogReader('f1 bold')
  expect(reader.read('x')).toEqual([{ kind: 'text', time: null, pieces: [{ text: 'x', classes: 'f1 bold' }] }])
  expect(classesOf(styleOf('f15 b3 bold italic under other'))).toBe('f15 b3 bold italic under')
})

test('sections begin and end as runners write them, several in one line', () => {
  expect(
    told(
      `${clear}section_start:10:prepare\r${clear}${esc}[36;1mPreparing${esc}[0;m`,
      'inside',
      `section_end:12:prepare\r${clear}section_start:12:build[collapsed=true,x=y]\r${clear}Building`,
      `done section_end:15:build\r${clear}`,
      'section_start:no:marker\rx',
      `section_start:20:${'n'.repeat(300)}\rx`,
    ),
  ).toEqual([
    ...['<prepare 10 false>f6 bold|Preparing', 'inside', '</prepare 12>', '<build 12 true>Building'],
    ...['done ', '</build 15>', 'x', 'x'],
  ])
})

test('lines of newer runners go on with the line before them', () => {
  const stamp = '2024-05-22T12:43:46.962646Z 00O'
  expect(
    told(
      `${stamp} section_start:1:a\r${clear}`,
      `${stamp}+${clear}Title`,
      `${stamp} section_end:2:a\r${clear}`,
      `${stamp}+section_start:2:b\r${clear}`,
      `${stamp}+`,
      `${stamp} text`,
    ),
  ).toEqual(['<a 1 false>', 'Title', '</a 2>', '<b 2 false>', 'text'])
  expect(createLogReader().read(`${stamp}+more`)).toMatchObject([{ kind: 'more' }])
})

test('times of newer runners are read', () => {
  const [said] = createLogReader().read('2024-05-22T12:43:46.962646Z 00O hello')
  expect(said).toMatchObject({ time: '2024-05-22T12:43:46.962646Z', pieces: [{ text: 'hello' }] })
  const marked = '2024-05-22T12:43:46.962646Z 00O section_start:1:a\rTitle'
  expect(told(marked)).toEqual(['<a 1 false>Title'])
})

test.each([
  `${esc}[`.repeat(200_000),
  `${esc}]`.repeat(200_000),
  `${esc}[${'1;'.repeat(200_000)}`,
  'section_start:1:'.repeat(40_000),
  `${esc}[31mx${esc}[32my`.repeat(30_000),
  '\r'.repeat(500_000),
])('a hostile line is read in linear time: %#', (line) => {
  const reader = createLogReader()
  expect(reader.read(line).length).toBeLessThan(2)
})
