import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Oid, treePath } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, main, openTestGit, type TestGit } from '../testing.ts'

let own: TestGit
let repository: Repository
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
})
afterAll(() => own[Symbol.asyncDispose]())

const path = (text: string) => treePath(text)!

describe('blame', () => {
  test('gives consecutive lines of one commit as one hunk, in the order of the file', async () => {
    const first = await commitFiles(repository, { f: 'a\nb\nc\nd\n' })
    const second = await commitFiles(repository, { f: 'a\nB\nC\nd\ne' })
    expect(await repository.blame(second, path('f'))).toEqual([
      { oid: first, lines: ['a'] },
      { oid: second, lines: ['B', 'C'] },
      { oid: first, lines: ['d'] },
      { oid: second, lines: ['e'] },
    ])
    expect(await repository.blame(first, path('f'))).toEqual([{ oid: first, lines: ['a', 'b', 'c', 'd'] }])
  })

  test('supports a range of lines', async () => {
    const oid = await commitFiles(repository, { range: '1\n2\n3\n4\n' })
    const blame = (start: number, end: number) => repository.blame(oid, path('range'), { start, end })
    expect(await blame(2, 3)).toEqual([{ oid, lines: ['2', '3'] }])
    expect(await blame(4, 4)).toEqual([{ oid, lines: ['4'] }])
    expect(await blame(3, 1_000_000)).toEqual([{ oid, lines: ['3', '4'] }])
    for (const [start, end] of [
      [5, 5],
      [0, 1],
      [3, 2],
      [-1, 1],
      [1.5, 2],
      [Number.NaN, 2],
      [1, Infinity],
    ] as const) {
      await expect(blame(start, end)).rejects.toMatchObject({ code: 'invalid_input' })
    }
  })

  test('follows a renamed file, and combines both sides of a merge', async () => {
    const other = await own.newRepository()
    const lines = Array.from({ length: 10 }, (_, index) => `line ${index}\n`)
    const first = await commitFiles(other, { old: lines.join('') })
    const moved = await commitFiles(other, { old: null, new: lines.join('') })
    const ours = await commitFiles(other, { new: lines.with(0, 'ours\n').join('') }, { parent: moved })
    const theirs = await admitting(other).createCommit({
      parent: moved,
      author: ada,
      committer: ada,
      message: 'theirs',
      changes: [{ path: path('new'), content: Buffer.from(lines.with(9, 'theirs\n').join('')) }],
    })
    const result = await admitting(other).mergeTrees({ base: moved, ours, theirs })
    const tree = (result as { treeOid: Oid }).treeOid
    const people = { author: ada, committer: ada }
    const merge = await admitting(other).commitTree({ tree, parents: [ours, theirs], ...people, message: 'merge' })
    const hunks = await other.blame(merge, path('new'))
    expect(hunks.map(({ oid, lines: found }) => [oid, found.length])).toEqual([
      [ours, 1],
      [first, 8],
      [theirs, 1],
    ])
  })

  test('returns the lines unchanged, except for bytes that are not UTF-8', async () => {
    const lines = ['\tauthor evil', `${'a'.repeat(40)} 1 1 1`, 'carriage\r', '', '\0binary', 'ä💚', 'summary x', ' ']
    const content = Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), Buffer.from([0xff, 0x41])])
    const oid = await commitFiles(repository, { odd: content }, { message: `${'b'.repeat(40)} 1 1 1\n\tx` })
    expect(await repository.blame(oid, path('odd'))).toEqual([{ oid, lines: [...lines, '\ufffdA'] }])
  })

  test('supports empty files, symbolic links and unusual names', async () => {
    const names = ['-lead', ':(glob)*', 'ü\n"\t', '--contents=x', 'a b']
    const files = Object.fromEntries(names.map((name) => [name, `${name.length}`]))
    const oid = await commitFiles(repository, { empty: '', ...files })
    expect(await repository.blame(oid, path('empty'))).toEqual([])
    for (const name of names) {
      expect(await repository.blame(oid, path(name))).toEqual([{ oid, lines: [`${name.length}`] }])
    }
  })

  test('supports SHA-256 repositories', async () => {
    const other = await own.newRepository()
    await other.remove()
    await other.init({ defaultBranch: main, objectFormat: 'sha256' })
    const changes = [{ path: path('f'), content: Buffer.from('1\n') }]
    const people = { author: ada, committer: ada }
    const oid = await admitting(other).createCommit({ parent: null, ...people, message: 'm', changes })
    expect(await other.blame(oid, path('f'))).toEqual([{ oid, lines: ['1'] }])
  })
})

describe('blame fails for', () => {
  test('a missing commit, a missing file, a directory, a submodule', async () => {
    const missing = { code: 'object_missing' }
    const oid = await admitting(repository).createCommit({
      parent: await commitFiles(repository, { 'd/f': '1' }),
      author: ada,
      committer: ada,
      message: 'm',
      changes: [{ path: path('module'), oid: 'a'.repeat(40) as Oid, mode: '160000' }],
    })
    for (const name of ['missing', 'd', 'd/f/x', 'module']) {
      await expect(repository.blame(oid, path(name))).rejects.toMatchObject(missing)
    }
    await expect(repository.blame('a'.repeat(40) as Oid, path('d/f'))).rejects.toMatchObject(missing)
    const tree = (await git(['-C', repository.directory, 'rev-parse', `${oid}^{tree}`])) as Oid
    await expect(repository.blame(tree, path('d/f'))).rejects.toMatchObject(missing)
  })

  test('a file that is too large, or has too many lines', async () => {
    const oid = await commitFiles(repository, {
      large: Buffer.alloc(10 * 1024 * 1024 + 1, 'x'),
      long: Buffer.alloc(600_000, '\n'),
      line: Buffer.alloc(3_000_000, 'x'),
    })
    await expect(repository.blame(oid, path('large'))).rejects.toMatchObject({ code: 'too_large' })
    await expect(repository.blame(oid, path('long'))).rejects.toMatchObject({ code: 'too_large' })
    const hunks = await repository.blame(oid, path('long'), { start: 599_999, end: 600_000 })
    expect(hunks).toEqual([{ oid, lines: ['', ''] }])
    expect((await repository.blame(oid, path('line')))[0]!.lines[0]).toHaveLength(3_000_000)
  })
})
