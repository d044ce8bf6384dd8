import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importedCommit } from '../history-testing.ts'
import { newDiskPath, type Oid, type TreePath, treePath } from '../model/names.ts'
import type { TreeEntry } from '../model/reading-types.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, openTestGit, openTestRunner, type TestGit } from '../testing.ts'
import { entryAt, treeEntries, walkTree } from './tree.ts'

let own: TestGit
let repository: Repository
let commit: Oid
/** Legal names that mean something to a shell, to git's options or to its patterns. */
const oddNames = [
  ' ',
  '"quoted"',
  "'",
  '$(id)',
  '*',
  '--help',
  '-x',
  ':(glob)*',
  '\\',
  'a\tb',
  'a\nb',
  'ä',
  '\u{1f98a}',
]
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  const files = { 'a/b/c': 'c', 'a/b.c': 'dot', 'a/b0': 'zero', top: 'top' }
  commit = await commitFiles(repository, {
    ...files,
    ...Object.fromEntries(oddNames.map((name) => [`odd/${name}`, name])),
  })
})
afterAll(() => own[Symbol.asyncDispose]())

const nothing = 'a'.repeat(40) as Oid
const path = (text: string) => treePath(text) as TreePath
const namesOf = (entries: readonly TreeEntry[] | null) => entries?.map(({ name }) => name)

/** Nested trees, the innermost first. */
async function deepTree(target: Repository, depth: number): Promise<Oid> {
  const blob = await git(['-C', target.directory, 'hash-object', '-w', '--stdin'], { input: 'deep' })
  return importedCommit(target, `M 100644 ${blob} ${'d/'.repeat(depth)}file\n`)
}

describe('the entry at a path', () => {
  test('is a file, a directory, or null', async () => {
    const file = await repository.entryAt(commit, path('a/b/c'))
    expect(file).toMatchObject({ name: 'c', path: 'a/b/c', mode: '100644', type: 'blob' })
    expect((await repository.readObject(file!.oid, { maxBytes: 10 }))?.content.toString()).toBe('c')
    expect(await repository.entryAt(commit, path('a/b'))).toMatchObject({ mode: '040000', type: 'tree' })
    for (const none of ['a/b/c/d', 'a/b/x', 'x/y', 'A', 'a/b/C', 'to', 'topp']) {
      expect(await repository.entryAt(commit, path(none))).toBeNull()
    }
  })

  test('is the root tree for the empty path', async () => {
    const tree = await git(['-C', repository.directory, 'rev-parse', `${commit}^{tree}`])
    expect(await repository.entryAt(commit, '')).toEqual({
      name: '',
      path: '',
      mode: '040000',
      type: 'tree',
      oid: tree,
    })
  })

  test('is null for objects other than commits', async () => {
    const tree = (await repository.entryAt(commit, ''))!.oid
    for (const oid of [nothing, tree, '0'.repeat(40) as Oid]) {
      expect(await repository.entryAt(oid, '')).toBeNull()
      expect(await repository.entryAt(oid, path('top'))).toBeNull()
    }
  })

  test.each(oddNames)('may have the name %j', async (name) => {
    const entry = await repository.entryAt(commit, path(`odd/${name}`))
    expect(entry).toMatchObject({ name, path: `odd/${name}`, type: 'blob' })
    expect((await repository.readObject(entry!.oid, { maxBytes: 100 }))?.content.toString()).toBe(name)
  })

  test('is compared by bytes: a name that is not UTF-8 is listed but cannot be requested', async () => {
    const made = await importedCommit(
      repository,
      'M 100644 inline \xff\ndata 1\nx\nM 100644 inline e\xcc\x81\ndata 1\ny\n',
    )
    const root = (await repository.entryAt(made, ''))!.oid
    expect(namesOf(await repository.treeEntries(root, ''))).toEqual(['e\u0301', '\ufffd'])
    expect(await repository.entryAt(made, path('\ufffd'))).toBeNull()
    expect(await repository.entryAt(made, path('é'))).toBeNull()
    expect(await repository.entryAt(made, path('e\u0301'))).not.toBeNull()
  })

  test('may be a symbolic link, an executable or a submodule', async () => {
    const sub = 'b'.repeat(40)
    const link = 'M 120000 inline link\ndata 3\ntop\nM 100755 inline run\ndata 1\nx\n'
    const made = await importedCommit(repository, `${link}M 160000 ${sub} sub\n`)
    expect(await repository.entryAt(made, path('link'))).toMatchObject({ mode: '120000', type: 'blob' })
    expect(await repository.entryAt(made, path('run'))).toMatchObject({ mode: '100755', type: 'blob' })
    expect(await repository.entryAt(made, path('sub'))).toMatchObject({ mode: '160000', type: 'commit', oid: sub })
    expect(await repository.entryAt(made, path('sub/below'))).toBeNull()
    expect(await repository.entryAt(made, path('link/below'))).toBeNull()
  })
})

describe('the entries of a directory', () => {
  test("are listed in git's order, with their paths", async () => {
    const tree = (await repository.entryAt(commit, path('a')))!.oid
    const entries = await repository.treeEntries(tree, 'a')
    expect(entries?.map((entry) => entry.path)).toEqual(['a/b.c', 'a/b', 'a/b0'])
    expect(namesOf(await repository.treeEntries(tree, ''))).toEqual(['b.c', 'b', 'b0'])
  })

  test('are null for other objects', async () => {
    const blob = (await repository.entryAt(commit, path('top')))!.oid
    for (const oid of [nothing, commit, blob]) expect(await repository.treeEntries(oid, '')).toBeNull()
  })

  test('are empty for an empty tree', async () => {
    const made = await admitting(repository).createCommit({
      parent: null,
      author: ada,
      committer: ada,
      message: 'm',
      changes: [],
    })
    const root = (await repository.entryAt(made, ''))!.oid
    expect(await repository.treeEntries(root, '')).toEqual([])
    expect(await Array.fromAsync(repository.walkTree(root, ''))).toEqual([])
  })

  test('are found and listed in a directory of a hundred thousand', async () => {
    const count = 100_000
    const blob = await git(['-C', repository.directory, 'hash-object', '-w', '--stdin'], { input: 'x' })
    const lines = Array.from({ length: count }, (_, index) => `100644 blob ${blob}\tfile ${index}\n`)
    const oid = (await git(['-C', repository.directory, 'mktree'], { input: lines.join('') })) as Oid
    const root = await git(['-C', repository.directory, 'mktree'], { input: `040000 tree ${oid}\twide\n` })
    const made = (await git(['-C', repository.directory, 'commit-tree', '-m', 'm', root])) as Oid
    expect(await repository.treeEntries(oid, 'wide')).toHaveLength(count)
    expect(await repository.entryAt(made, path(`wide/file ${count - 1}`))).toMatchObject({ type: 'blob' })
    let walked = 0
    for await (const _ of repository.walkTree(oid, '')) walked += 1
    expect(walked).toBe(count)
  })
})

describe('a walk', () => {
  test("yields directories before their content, in git's order", async () => {
    const root = (await repository.entryAt(commit, ''))!.oid
    const expected = (await git(['-C', repository.directory, 'ls-tree', '-r', '-t', '-z', commit]))
      .split('\0')
      .slice(0, -1)
    const walked = await Array.fromAsync(repository.walkTree(root, ''))
    expect(walked.map(({ mode, type, oid, path }) => `${mode} ${type} ${oid}\t${path}`)).toEqual(expected)
  })

  test('prepends a path', async () => {
    const tree = (await repository.entryAt(commit, path('a')))!.oid
    const walked = await Array.fromAsync(repository.walkTree(tree, 'x/a'))
    expect(walked.map((entry) => entry.path)).toEqual(['x/a/b.c', 'x/a/b', 'x/a/b/c', 'x/a/b0'])
  })

  test('reaches a depth of five thousand directories', async () => {
    const made = await deepTree(repository, 5_000)
    const root = (await repository.entryAt(made, ''))!.oid
    let last: TreeEntry | null = null
    let count = 0
    for await (const entry of repository.walkTree(root, '')) {
      last = entry
      count += 1
    }
    expect([count, last?.name, last?.path.length]).toEqual([5_001, 'file', 10_004])
    // The depth of the longest legal path.
    expect(await repository.entryAt(made, path('d/'.repeat(2_000).slice(0, -1)))).toMatchObject({ type: 'tree' })
    expect(await repository.entryAt(made, path(`${'d/'.repeat(2_000)}x`))).toBeNull()
  })

  test('can be stopped or aborted in the middle of a huge tree', async () => {
    // Ten directories, each of them the same ten directories, ten levels deep.
    const blob = await git(['-C', repository.directory, 'hash-object', '-w', '--stdin'], { input: 'x' })
    let line = `100644 blob ${blob}`
    for (let level = 0; level < 10; level += 1) {
      const input = Array.from({ length: 10 }, (_, index) => `${line}\t${index}\n`).join('')
      line = `040000 tree ${await git(['-C', repository.directory, 'mktree'], { input })}`
    }
    const root = line.split(' ')[2] as Oid
    let count = 0
    for await (const _ of repository.walkTree(root, '')) if (++count === 5_000) break
    expect(count).toBe(5_000)
    // The timer fires though everything is in memory: the walk yields to the event loop.
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 1)
    const endless = async () => {
      for await (const _ of repository.walkTree(root, '', { signal: controller.signal })) count += 1
    }
    await expect(endless()).rejects.toMatchObject({ code: 'aborted' })
    await expect(endless()).rejects.toMatchObject({ code: 'aborted' })
  })

  test('fails for other objects', async () => {
    await expect(Array.fromAsync(repository.walkTree(nothing, ''))).rejects.toMatchObject({ code: 'object_missing' })
    await expect(Array.fromAsync(repository.walkTree(commit, ''))).rejects.toMatchObject({ code: 'object_missing' })
  })
})

test('each object is read only once', async () => {
  await using runner = await openTestRunner()
  const own = runner.contextOf(repository)
  const { pool } = own
  let read = 0
  const counting = {
    ...pool,
    reader(directory: string) {
      const reader = pool.reader(directory)
      const contents: typeof reader.contents = (...args) => {
        read += 1
        return reader.contents(...args)
      }
      return { ...reader, contents }
    },
  }
  const context = { ...own, pool: counting }
  const ask = async () => {
    const entry = await entryAt(context, commit, path('a/b/c'))
    const tree = (await entryAt(context, commit, path('a')))!.oid
    return [entry, await treeEntries(context, tree, 'a'), await Array.fromAsync(walkTree(context, tree, ''))]
  }
  const once = await ask()
  // The commit, the root, `a` and `a/b`.
  expect(read).toBe(4)
  expect(await ask()).toEqual(once)
  expect(read).toBe(4)
  // Other objects are refused by their type, without reading their content.
  const blob = (await entryAt(context, commit, path('top')))!.oid
  expect(await treeEntries(context, blob, '')).toBeNull()
  expect(read).toBe(4)
  expect(runner.started).toEqual(['cat-file'])
})

test('results are correct with an empty cache', async () => {
  await using small = await openTestGit({ limits: { cachedTreeBytes: 0, cachedCommitBytes: 0 } })
  const other = await small.newRepository()
  const made = await commitFiles(other, { 'a/b/c': '1', 'a/d': '2', e: '3' })
  const root = (await other.entryAt(made, ''))!.oid
  const walked = await Array.fromAsync(other.walkTree(root, ''))
  expect(walked.map((entry) => entry.path)).toEqual(['a', 'a/b', 'a/b/c', 'a/d', 'e'])
})

test('SHA-256 repositories have longer ids', async () => {
  const other = own.git.repository({ storage: 'default', diskPath: newDiskPath() })
  await other.init({ defaultBranch: 'refs/heads/main' as never, objectFormat: 'sha256' })
  const changes = ['a/a', 'a/b', 'z'].map((name) => ({ path: path(name), content: Buffer.from('x') }))
  const made = await admitting(other).createCommit({
    parent: null,
    author: ada,
    committer: ada,
    message: 'm',
    changes,
  })
  const entry = await other.entryAt(made, path('a/b'))
  expect(entry?.oid).toHaveLength(64)
  expect(await other.entryAt(made, path('z'))).toMatchObject({ type: 'blob' })
  expect((await other.readObject(entry!.oid, { maxBytes: 10 }))?.content.toString()).toBe('x')
})

test('a repository that does not exist is reported as missing', async () => {
  const absent = own.git.repository({ storage: 'default', diskPath: newDiskPath() })
  await expect(absent.entryAt(commit, path('a'))).rejects.toMatchObject({ code: 'repository_missing' })
  await expect(absent.treeEntries(commit, '')).rejects.toMatchObject({ code: 'repository_missing' })
  await expect(Array.fromAsync(absent.walkTree(commit, ''))).rejects.toMatchObject({ code: 'repository_missing' })
})

test('a new repository at the same path has no data of the old one', async () => {
  const old = await own.newRepository()
  const made = await commitFiles(old, { secret: '1' })
  const root = (await old.entryAt(made, ''))!.oid
  expect(await old.treeEntries(root, '')).toHaveLength(1)
  await old.remove()
  await old.init({ defaultBranch: 'refs/heads/main' as never })
  expect(await old.treeEntries(root, '')).toBeNull()
  expect(await old.entryAt(made, '')).toBeNull()
})
