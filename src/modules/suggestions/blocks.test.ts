import { expect, test } from 'vitest'
import { blocksIn } from './blocks.ts'

const fence = '```'
const block = (content: string, above = 0, below = 0) => ({ above, below, content })

test.each([
  ['no block', 'text', []],
  ['one line', `${fence}suggestion\na\n${fence}`, [block('a\n')]],
  ['lines above and below', `x\n${fence}suggestion:-2+1\na\nb\n${fence}\ny`, [block('a\nb\n', 2, 1)]],
  ['a deletion', `${fence}suggestion\n${fence}`, [block('')]],
  ['lines with CRLF', `${fence}suggestion\r\na\r\n${fence}\r\n`, [block('a\n')]],
  ['two', `${fence}suggestion\na\n${fence}\n~~~suggestion:-1+0\nb\n~~~`, [block('a\n'), block('b\n', 1)]],
  [
    'a longer fence around a shorter one',
    `${fence}\`suggestion\n${fence}\nx\n${fence}\n${fence}\``,
    [block(`${fence}\nx\n${fence}\n`)],
  ],
  ['one that is quoted in other code', `${fence}md\n~~~suggestion\na\n~~~\n${fence}`, []],
  ['one without an end', `${fence}suggestion\na\n`, [block('a\n')]],
  ['too many lines', `${fence}suggestion:-101+0\na\n${fence}`, []],
  ['another language', `${fence}suggestions\na\n${fence}`, []],
])('%s', (_what, body, blocks) => {
  expect(blocksIn(body)).toEqual(blocks)
})
