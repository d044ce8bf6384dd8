import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, type Oid, type RefName, refName, ZERO_SHA1 } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, git, main, openTestGit, type TestGit } from '../testing.ts'
import { conflictIn } from './ref-update.ts'

let own: TestGit
let repository: Repository
let first: Oid
let second: Oid
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  first = await commitFiles(repository, { a: '1' })
  second = await commitFiles(repository, { a: '2' })
})
afterAll(() => own[Symbol.asyncDispose]())

const branch = (name: string) => branchRef(name) as RefName
const tip = (name: string) =>
  git(['-C', repository.directory, 'for-each-ref', '--format=%(objectname)', `refs/heads/${name}`])

describe('updating refs', () => {
  test('creates, moves and deletes', async () => {
    await repository.updateRefs([{ ref: branch('life'), old: ZERO_SHA1, new: first }])
    await repository.updateRefs([{ ref: branch('life'), old: first, new: second }])
    expect(await tip('life')).toBe(second)
    await repository.updateRefs([{ ref: branch('life'), old: null, new: first }])
    await repository.updateRefs([{ ref: branch('life'), old: first, new: ZERO_SHA1 }])
    expect(await tip('life')).toBe('')
    await repository.updateRefs([])
  })

  test.each([
    ['moved', 'main', 'first', 'second'],
    ['exists', 'main', 'zero', 'second'],
    ['missing', 'nobody', 'first', 'second'],
    ['missing', 'nobody', 'first', 'zero'],
    ['moved', 'main', 'first', 'zero'],
  ])('reports %s', async (reason, name, old, target) => {
    const oids: Record<string, Oid> = { zero: ZERO_SHA1, first, second }
    const update = { ref: branch(name), old: oids[old]!, new: oids[target]! }
    const conflict = { name: 'RefConflict', reason, ref: branch(name), conflictsWith: null }
    await expect(repository.updateRefs([update])).rejects.toMatchObject(conflict)
    expect(await tip('main')).toBe(second)
  })

  test('a ref cannot exist below another one, in either order, loose or packed', async () => {
    await repository.updateRefs([{ ref: branch("it's/a"), old: ZERO_SHA1, new: first }])
    const inTheWay = async () => {
      for (const name of ["it's", "it's/a/b"]) {
        const update = { ref: branch(name), old: ZERO_SHA1, new: first }
        const conflict = { reason: 'directory', ref: branch(name), conflictsWith: branch("it's/a") }
        await expect(repository.updateRefs([update])).rejects.toMatchObject(conflict)
      }
    }
    await inTheWay()
    await repository.optimize()
    await inTheWay()
    const together = ['x', 'x/y'].map((name) => ({ ref: branch(name), old: ZERO_SHA1, new: first }))
    await expect(repository.updateRefs(together)).rejects.toMatchObject({ reason: 'directory' })
  })

  test('moves all refs or none', async () => {
    const updates = [
      { ref: branch('new-one'), old: ZERO_SHA1, new: first },
      { ref: main, old: first, new: first },
    ]
    await expect(repository.updateRefs(updates)).rejects.toMatchObject({ reason: 'moved', ref: main })
    expect(await tip('new-one')).toBe('')
  })

  test('of two writers exactly one succeeds', async () => {
    for (let round = 0; round < 15; round += 1) {
      const ref = branch(`race-${round}`)
      const attempts = [first, second, first, second].map((oid) =>
        repository.updateRefs([{ ref, old: ZERO_SHA1, new: oid }]).then(
          () => 'won',
          (error) => error.reason,
        ),
      )
      const results = await Promise.all(attempts)
      expect(results.filter((result) => result === 'won')).toHaveLength(1)
      expect(results.filter((result) => result !== 'won').every((result) => ['exists', 'moved'].includes(result))).toBe(
        true,
      )
    }
  })

  test('concurrent writers to different branches succeed', async () => {
    const updates = Array.from({ length: 30 }, (_, index) =>
      repository.updateRefs([{ ref: branch(`many-${index}`), old: ZERO_SHA1, new: first }]),
    )
    await expect(Promise.all(updates)).resolves.toHaveLength(30)
  })

  test('refuses other objects, missing objects, and duplicate refs', async () => {
    const blob = (await git(['-C', repository.directory, 'rev-parse', 'main:a'])) as Oid
    for (const target of [blob, 'a'.repeat(40) as Oid]) {
      const update = { ref: branch('bad'), old: ZERO_SHA1, new: target }
      await expect(repository.updateRefs([update])).rejects.toMatchObject({ code: 'object_missing' })
    }
    const twice = { ref: branch('twice'), old: ZERO_SHA1, new: first }
    await expect(repository.updateRefs([twice, twice])).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('reports a lock that is not released', { timeout: 20_000 }, async () => {
    const lock = join(repository.directory, 'refs/heads/locked.lock')
    await writeFile(lock, '')
    const { mtime } = await stat(lock)
    const update = { ref: branch('locked'), old: ZERO_SHA1, new: first }
    await expect(repository.updateRefs([update])).rejects.toMatchObject({ reason: 'locked', ref: branch('locked') })
    expect(await repository.clearStale({ olderThanMs: 60_000, now: mtime })).toBe(0)
    expect(await repository.clearStale({ olderThanMs: 0, now: new Date(mtime.getTime() + 60_000) })).toBe(1)
    await repository.updateRefs([update])
  })

  test("a ref name that resembles git's messages is not misread", async () => {
    const hostile = refName("refs/heads/x';is'at")
    expect(hostile).not.toBeNull()
    await repository.updateRefs([{ ref: hostile!, old: ZERO_SHA1, new: first }])
    const again = { ref: hostile!, old: ZERO_SHA1, new: second }
    await expect(repository.updateRefs([again])).rejects.toMatchObject({ reason: 'exists', ref: hostile })
  })

  test('an unknown failure is not a conflict', () => {
    expect(conflictIn('fatal: disk full', [{ ref: main, old: null, new: first }])).toBeNull()
  })
})
