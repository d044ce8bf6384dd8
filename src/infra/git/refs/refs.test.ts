import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultLimits } from '../model/limits.ts'
import { branchRef, type Oid, refName, tagRef, ZERO_SHA1 } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, main, openTestGit, openTestRunner, type TestGit } from '../testing.ts'
import { refCache } from './refs.ts'

let own: TestGit
beforeAll(async () => {
  own = await openTestGit()
})
afterAll(() => own[Symbol.asyncDispose]())

/** Writes many refs in the format of `packed-refs`. */
async function packRefs(repository: Repository, lines: string[]): Promise<void> {
  const header = '# pack-refs with: peeled fully-peeled sorted \n'
  await writeFile(join(repository.directory, 'packed-refs'), `${header}${lines.join('\n')}\n`)
}

/** A separate cache whose processes are counted. */
async function countedCache(cachedRefs = defaultLimits.cachedRefs) {
  const counted = await openTestRunner({ cachedRefs })
  const cache = refCache(counted.contextOf({ directory: '' }))
  return { cache, started: counted.started, [Symbol.asyncDispose]: () => counted[Symbol.asyncDispose]() }
}

describe('listing', () => {
  test('an empty repository has a head and no refs', async () => {
    const repository = await own.newRepository()
    expect(await repository.refs(1)).toMatchObject({ head: 'refs/heads/main', branches: [], tags: [] })
  })

  test('is sorted by bytes', async () => {
    const repository = await own.newRepository()
    const oid = await commitFiles(repository, { a: '1' })
    const names = ['a', 'A', 'b/c', 'b-c', 'é', '💚', '\ue000', 'zz', 'main2']
    await repository.updateRefs(names.map((name) => ({ ref: branchRef(name)!, old: ZERO_SHA1, new: oid })))
    const listed = (await repository.refs(1)).branches.map(({ name }) => name)
    expect(listed).toEqual(['main', ...names].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
  })

  test('distinguishes lightweight tags, annotated tags, tags of tags, tags of blobs', async () => {
    const repository = await own.newRepository()
    const commit = await commitFiles(repository, { a: '1' })
    const blob = (await git(['-C', repository.directory, 'rev-parse', 'main:a'])) as Oid
    const make = (name: string, target: Oid, targetType: 'commit' | 'tag' | 'blob') =>
      admitting(repository).createTagObject({ name, target, targetType, tagger: ada, message: name })
    const annotated = await make('annotated', commit, 'commit')
    const nested = await make('nested', annotated, 'tag')
    const deepest = await make('deepest', nested, 'tag')
    const file = await make('file', blob, 'blob')
    const tips = { light: commit, annotated, nested, deepest, file, bare: blob }
    const changes = Object.entries(tips).map(([name, oid]) => ({ ref: tagRef(name)!, old: ZERO_SHA1, new: oid }))
    const before = await repository.refs(0)
    await repository.updateRefs(changes)
    const read = await repository.refs('read')
    const peeled = { peeled: commit, peeledType: 'commit' }
    expect(read.tags).toEqual([
      { name: 'annotated', oid: annotated, type: 'tag', ...peeled },
      { name: 'bare', oid: blob, type: 'blob', peeled: blob, peeledType: 'blob' },
      { name: 'deepest', oid: deepest, type: 'tag', ...peeled },
      { name: 'file', oid: file, type: 'tag', peeled: blob, peeledType: 'blob' },
      { name: 'light', oid: commit, type: 'commit', ...peeled },
      { name: 'nested', oid: nested, type: 'tag', ...peeled },
    ])
    expect(before.tags).toEqual([])
    await repository.refs(1)
    repository.deriveRefs(2, 1, changes)
    expect((await repository.refs(2)).tags).toEqual(read.tags)
  })

  test.each(['main', 'tag'])('of a %s is correct when two changes are recorded in the wrong order', async (kind) => {
    const repository = await own.newRepository()
    const ref = kind === 'main' ? main : tagRef('v1')!
    const first = await commitFiles(repository, { a: '1' })
    const [second, third] = [await commitFiles(repository, { a: '2' }), await commitFiles(repository, { a: '3' })]
    if (kind === 'main') await repository.updateRefs([{ ref, old: third, new: first }])
    else await repository.updateRefs([{ ref, old: ZERO_SHA1, new: first }])
    const current = async (generation: number) => {
      const snapshot = await repository.refs(generation)
      return (kind === 'main' ? snapshot.branch('main') : snapshot.tag('v1'))?.oid ?? null
    }
    expect(await current(1)).toBe(first)
    const changes = [
      { ref, old: first, new: second },
      { ref, old: second, new: third },
    ]
    for (const change of changes) await repository.updateRefs([change])
    repository.deriveRefs(2, 1, changes.slice(1))
    repository.deriveRefs(3, 2, changes.slice(0, 1))
    expect(await current(3)).toBe(third)
    // Deleted and created again at the same commit: the old value of the late record matches by chance.
    const deletion = { ref, old: third, new: ZERO_SHA1 }
    const creation = { ref, old: ZERO_SHA1, new: third }
    for (const change of [deletion, creation]) await repository.updateRefs([change])
    repository.deriveRefs(4, 3, [creation])
    repository.deriveRefs(5, 4, [deletion])
    expect(await current(5)).toBe(third)
  })

  test('excludes hidden refs and names that are not UTF-8', async () => {
    const repository = await own.newRepository()
    const oid = await commitFiles(repository, { a: '1' })
    await repository.updateRefs([{ ref: refName('refs/merge-requests/1/head')!, old: ZERO_SHA1, new: oid }])
    const raw = Buffer.concat([Buffer.from(`${oid} refs/heads/bad-`), Buffer.from([0xff]), Buffer.from('\n')])
    await writeFile(join(repository.directory, 'packed-refs'), raw)
    const snapshot = await repository.refs(1)
    expect(snapshot.branches).toEqual([{ name: 'main', oid }])
    expect(snapshot.tags).toEqual([])
  })

  test('ten thousand branches cost one process, and a change only the pooled one', async () => {
    const repository = await own.newRepository()
    const oid = await commitFiles(repository, { a: '1' })
    await packRefs(
      repository,
      Array.from({ length: 10_000 }, (_, index) => `${oid} refs/heads/b${String(index).padStart(5, '0')}`),
    )
    await using counted = await countedCache()
    const { cache, started } = counted
    const first = await cache.refs(repository.directory, 1)
    expect(first.branches).toHaveLength(10_001)
    expect(started).toEqual(['for-each-ref'])
    expect(await cache.refs(repository.directory, 1)).toBe(first)
    const change = { ref: branchRef('b00500')!, old: oid, new: ZERO_SHA1 }
    await repository.updateRefs([change])
    cache.derive(repository.directory, 2, 1, [change])
    const second = await cache.refs(repository.directory, 2)
    expect(second.branches).toHaveLength(10_000)
    expect(second.branch('b00500')).toBeNull()
    expect(first.branch('b00500')).not.toBeNull()
    expect(started).toEqual(['for-each-ref', 'cat-file'])
  })

  test('concurrent requests share one process per generation', async () => {
    const repository = await own.newRepository()
    await using counted = await countedCache()
    const { cache, started } = counted
    await Promise.all(Array.from({ length: 5 }, () => cache.refs(repository.directory, 1)))
    expect(started).toHaveLength(1)
    await cache.refs(repository.directory, 2)
    expect(started).toHaveLength(2)
    // Deriving from a missing generation does nothing.
    cache.derive(repository.directory, 9, 8, [])
    await cache.refs(repository.directory, 9)
    expect(started).toHaveLength(3)
  })

  test('a failure is not cached', async () => {
    const repository = await own.newRepository()
    const head = join(repository.directory, 'HEAD')
    await writeFile(head, 'nonsense')
    await expect(repository.refs(1)).rejects.toMatchObject({ code: 'command_failed' })
    await writeFile(head, 'ref: refs/heads/main\n')
    expect((await repository.refs(1)).head).toBe('refs/heads/main')
  })

  test('the cache is bounded by the number of refs', async () => {
    const repositories = [await own.newRepository(), await own.newRepository()]
    for (const repository of repositories) {
      const tip = await commitFiles(repository, { a: '1' })
      const count = Array.from({ length: 60 }, (_, index) => `${tip} refs/heads/b${index + 100}`)
      await packRefs(repository, count)
    }
    await using counted = await countedCache(100)
    const { cache, started } = counted
    for (const { directory } of [...repositories, ...repositories]) await cache.refs(directory, 1)
    expect(started).toHaveLength(4)
  })
})

describe('HEAD', () => {
  test('is set to a branch that need not exist', async () => {
    const repository = await own.newRepository()
    await repository.setHead(branchRef('trunk')!)
    expect(await repository.head()).toBe('refs/heads/trunk')
    expect(await git(['-C', repository.directory, 'symbolic-ref', 'HEAD'])).toBe('refs/heads/trunk')
  })

  test('is read without waiting for a writer', async () => {
    const repository = await own.newRepository()
    await writeFile(join(repository.directory, 'HEAD.lock'), '')
    await expect(repository.setHead(branchRef('trunk')!)).rejects.toMatchObject({
      name: 'RefConflict',
      reason: 'locked',
    })
    expect(await repository.head()).toBe(main)
  })

  test('is part of the derived snapshot', async () => {
    const repository = await own.newRepository()
    await repository.refs(1)
    await repository.setHead(branchRef('trunk')!)
    repository.deriveRefs(2, 1, [])
    expect((await repository.refs(2)).head).toBe('refs/heads/trunk')
  })

  test('fails for a directory without repository', async () => {
    const repository = await own.newRepository()
    await repository.remove()
    await expect(repository.head()).rejects.toMatchObject({ code: 'repository_missing' })
    await expect(repository.setHead(main)).rejects.toMatchObject({ code: 'repository_missing' })
  })
})
