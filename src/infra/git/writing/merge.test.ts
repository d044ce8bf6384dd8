import { access, appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, type Oid, treePath, ZERO_SHA1 } from '../model/names.ts'
import type { FileChange, FileMode } from '../model/types.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, main, openTestGit, type TestGit } from '../testing.ts'

let own: TestGit
let repository: Repository
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
})
afterAll(() => own[Symbol.asyncDispose]())

type Files = Record<string, string | Buffer | null | { content?: Buffer; oid?: string; mode: FileMode }>

/** A commit that no ref reaches. */
function commitOf(files: Files, parent: Oid | null = null, where = repository): Promise<Oid> {
  const changes = Object.entries(files).map(([name, file]): FileChange => {
    const path = treePath(name)!
    if (file === null) return { path, content: null }
    if (typeof file === 'string' || Buffer.isBuffer(file)) return { path, content: Buffer.from(file) }
    if (file.oid !== undefined) return { path, oid: file.oid as Oid, mode: file.mode }
    return { path, content: file.content ?? Buffer.alloc(0), mode: file.mode }
  })
  return admitting(where).createCommit({ parent, author: ada, committer: ada, message: 'm', changes })
}

async function filesOf(tree: Oid, where = repository): Promise<Record<string, string>> {
  const text = await git(['-C', where.directory, 'ls-tree', '-r', '-z', tree])
  const files: Record<string, string> = {}
  for (const line of text.split('\0').filter((entry) => entry !== '')) {
    const [about = '', path = ''] = line.split('\t')
    const [mode = '', type = '', oid = ''] = about.split(' ')
    files[path] = type === 'commit' ? oid : await git(['-C', where.directory, 'cat-file', 'blob', oid])
    if (mode !== '100644') files[path] += ` (${mode})`
  }
  return files
}

async function merged(base: Oid | null, ours: Oid, theirs: Oid | null, where = repository) {
  const result = await admitting(where).mergeTrees({ base, ours, theirs })
  return 'treeOid' in result ? filesOf(result.treeOid, where) : result
}

const lines = (...changes: [number, string][]) => {
  const text = Array.from({ length: 20 }, (_, index) => `line ${index}`)
  for (const [index, line] of changes) text[index] = line
  return `${text.join('\n')}\n`
}

describe('a merge', () => {
  test('combines changes of both sides, also within a file', async () => {
    const base = await commitOf({ f: lines(), gone: '1', same: '1' })
    const ours = await commitOf({ f: lines([1, 'ours']), gone: null, ours: '1' }, base)
    const theirs = await commitOf({ f: lines([18, 'theirs']), 'a/theirs': '1' }, base)
    const f = lines([1, 'ours'], [18, 'theirs']).trim()
    expect(await merged(base, ours, theirs)).toEqual({ f, same: '1', ours: '1', 'a/theirs': '1' })
  })

  test('uses the given base: a cherry-pick and a revert', async () => {
    const first = await commitOf({ f: lines() })
    const second = await commitOf({ f: lines([2, 'second']) }, first)
    const third = await commitOf({ f: lines([2, 'second'], [17, 'third']) }, second)
    expect(await merged(second, first, third)).toEqual({ f: lines([17, 'third']).trim() })
    expect(await merged(second, third, first)).toEqual({ f: lines([17, 'third']).trim() })
  })

  test('accepts trees, commits, and null for the empty tree', async () => {
    const base = await commitOf({ f: '1' })
    const ours = await commitOf({ f: '1', g: '2' }, base)
    const tree = (await repository.commits([base])).get(base)!.treeOid
    expect(await merged(tree, ours, base)).toEqual({ f: '1', g: '2' })
    expect(await merged(null, ours, null)).toEqual({ f: '1', g: '2' })
    expect(await merged(base, ours, null)).toEqual({ g: '2' })
    expect(await merged(base, base, null)).toEqual({})
    const unrelated = await commitOf({ h: '3' })
    expect(await merged(null, ours, unrelated)).toEqual({ f: '1', g: '2', h: '3' })
  })

  test('follows renames, and preserves modes', async () => {
    const base = await commitOf({ old: lines(), run: { content: Buffer.from('x'), mode: '100644' } })
    const ours = await commitOf({ old: null, new: lines(), run: { content: Buffer.from('x'), mode: '100755' } }, base)
    const theirs = await commitOf({ old: lines([5, 'theirs']) }, base)
    expect(await merged(base, ours, theirs)).toEqual({ new: lines([5, 'theirs']).trim(), run: 'x (100755)' })
  })

  test('moves no ref, and is reproducible', async () => {
    const base = await commitOf({ f: '1' })
    const [ours, theirs] = [await commitOf({ g: '1' }, base), await commitOf({ h: '1' }, base)]
    const results = await Promise.all(
      Array.from({ length: 6 }, () => admitting(repository).mergeTrees({ base, ours, theirs })),
    )
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
    expect(results[0]).toHaveProperty('treeOid')
    expect(await git(['-C', repository.directory, 'for-each-ref'])).toBe('')
    expect((await repository.fsck()).ok).toBe(true)
  })

  test('supports SHA-256 repositories', async () => {
    const other = await own.newRepository()
    await other.remove()
    await other.init({ defaultBranch: main, objectFormat: 'sha256' })
    const base = await commitOf({ f: lines() }, null, other)
    const ours = await commitOf({ f: lines([1, 'ours']) }, base, other)
    const theirs = await commitOf({ f: lines([1, 'theirs']), g: '1' }, base, other)
    expect(await merged(base, ours, theirs, other)).toEqual({ conflicts: ['f'] })
    expect(await merged(base, base, theirs, other)).toEqual({ f: lines([1, 'theirs']).trim(), g: '1' })
    expect(await merged(null, ours, null, other)).toEqual({ f: lines([1, 'ours']).trim() })
    const result = await admitting(other).mergeTrees({ base, ours: base, theirs })
    const tree = (result as { treeOid: Oid }).treeOid
    const oid = await admitting(other).commitTree({
      tree,
      parents: [base],
      author: ada,
      committer: ada,
      message: 'm',
    })
    expect(oid).toHaveLength(64)
    expect((await other.fsck()).ok).toBe(true)
  })
})

describe('a conflict', () => {
  test.each<[string, Files, Files, Files, string[]]>([
    ['in lines', { f: '1\n' }, { f: '2\n' }, { f: '3\n' }, ['f']],
    ['of binary content', { f: Buffer.from([0, 1]) }, { f: Buffer.from([0, 2]) }, { f: Buffer.from([0, 3]) }, ['f']],
    ['changed here, deleted there', { f: '1' }, { f: '2' }, { f: null }, ['f']],
    ['added twice', {}, { f: '1' }, { f: '2' }, ['f']],
    ['a file here, a directory there', {}, { d: '1' }, { 'd/e': '1' }, ['d']],
    [
      'in a name that looks like one of git',
      { [`d~${'a'.repeat(40)}`]: '1' },
      { [`d~${'a'.repeat(40)}`]: '2' },
      { [`d~${'a'.repeat(40)}`]: '3' },
      [`d~${'a'.repeat(40)}`],
    ],
    ['a link here, a file there', {}, { l: { content: Buffer.from('x'), mode: '120000' } }, { l: 'x' }, ['l']],
    [
      'of a submodule',
      { s: { oid: '1'.repeat(40), mode: '160000' } },
      { s: { oid: '2'.repeat(40), mode: '160000' } },
      { s: { oid: '3'.repeat(40), mode: '160000' } },
      ['s'],
    ],
    [
      'renamed to two names',
      { old: lines() },
      { old: null, here: lines() },
      { old: null, there: lines() },
      ['here', 'old', 'there'],
    ],
    ['in odd names', { 'ü\n"\t\'x': '1' }, { 'ü\n"\t\'x': '2' }, { 'ü\n"\t\'x': '3' }, ['ü\n"\t\'x']],
  ])('%s', async (_what, first, second, third, conflicts) => {
    const base = await commitOf({ ...first, other: '1' })
    const [ours, theirs] = [await commitOf(second, base), await commitOf(third, base)]
    const result = await admitting(repository).mergeTrees({ base, ours, theirs })
    expect('conflicts' in result ? result.conflicts.toSorted() : result).toEqual(conflicts)
  })

  test('in a name that is not UTF-8 has replaced bytes', async () => {
    const mktree = async (content: string) => {
      const blob = await git(['-C', repository.directory, 'hash-object', '-w', '--stdin'], { input: content })
      const input = Buffer.concat([Buffer.from(`100644 blob ${blob}\ta`), Buffer.from([0xff, 0])])
      return (await git(['-C', repository.directory, 'mktree', '-z'], { input })) as Oid
    }
    const [base, ours, theirs] = [await mktree('1'), await mktree('2'), await mktree('3')]
    expect(await admitting(repository).mergeTrees({ base, ours: ours!, theirs: theirs! })).toEqual({
      conflicts: ['a\ufffd'],
    })
  })
})

describe('hostile input', () => {
  test('missing objects and other types are refused', async () => {
    const commit = await commitOf({ f: '1' })
    const blob = (await git(['-C', repository.directory, 'rev-parse', `${commit}:f`])) as Oid
    for (const bad of ['a'.repeat(40) as Oid, blob, ZERO_SHA1]) {
      const missing = { code: 'object_missing' }
      await expect(admitting(repository).mergeTrees({ base: bad, ours: commit, theirs: commit })).rejects.toMatchObject(
        missing,
      )
      await expect(admitting(repository).mergeTrees({ base: null, ours: bad, theirs: commit })).rejects.toMatchObject(
        missing,
      )
      await expect(admitting(repository).mergeTrees({ base: null, ours: commit, theirs: bad })).rejects.toMatchObject(
        missing,
      )
    }
  })

  test('attributes cannot select a merge driver', async () => {
    const other = await own.newRepository()
    const proof = join(own.root, 'driver-ran')
    await appendFile(
      join(other.directory, 'config'),
      `[merge]\n\tdefault = evil\n\trenormalize = true\n[merge "evil"]\n\tdriver = touch ${proof}\n` +
        `[filter "evil"]\n\tsmudge = touch ${proof}\n\tclean = touch ${proof}\n`,
    )
    const attributes = '* merge=evil filter=evil\n'
    const base = await commitOf({ '.gitattributes': attributes, f: '1\n' }, null, other)
    const [ours, theirs] = [await commitOf({ f: '2\n' }, base, other), await commitOf({ f: '3\n' }, base, other)]
    expect(await merged(base, ours, theirs, other)).toEqual({ conflicts: ['f'] })
    await expect(access(proof)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test("attributes cannot select git's union driver", async () => {
    const base = await commitOf({ '.gitattributes': '* merge=union\n', f: '1\n' })
    const [ours, theirs] = [await commitOf({ f: '2\n' }, base), await commitOf({ f: '3\n' }, base)]
    expect(await merged(base, ours, theirs)).toEqual({ conflicts: ['f'] })
  })

  test('large files that both sides changed are conflicts, also when renamed', async () => {
    const large = (first: string, last: string) => {
      const content = Buffer.alloc(8 * 1024 * 1024 + 1, 'line\n')
      content.write(first, 0)
      content.write(last, content.length - last.length)
      return content
    }
    const base = await commitOf({ f: large('a', 'a'), small: lines() })
    const ours = await commitOf({ f: large('b', 'a') }, base)
    const moved = await commitOf({ f: null, g: large('b', 'a') }, base)
    const theirs = await commitOf({ f: large('a', 'b') }, base)
    const other = await commitOf({ small: '1' }, base)
    const merge = (one: Oid, two: Oid) => admitting(repository).mergeTrees({ base, ours: one, theirs: two })
    expect(await merge(ours, theirs)).toEqual({ conflicts: ['f'] })
    expect(await merge(moved, theirs)).toEqual({ conflicts: ['f'] })
    expect(await merge(theirs, moved)).toEqual({ conflicts: ['f'] })
    for (const [one, two] of [
      [ours, other],
      [other, moved],
      [ours, await commitOf({ f: large('b', 'a'), x: '1' }, base)],
    ]) {
      expect(await merge(one!, two!)).toHaveProperty('treeOid')
    }
    const added = await commitOf({ big: large('a', 'a') }, other)
    const addedToo = await commitOf({ big: large('b', 'a') }, base)
    expect(await merge(added, addedToo)).toEqual({ conflicts: ['big'] })
  })

  test('thousands of renamed files are merged in time', async () => {
    const names = Array.from({ length: 3_000 }, (_, index) => index)
    const files = (prefix: string, change: string): Files =>
      Object.fromEntries(names.map((index) => [`${prefix}/${index}`, `${lines([index % 20, `${index}`])}${change}`]))
    const base = await commitOf(files('old', ''))
    const ours = await commitOf({ old: null, ...files('new', 'end\n') }, base)
    const theirs = await commitOf({ 'old/1': 'changed' }, base)
    const result = await admitting(repository).mergeTrees({ base, ours, theirs })
    expect(result).toHaveProperty('conflicts')
  })
})

describe('a commit of a tree', () => {
  test('has exactly the given content, and moves no ref', async () => {
    const parent = await commitOf({ f: '1' })
    const tree = (await repository.commits([parent])).get(parent)!.treeOid
    const other = await commitOf({ g: '1' })
    const author = { name: 'Zoë <x>\n', email: ' a<b>@x\0', date: '2001-02-03T04:05:06.000Z' }
    const message = '\n  Title\r\n\nNo newline at the end, ä 💚'
    const oid = await admitting(repository).commitTree({
      tree,
      parents: [parent, other, parent],
      author,
      committer: ada,
      message,
    })
    const commit = (await repository.commits([oid])).get(oid)
    expect(commit).toMatchObject({ treeOid: tree, parentOids: [parent, other], message, committer: ada })
    expect(commit?.author).toEqual({ name: 'Zoë x', email: 'ab@x', date: author.date })
    expect(await git(['-C', repository.directory, 'for-each-ref'])).toBe('')
    expect((await repository.fsck()).ok).toBe(true)
  })

  test('of the empty tree, with an empty message, can be cloned', async () => {
    const other = await own.newRepository()
    const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as Oid
    const parts = { parents: [], author: ada, committer: ada, message: '' }
    const oid = await admitting(other).commitTree({ tree, ...parts })
    await other.updateRefs([{ ref: main, old: ZERO_SHA1, new: oid }])
    const clone = await own.newDirectory()
    await git(['clone', '--quiet', '--no-local', other.directory, clone])
    expect(await git(['rev-parse', 'HEAD'], { cwd: clone })).toBe(oid)
    expect((await other.fsck()).ok).toBe(true)
  })

  test('is refused for missing objects, and for a NUL', async () => {
    const parent = await commitFiles(await own.newRepository(), { f: '1' })
    const commit = await commitOf({ f: '2' })
    const tree = (await repository.commits([commit])).get(commit)!.treeOid
    const parts = { tree, parents: [], author: ada, committer: ada, message: 'm' }
    const missing = { code: 'object_missing' }
    await expect(admitting(repository).commitTree({ ...parts, tree: commit })).rejects.toMatchObject(missing)
    await expect(admitting(repository).commitTree({ ...parts, tree: 'a'.repeat(40) as Oid })).rejects.toMatchObject(
      missing,
    )
    await expect(admitting(repository).commitTree({ ...parts, parents: [tree] })).rejects.toMatchObject(missing)
    await expect(admitting(repository).commitTree({ ...parts, parents: [parent] })).rejects.toMatchObject(missing)
    const invalid = { code: 'invalid_input' }
    await expect(admitting(repository).commitTree({ ...parts, message: 'a\0b' })).rejects.toMatchObject(invalid)
    const undated = { ...ada, date: 'yesterday' }
    await expect(admitting(repository).commitTree({ ...parts, author: undated })).rejects.toMatchObject(invalid)
  })

  test('of a merge becomes a branch', async () => {
    const base = await commitFiles(repository, { f: lines() })
    const ours = await commitFiles(repository, { f: lines([1, 'ours']) })
    const topic = branchRef('topic')!
    const theirs = await commitFiles(repository, { g: '1' }, { branch: topic, parent: base })
    const result = await admitting(repository).mergeTrees({ base, ours, theirs })
    const tree = (result as { treeOid: Oid }).treeOid
    const parts = { parents: [ours, theirs], author: ada, committer: ada, message: 'Merge' }
    const oid = await admitting(repository).commitTree({ tree, ...parts })
    await repository.updateRefs([{ ref: main, old: ours, new: oid }])
    expect(await repository.isAncestor(theirs, oid)).toBe(true)
    expect((await repository.fsck()).ok).toBe(true)
  })
})
