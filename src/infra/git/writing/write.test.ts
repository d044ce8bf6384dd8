import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, type Oid, type TreePath, tagRef, treePath, ZERO_SHA1 } from '../model/names.ts'
import type { FileChange, NewCommit } from '../model/types.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, openTestGit, type TestGit } from '../testing.ts'
import { identity } from './write.ts'

let own: TestGit
let repository: Repository
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
})
afterAll(() => own[Symbol.asyncDispose]())

const path = (text: string) => treePath(text) as TreePath
const write = (commit: Partial<NewCommit>) =>
  admitting(repository).createCommit({
    parent: null,
    author: ada,
    committer: ada,
    message: 'm',
    changes: [],
    ...commit,
  })
const file = (name: string, content: string, mode?: '100644' | '100755' | '120000'): FileChange => ({
  path: path(name),
  content: Buffer.from(content),
  mode,
})
const listing = async (oid: Oid) => {
  const text = await git(['-C', repository.directory, 'ls-tree', '-r', '-z', oid])
  return text.split('\0').filter((line) => line !== '')
}
const at = async (oid: Oid, name: string) => {
  const found = (await listing(oid)).find((line) => line.endsWith(`\t${name}`))
  return (found?.split(/[ \t]/)[2] ?? '') as Oid
}

describe('a commit', () => {
  test('has exactly the given content, and moves no ref', async () => {
    const author = { name: "Zoë <x> O'Neil\n", email: ' a<b>@x\0 ', date: '2001-02-03T04:05:06.000Z' }
    const message = 'Title\n\nNo newline at the end, ä 💚'
    const oid = await write({
      author,
      message,
      changes: [file('a', '1'), file('run', '2', '100755'), file('link', 'a', '120000')],
    })
    const commit = (await repository.commits([oid])).get(oid)
    expect(commit).toMatchObject({ parentOids: [], message, committer: ada })
    expect(commit?.author).toEqual({ name: "Zoë x O'Neil", email: 'ab@x', date: author.date })
    expect((await listing(oid)).map((line) => line.slice(0, 6))).toEqual(['100644', '120000', '100755'])
    expect(await git(['-C', repository.directory, 'for-each-ref'])).toBe('')
    expect(await git(['-C', repository.directory, 'cat-file', 'blob', `${oid}:link`])).toBe('a')
  })

  test('may write, overwrite, move, chmod and delete files and directories', async () => {
    const start = await write({ changes: ['a', 'b', 'd/1', 'd/2', 'e/f/g'].map((name) => file(name, name)) })
    const blob = await at(start, 'a')
    const changes: FileChange[] = [
      file('b', 'new'),
      { path: path('a'), content: null },
      { path: path('moved/a'), oid: blob, mode: '100644' },
      { path: path('e/f/g'), oid: await at(start, 'e/f/g'), mode: '100755' },
      { path: path('d'), content: null },
      { path: path('never/there'), content: null },
    ]
    const oid = await write({ parent: start, changes })
    const names = (await listing(oid)).map((line) => `${line.slice(0, 6)} ${line.split('\t')[1]}`)
    expect(names).toEqual(['100644 b', '100755 e/f/g', '100644 moved/a'])
    expect((await repository.commits([oid])).get(oid)?.parentOids).toEqual([start])
    expect(await at(oid, 'moved/a')).toBe(blob)
  })

  test('may have no changes', async () => {
    const start = await write({ changes: [file('a', '1')] })
    const oid = await write({ parent: start })
    expect(await listing(oid)).toEqual(await listing(start))
  })

  test('passes git fsck --strict', async () => {
    const other = await own.newRepository()
    await commitFiles(other, { a: '1', 'b/c': '2' })
    await commitFiles(other, { a: null, 'b/d': '3' })
    const tag = { name: 'v1', target: (await other.refs(1)).branches[0]!.oid, targetType: 'commit' as const }
    const oid = await admitting(other).createTagObject({ ...tag, tagger: ada, message: 'Version 1' })
    await other.updateRefs([{ ref: tagRef('v1')!, old: ZERO_SHA1, new: oid }])
    expect(await other.fsck()).toEqual({ ok: true, problems: [] })
    await git(['-C', other.directory, 'fsck', '--strict', '--full'])
    expect(await git(['-C', other.directory, 'cat-file', 'tag', 'v1'])).toContain('Version 1')
  })

  test('accepts any legal path', async () => {
    const segment = fc.string({
      minLength: 1,
      maxLength: 6,
      unit: fc.constantFrom('a', ' ', '"', '\\', '\n', '\t', '\u0001', 'é', '💚', '-'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 3 }), async (segments) => {
        const name = treePath(segments.join('/'))
        fc.pre(name !== null)
        const oid = await write({ changes: [{ path: name as TreePath, content: Buffer.from('x') }] })
        expect((await listing(oid)).map((line) => line.slice(line.indexOf('\t') + 1))).toEqual([name])
      }),
      { numRuns: 40 },
    )
  })

  test('has content that cannot be taken for commands', async () => {
    const content = 'x\nM 100644 inline "evil"\ndata 1\ny\nreset refs/heads/evil\nfrom 1\n\ndone\n'
    const oid = await write({ message: content, changes: [file('a', content)] })
    expect(await git(['-C', repository.directory, 'cat-file', 'blob', `${oid}:a`])).toBe(content.trim())
    expect((await repository.commits([oid])).get(oid)?.message).toBe(content)
    expect((await repository.refs(Math.random())).branches).toEqual([])
  })

  test('streams large content', async () => {
    const block = Buffer.alloc(1_000_000, 'large ')
    const stream = Readable.from(Array.from({ length: 20 }, () => block))
    const oid = await write({
      changes: [{ path: path('large'), content: { stream, sizeBytes: 20_000_000 } }, file('after', '1')],
    })
    expect(await repository.object(await at(oid, 'large'))).toMatchObject({ sizeBytes: 20_000_000 })
    expect(await listing(oid)).toHaveLength(2)
  })
})

describe('a commit fails', () => {
  test.each([
    ['longer', 5],
    ['shorter', 50],
  ])('when its content is %s than declared', async (_what, sizeBytes) => {
    const before = await readdir(repository.directory)
    const stream = Readable.from([Buffer.from('ten bytes!')])
    const commit = write({ changes: [{ path: path('a'), content: { stream, sizeBytes } }] })
    await expect(commit).rejects.toMatchObject({ code: 'invalid_input' })
    expect(await readdir(repository.directory)).toEqual(before)
  })

  test('when its content fails', async () => {
    const failing = async function* () {
      yield Buffer.from('a')
      throw new Error('the upload broke')
    }
    const content = { stream: Readable.from(failing()), sizeBytes: 10 }
    await expect(write({ changes: [{ path: path('a'), content }] })).rejects.toThrow('the upload broke')
  })

  test('when an object is missing, without leaving a crash report', async () => {
    const missing = 'a'.repeat(40) as Oid
    const before = await readdir(repository.directory)
    await expect(write({ parent: missing })).rejects.toMatchObject({ code: 'object_missing' })
    const change: FileChange = { path: path('a'), oid: missing, mode: '100644' }
    await expect(write({ changes: [change] })).rejects.toMatchObject({ code: 'object_missing' })
    expect(await readdir(repository.directory)).toEqual(before)
  })

  test('for an illegal message, date or name', async () => {
    await expect(write({ message: 'a\0b' })).rejects.toMatchObject({ code: 'invalid_input' })
    const undated = { ...ada, date: 'yesterday' }
    await expect(write({ author: undated })).rejects.toMatchObject({ code: 'invalid_input' })
    const tag = {
      name: '../x',
      target: 'a'.repeat(40) as Oid,
      targetType: 'commit' as const,
      tagger: ada,
      message: '',
    }
    await expect(admitting(repository).createTagObject(tag)).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(admitting(repository).createTagObject({ ...tag, name: 'x' })).rejects.toMatchObject({
      code: 'command_failed',
    })
  })
})

test('two concurrent commits are independent', async () => {
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, index) => write({ changes: [file('a', String(index))] })),
  )
  expect(new Set(made).size).toBe(8)
  await repository.updateRefs(made.map((oid, index) => ({ ref: branchRef(`b${index}`)!, old: ZERO_SHA1, new: oid })))
  expect((await repository.fsck()).ok).toBe(true)
})

test('an identity always has a name', () => {
  const date = '1970-01-01T00:00:01.500Z'
  expect(identity({ name: ' ', email: 'a@x', date })).toBe('a@x <a@x> 1 +0000')
  expect(identity({ name: '', email: '', date })).toBe('unknown <> 1 +0000')
})
