import { randomBytes } from 'node:crypto'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, type Oid, refName, tagRef, ZERO_SHA1 } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, main, openTestGit, openTestRunner, type TestGit, until } from '../testing.ts'
import { catFilePool } from './cat-file-pool.ts'

let own: TestGit
let repository: Repository
let first: Oid
let second: Oid
const large = randomBytes(3_000_000)
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  first = await commitFiles(repository, { small: 'small', large, empty: '' }, { message: 'First' })
  second = await commitFiles(repository, { small: 'changed' }, { message: 'Second' })
})
afterAll(() => own[Symbol.asyncDispose]())

const idOf = async (revision: string) => (await git(['-C', repository.directory, 'rev-parse', revision])) as Oid
const nothing = 'a'.repeat(40) as Oid

describe('commits', () => {
  test('are read in bulk, without missing objects and other types', async () => {
    const tree = await idOf('main^{tree}')
    const found = await repository.commits([second, nothing, tree, first, second, ZERO_SHA1])
    expect(new Map([...found].map(([oid, { title }]) => [oid, title]))).toEqual(
      new Map([
        [first, 'First'],
        [second, 'Second'],
      ]),
    )
    expect(await repository.commits([])).toEqual(new Map())
  })

  test('are cached', async () => {
    const [once, again] = [await repository.commits([first]), await repository.commits([first])]
    expect(again.get(first)).toBe(once.get(first))
  })

  test('thousands of concurrent reads give the right results', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => {
      const person = 'A <a@x> 1 +0000'
      return `commit refs/heads/long\nmark :${index + 1}\ncommitter ${person}\ndata 5\nm${String(index).padStart(4, '0')}\n`
    })
    const input = `${lines.join('')}done\n`
    await git(['-C', repository.directory, 'fast-import', '--quiet', '--done'], { input })
    const oids = (await git(['-C', repository.directory, 'rev-list', '--reverse', 'long'])).split('\n') as Oid[]
    const found = await repository.commits(oids)
    expect(oids.map((oid) => found.get(oid)?.message)).toEqual(
      lines.map((_, index) => `m${String(index).padStart(4, '0')}`),
    )
  })
})

describe('objects', () => {
  test('have a type and a size', async () => {
    expect(await repository.object(await idOf('main:small'))).toMatchObject({ type: 'blob', sizeBytes: 7 })
    expect(await repository.object(first)).toMatchObject({ oid: first, type: 'commit' })
    expect(await repository.object(nothing)).toBeNull()
  })

  test('are refused when they are too large', async () => {
    const blob = await idOf('main:large')
    expect((await repository.readObject(blob, { maxBytes: large.length }))?.content.equals(large)).toBe(true)
    const tooLarge = repository.readObject(blob, { maxBytes: large.length - 1 })
    await expect(tooLarge).rejects.toMatchObject({ code: 'too_large' })
    const empty = await repository.readObject(await idOf('main:empty'), { maxBytes: 0 })
    expect(empty).toMatchObject({ sizeBytes: 0, type: 'blob' })
    expect(await repository.readObject(nothing, { maxBytes: 10 })).toBeNull()
  })

  test('are streamed, small and large', async () => {
    for (const [path, content] of Object.entries({ small: Buffer.from('changed'), large, empty: Buffer.alloc(0) })) {
      const blob = await repository.streamBlob(await idOf(`main:${path}`))
      expect(blob?.sizeBytes).toBe(content.length)
      expect((await buffer(blob!.stream)).equals(content)).toBe(true)
    }
    expect(await repository.streamBlob(first)).toBeNull()
    expect(await repository.streamBlob(nothing)).toBeNull()
  })

  test('a stream may be destroyed early, hundreds of times', async () => {
    await using few = await openTestGit({ limits: { concurrentTransfers: 2, bufferedObjectBytes: 10 } })
    const other = await few.newRepository()
    await commitFiles(other, { large })
    const oid = (await git(['-C', other.directory, 'rev-parse', 'main:large'])) as Oid
    for (let round = 0; round < 20; round += 1) (await other.streamBlob(oid))?.stream.destroy()
    // Each has released its slot; otherwise this would wait forever.
    expect((await buffer((await other.streamBlob(oid))!.stream)).length).toBe(large.length)
  })
})

test('tag objects are parsed; other types are left out', async () => {
  const tag = { name: 'v1', target: first, targetType: 'commit', tagger: ada, message: 'Version 1\n' } as const
  const oid = await admitting(repository).createTagObject(tag)
  const found = await repository.tagObjects([oid, first, nothing, oid])
  expect([...found.values()]).toEqual([{ oid, ...tag, signature: null }])
})

describe('a revision', () => {
  test('is resolved as a branch, a tag, a full ref, an id, in this order', async () => {
    const other = await own.newRepository()
    const one = await commitFiles(other, { a: '1' })
    const two = await commitFiles(other, { a: '2' })
    const three = await commitFiles(other, { a: '3' })
    const tagObject = { name: 'v1', target: two, targetType: 'commit', tagger: ada, message: 'm' } as const
    const annotated = await admitting(other).createTagObject(tagObject)
    const blob = (await git(['-C', other.directory, 'rev-parse', 'main:a'])) as Oid
    const hex = one.slice(0, 8)
    await other.updateRefs([
      { ref: tagRef('main')!, old: ZERO_SHA1, new: one },
      { ref: tagRef('v1')!, old: ZERO_SHA1, new: annotated },
      { ref: tagRef('file')!, old: ZERO_SHA1, new: blob },
      { ref: branchRef('heads/x')!, old: ZERO_SHA1, new: two },
      { ref: branchRef(hex)!, old: ZERO_SHA1, new: two },
      { ref: refName('refs/merge-requests/1/head')!, old: ZERO_SHA1, new: one },
      { ref: refName('refs/keep-around/x')!, old: ZERO_SHA1, new: one },
      { ref: refName('refs/notes/commits')!, old: ZERO_SHA1, new: one },
    ])
    const snapshot = await other.refs(1)
    const resolve = (revision: string) => other.resolveCommit(revision, snapshot)
    expect(await resolve('main')).toBe(three)
    expect(await resolve('refs/tags/main')).toBe(one)
    expect(await resolve('refs/heads/main')).toBe(three)
    expect(await resolve('v1')).toBe(two)
    expect(await resolve('refs/tags/v1')).toBe(two)
    expect(await resolve('refs/notes/commits')).toBe(one)
    // Hidden refs of the server are not resolved.
    expect(await resolve('refs/merge-requests/1/head')).toBeNull()
    expect(await resolve('refs/keep-around/x')).toBeNull()
    expect(await resolve('heads/x')).toBe(two)
    expect(await resolve(hex)).toBe(two)
    expect(await resolve(two)).toBe(two)
    expect(await resolve(two.slice(0, 7))).toBe(two)
    expect(await resolve(two.slice(0, 12).toUpperCase())).toBe(two)
    // A tag object or a blob is not a commit under any name.
    for (const no of [annotated, annotated.slice(0, 9), blob, 'file', 'refs/tags/file'])
      expect(await resolve(no)).toBeNull()
  })

  test.each([
    ...[
      '',
      '-x',
      '--all',
      'main..second',
      'main...x',
      'HEAD',
      '@',
      'main~1',
      'main^',
      'main^{tree}',
      'main@{0}',
      '@{-1}',
      ':small',
    ],
    ...[
      'main:small',
      ':/First',
      'heads/main',
      'tags/x',
      'refs/heads/nobody',
      'refs/x/y',
      'refs/../HEAD',
      'a b',
      'a\nb',
      'main\0',
    ],
    ...[
      'abcdef',
      'refs/heads/main^{commit}',
      'main ',
      ' main',
      '\ud800',
      'x'.repeat(100_000),
      'deadbeef',
      'g'.repeat(40),
    ],
  ])('%j is not resolved', async (revision) => {
    expect(await repository.resolveCommit(revision, await repository.refs('same'))).toBeNull()
  })
})

describe('the pool', () => {
  test('a process that dies is replaced, and its requests are repeated', async () => {
    await using runner = await openTestRunner()
    const pool = catFilePool(runner.runner)
    const reader = pool.reader(repository.directory)
    expect((await reader.info(first))?.type).toBe('commit')
    runner.jobs[0]!.kill()
    const answers = await Promise.all(Array.from({ length: 50 }, () => reader.info(first)))
    expect(answers.every((answer) => answer?.oid === first)).toBe(true)
    expect(runner.started.length).toBeGreaterThanOrEqual(2)
    pool.close()
  })

  test('an object that breaks the process fails only its own request', async () => {
    const broken = await own.newRepository()
    const good = await commitFiles(broken, { a: '1' })
    const bad = await git(['-C', broken.directory, 'hash-object', '-w', '--stdin'], { input: 'precious' })
    const file = join(broken.directory, 'objects', bad.slice(0, 2), bad.slice(2))
    await chmod(file, 0o644)
    await writeFile(file, 'garbage')
    const asked = [good, bad as Oid, good, good].map((oid) =>
      broken.readObject(oid, { maxBytes: 1_000 }).then(
        (object) => object?.type ?? 'missing',
        () => 'failed',
      ),
    )
    const [one, two, three, four] = await Promise.all(asked)
    expect([one, three, four]).toEqual(['commit', 'commit', 'commit'])
    expect(['failed', 'missing']).toContain(two)
  })

  test('holds a bounded number of repositories, and ends idle processes', async () => {
    await using runner = await openTestRunner({ pooledRepositories: 2, poolIdleMs: 20 })
    const pool = catFilePool(runner.runner)
    const repositories = [await own.newRepository(), await own.newRepository(), await own.newRepository()]
    for (const { directory } of repositories) await pool.reader(directory).info(nothing)
    await Promise.all(runner.jobs.map(({ exit }) => exit))
    expect(runner.jobs).toHaveLength(3)
    expect(await pool.reader(repositories[0]!.directory).info(nothing)).toBeNull()
    expect(runner.jobs).toHaveLength(4)
    pool.close()
  })

  test('finds objects that were written after it started', async () => {
    const other = await own.newRepository()
    expect(await other.object(nothing)).toBeNull()
    const loose = await commitFiles(other, { a: '1' })
    expect((await other.object(loose))?.type).toBe('commit')
    await other.optimize()
    const later = await commitFiles(other, { a: '2' })
    expect((await other.commits([later, loose])).size).toBe(2)
    expect((await other.readObject(loose, { maxBytes: 10_000 }))?.type).toBe('commit')
    await until(async () => (await other.object(later)) !== null)
    expect(await other.head()).toBe(main)
  })
})
