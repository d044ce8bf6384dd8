import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findTexts, isIndexable, writeTextIndex } from './index.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'text-index-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

type Files = Record<string, string>
const now = new Date('2026-01-01T00:00:00Z')

const keyOf = (text: string) => createHash('sha1').update(text).digest('hex')

/** Writes a version. @returns the contents that were read */
async function write(version: string, files: Files, at = now): Promise<string[]> {
  const read: string[] = []
  const contents = new Map(Object.values(files).map((text) => [keyOf(text), text]))
  async function* texts() {
    for (const [name, text] of Object.entries(files)) yield { name, key: keyOf(text) }
  }
  const contentOf = async (key: string) => {
    const text = contents.get(key) ?? ''
    read.push(text)
    return text.includes('\0') ? null : Buffer.from(text)
  }
  await writeTextIndex(directory, { version, texts: texts(), contentOf, now: at })
  return read
}

async function namesFor(version: string, phrase: string): Promise<string[] | null> {
  const found = await findTexts(directory, version, phrase)
  return found && (await Array.fromAsync(found)).flat().map(({ name }) => name)
}

/** Numbers that look random, the same in each run. */
function* numbers(seed: number) {
  for (let value = seed; ; value = (value * 1_103_515_245 + 12_345) % 2_147_483_648) yield value
}

describe('an index', () => {
  test('finds each text by each part of it, whatever the case, and few others', async () => {
    const source = numbers(7)
    const next = (below: number) => (source.next().value as number) % below
    const word = () => Array.from({ length: 3 + next(9) }, () => String.fromCharCode(97 + next(26))).join('')
    const files: Files = {}
    for (let index = 0; index < 300; index += 1) {
      const words = Array.from({ length: 12 }, word)
      files[`folder/${word()}.${index}`] = Array.from({ length: 400 }, () => words[next(12)]).join(' ')
    }
    await write('a', files)
    let found = 0
    for (const [name, text] of Object.entries(files)) {
      const at = next(text.length - 40)
      const names = await namesFor('a', text.slice(at, at + 30).toUpperCase())
      expect(names).toContain(name)
      found += names?.length ?? 0
      expect(await namesFor('a', name.slice(7))).toContain(name)
    }
    expect(found / 300).toBeLessThan(25)
    expect(await namesFor('a', 'ßnever written anywhereß')).toEqual([])
    expect((await namesFor('a', ''))?.length).toBe(300)
  })

  test('reads only new texts for a further version, and forgets those that are gone', async () => {
    await write('a', { one: 'first text', two: 'second text' })
    expect((await write('b', { two: 'second text', three: 'third text' })).length).toBe(1)
    expect(await namesFor('a', 'first text')).toBeNull()
    expect(await namesFor('b', 'first text')).not.toContain('one')
    expect(await namesFor('b', 'second text')).toContain('two')
    expect(await namesFor('b', 'third text')).toContain('three')
    expect(await write('b', {})).toEqual([])
    expect(await write('c', { renamed: 'second text' })).toEqual(['second text'])
    expect(await namesFor('c', 'renamed')).toEqual(['renamed'])
  })

  test('is made anew when most of its texts are gone', async () => {
    const many = (of: string) => Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`${of}${index}`, of]))
    for (const version of ['first', 'second', 'third', 'fourth']) await write(version, many(version))
    const read = await write('fifth', { ...many('fourth'), last: 'last' })
    expect(read.length).toBe(601)
    expect(await namesFor('fifth', 'fourth599')).toContain('fourth599')
  })

  test('continues in further segments', async () => {
    const block = (index: number) => `unique${index}unique `.repeat(4_200)
    const files: Files = {}
    for (let index = 0; index < 1_030; index += 1) files[`f${index}`] = block(index)
    await write('a', files)
    for (const index of [0, 7, 8, 1_023, 1_024, 1_029]) {
      expect(await namesFor('a', `e${index}unique u`)).toContain(`f${index}`)
    }
    await write('b', { ...files, more: 'added behind all' })
    expect(await namesFor('b', 'added behind all')).toEqual(['more'])
    expect(await namesFor('b', 'e1026unique u')).toContain('f1026')
  })

  test('has names of any characters, and contents that are not searched', async () => {
    const names = ['a\nb', 'über/Straße', '\u0001', ' ', 'x'.repeat(5_000), '😀😀']
    await write('a', Object.fromEntries([...names.map((name) => [name, 'text']), ['binary.dat', 'a\0bcd']]))
    expect((await namesFor('a', ''))?.toSorted()).toEqual([...names, 'binary.dat'].toSorted())
    expect(await namesFor('a', 'binary.dat')).toContain('binary.dat')
  })

  test('is none where it was not written, is of another form or not whole', async () => {
    expect(await namesFor('a', 'text')).toBeNull()
    await write('a', { one: 'text' })
    for (const name of await readdir(directory)) if (name !== 'current.json') await rm(join(directory, name))
    expect(await namesFor('a', 'text')).toBeNull()
    await writeFile(join(directory, 'current.json'), JSON.stringify({ form: 0, version: 'a' }))
    expect(await namesFor('a', 'text')).toBeNull()
    await write('a', { one: 'text' })
    expect(await namesFor('a', 'text')).toEqual(['one'])
  })

  test('may be empty', async () => {
    await write('a', {})
    expect(await namesFor('a', 'text')).toEqual([])
    await write('b', { one: '' })
    expect(await namesFor('b', '')).toEqual(['one'])
  })

  test('deletes the parts of versions of an hour ago', async () => {
    for (const version of ['a', 'b', 'c']) await write(version, { [version]: version })
    const later = new Date(Date.now() + 2 * 3_600_000)
    await write('d', { d: 'd' }, later)
    expect((await readdir(directory)).length).toBe(3)
  })
})

test('a phrase can be looked up when it has three characters of ASCII in a row', () => {
  expect(['', 'ab', 'äöü', 'aäb', 'äab'].filter(isIndexable)).toEqual([])
  expect(['abc', 'äabc', 'a b', '***'].every(isIndexable)).toBe(true)
})
