import { expect, test } from 'vitest'
import { JsonReader, MalformedJson } from './index.ts'

/** The bytes of a text, a few at a time. */
async function* bytesOf(text: string | Buffer, length = 3): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text as string)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

const read = (text: string | Buffer, length?: number) => new JsonReader(bytesOf(text, length))
const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

const samples = [
  ...['{}', '[]', '""', '0', '-1.5e3', 'true', 'false', 'null', ' [1, 2 ,{"a":[[]]}] '],
  ...['{"a":"\\u00e9\\n\\"","é🦊":"🦊","b":{"c":[1,null,"x"]},"":[]}', '[{"a":1},{"a":2},[],"",3]'],
]

test.each(samples)('reads %s as the engine does, however it arrives', async (text) => {
  for (const length of [1, 2, 7, 1000]) {
    const reader = read(text, length)
    const value = await reader.value({ characters: 1000 })
    await reader.end()
    expect(plain(value)).toEqual(JSON.parse(text))
  }
})

test.each(samples)('skips %s as one value', async (text) => {
  const reader = read(`{"skipped":${text},"read":"x"}`)
  const found: Record<string, unknown> = {}
  await reader.object(async (key) => {
    if (key === 'read') found[key] = await reader.text(10)
    else await reader.skip()
  })
  await reader.end()
  expect(found).toEqual({ read: 'x' })
})

test.each([
  ...[
    '',
    ' ',
    '{',
    '[1',
    '"a',
    '{"a"}',
    '{"a":}',
    '[1,]',
    '{"a":1,}',
    '01',
    'tru',
    '1 2',
    '{} x',
    '"\u0001"',
    "{'a':1}",
  ],
  ...['"\\x"', '[}', Buffer.from([0x22, 0xff, 0x22]), '['.repeat(200), `{"${'k'.repeat(2000)}":1}`],
])('refuses %s', async (text) => {
  const reader = read(text)
  const outcome = (async () => {
    if (!(await reader.object(() => reader.skip()))) return reader.end()
    await reader.end()
  })()
  await expect(outcome).rejects.toThrow(MalformedJson)
})

test('takes names of the language as names', async () => {
  const value = await read('{"__proto__":{"polluted":1},"constructor":2}').value({ characters: 100 })
  expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor'])
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
})

test('gives up texts and values that are larger than asked for, and goes on behind them', async () => {
  const reader = read(`{"a":"12345","b":[1,[2,3],"12345"],"c":"1234"}`)
  const found: unknown[] = []
  await reader.object(async (key) => {
    found.push(key === 'b' ? await reader.value({ characters: 5 }) : await reader.text(4))
  })
  expect(found).toEqual([undefined, undefined, '1234'])
})

test('gives a text in pieces, and skips what is none', async () => {
  const reader = read(`{"a":"${'x'.repeat(10_000)}","b":[1]}`, 1000)
  const lengths: number[] = []
  const others: string[] = []
  await reader.object(async (key) => {
    const pieces = await reader.pieces()
    if (pieces) for await (const piece of pieces) lengths.push(piece.length)
    else others.push(key)
  })
  expect(lengths.length).toBeGreaterThan(5)
  expect([lengths.reduce((sum, length) => sum + length), others]).toEqual([10_000, ['b']])
})

test('passes on errors of the content', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"a":')
    throw new Error('gone')
  }
  await expect(new JsonReader(failing()).skip()).rejects.toThrow('gone')
})
