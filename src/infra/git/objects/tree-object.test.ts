import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Oid } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { git, openTestGit, type TestGit } from '../testing.ts'
import { findEntry, parseEntry, treeEntry } from './tree-object.ts'

let own: TestGit
let repository: Repository
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
})
afterAll(() => own[Symbol.asyncDispose]())

describe('a tree object', () => {
  const tree = 'a'.repeat(40) as Oid
  const id = (byte: number) => Buffer.alloc(20, byte)
  // The ids contain bytes that resemble entries.
  const tricky = Buffer.from(' x\0 100644 x\0abcdefg'.padEnd(20, 'x')).subarray(0, 20)
  const content = Buffer.concat([
    Buffer.from('100644 a\0'),
    tricky,
    Buffer.from('40000 ab\0'),
    id(2),
    Buffer.from('120000 x\0'),
    id(3),
  ])
  const find = (name: string | Buffer) => {
    const entry = findEntry(content, tree, Buffer.from(name))
    return entry === null ? null : treeEntry(content, entry, 'dir')
  }

  test('has entries that are found by their complete names', () => {
    expect(find('a')).toMatchObject({ path: 'dir/a', mode: '100644', type: 'blob', oid: tricky.toString('hex') })
    expect(find('ab')).toMatchObject({ mode: '040000', type: 'tree', oid: '02'.repeat(20) })
    expect(find('x')).toMatchObject({ mode: '120000', type: 'blob', oid: '03'.repeat(20) })
    for (const name of ['', 'b', 'A', 'abc', 'a\0', Buffer.from([0xff])]) expect(find(name)).toBeNull()
  })

  test.each([
    '',
    '1',
    '100644',
    '100644 ',
    '100644 a',
    '100644 a\0short',
    '8 a\0',
    '-1 a\0',
    ' a\0'.padEnd(23, '9').slice(1),
  ])('with the damaged part %j is refused', (text) => {
    const parse = () => parseEntry(Buffer.from(text), tree, 0)
    expect(parse).toThrow(expect.objectContaining({ code: 'command_failed' }))
  })

  test('a damaged tree gives an error, not a wrong result', async () => {
    const broken = await own.newRepository()
    const write = async (content: Buffer) =>
      (await git(['-C', broken.directory, 'hash-object', '-t', 'tree', '--literally', '-w', '--stdin'], {
        input: content,
      })) as Oid
    for (const content of ['100644 cut\0short', 'nothing', '100644 ', '99x a\0', '1'.repeat(30)]) {
      const oid = await write(Buffer.concat([Buffer.from(content), Buffer.alloc(content.endsWith('\0') ? 20 : 0)]))
      await expect(broken.treeEntries(oid, '')).rejects.toMatchObject({ code: 'command_failed' })
      await expect(Array.fromAsync(broken.walkTree(oid, ''))).rejects.toMatchObject({ code: 'command_failed' })
    }
  })

  test('old modes are padded to six digits', async () => {
    const id = Buffer.alloc(20, 1)
    const content = Buffer.concat([Buffer.from('040000 dir\0'), id, Buffer.from('100664 file\0'), id])
    const args = ['-C', repository.directory, 'hash-object', '-t', 'tree', '--literally', '-w', '--stdin']
    const entries = await repository.treeEntries((await git(args, { input: content })) as Oid, '')
    expect(entries?.map(({ mode, type }) => [mode, type])).toEqual([
      ['040000', 'tree'],
      ['100664', 'blob'],
    ])
  })
})
