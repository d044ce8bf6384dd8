import { expect, test } from 'vitest'
import { namesIn, readCommands, usernamesIn } from './parse.ts'

const known = (name: string) => ['close', 'label', 'due'].includes(name)
const read = (text: string) => readCommands(text, known)

test.each([
  ['/close', '', ['close ']],
  ['/CLOSE  \r', '', ['close ']],
  ['text\n/label ~a  ~b \nmore', 'text\nmore', ['label ~a  ~b']],
  ['/unknown x\n/close', '/unknown x', ['close ']],
  [' /close\n//close\n/closed\n/close/x', ' /close\n//close\n/closed\n/close/x', []],
  ['```\n/close\n```\n/due today', '```\n/close\n```', ['due today']],
  ['plain\n', 'plain\n', []],
  ['', '', []],
])('%j is the text %j and the quick actions %j', (text, body, commands) => {
  const found = read(text)
  expect([found.body, found.commands.map(({ name, argument }) => `${name} ${argument}`)]).toEqual([body, commands])
})

test('more than 50 quick actions stay text', () => {
  expect(read('/close\n'.repeat(60)).commands).toHaveLength(50)
})

test.each([
  ['~a ~"b c", d ~e::f', ['a', 'b c', 'd', 'e::f']],
  ['"quoted"', ['quoted']],
  ['~ ~"open', ['open']],
  ['', []],
])('the labels in %j are %j', (argument, names) => {
  expect(namesIn(argument, '~')).toEqual(names)
})

test('usernames may have an at sign, and me is the caller', () => {
  expect(usernamesIn('@Alice, bob me', 'carol')).toEqual(['alice', 'bob', 'carol'])
  expect(usernamesIn(' ', 'carol')).toEqual([])
})

test('long texts are read in time', () => {
  for (const piece of ['/close ', '/close\n', ' ', '~', '"', '~"', '/label ~"a" ', '```', '\t \t']) {
    const text = piece.repeat(1_000_000 / piece.length)
    read(text)
    read(`/label ${text}x`)
    namesIn(text, '~')
  }
})
