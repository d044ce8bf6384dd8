import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fastImport, missing, openBranchedHistory } from '../history-testing.ts'
import { branchRef, type Oid, tagRef, ZERO_SHA1 } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, type TestGit } from '../testing.ts'

let own: TestGit
let repository: Repository
let first: Oid, second: Oid, third: Oid, side: Oid, unrelated: Oid
beforeAll(async () => {
  ;({ own, repository, first, second, third, side, unrelated } = await openBranchedHistory())
})
afterAll(() => own[Symbol.asyncDispose]())

let readings = 0

/** The names of current branches or tags that contain a commit. */
async function containing(where: Repository, commit: Oid, kind: 'branch' | 'tag'): Promise<string[]> {
  const { branches, tags } = await where.refs(`reading ${readings++}`)
  const refs = kind === 'branch' ? branches : tags.map(({ name, peeled }) => ({ name, oid: peeled }))
  return where.refsContaining(commit, refs)
}

describe('refs that contain a commit', () => {
  test('are the branches at it and after it', async () => {
    expect(await containing(repository, first, 'branch')).toEqual(['main', 'side'])
    expect(await containing(repository, second, 'branch')).toEqual(['main'])
    expect(await containing(repository, third, 'branch')).toEqual(['main'])
    expect(await containing(repository, side, 'branch')).toEqual(['side'])
    expect(await containing(repository, unrelated, 'branch')).toEqual(['unrelated'])
    expect(await containing(repository, first, 'tag')).toEqual([])
  })

  test('include tags of tags; objects other than commits have no history', async () => {
    const tagger = ada
    const one = await admitting(repository).createTagObject({
      name: 'one',
      target: second,
      targetType: 'commit',
      tagger,
      message: 'm',
    })
    const two = await admitting(repository).createTagObject({
      name: 'two',
      target: one,
      targetType: 'tag',
      tagger,
      message: 'm',
    })
    const blob = (await git(['-C', repository.directory, 'rev-parse', 'main:a'])) as Oid
    const targets = { light: first, one, two, blob, side }
    const updates = Object.entries(targets).map(([name, oid]) => ({ ref: tagRef(name)!, old: ZERO_SHA1, new: oid }))
    await repository.updateRefs(updates)
    expect(await containing(repository, first, 'tag')).toEqual(['light', 'one', 'side', 'two'])
    expect(await containing(repository, second, 'tag')).toEqual(['one', 'two'])
    expect(await containing(repository, third, 'tag')).toEqual([])
  })

  test('include branches that merged it', async () => {
    const args = ['-C', repository.directory, 'commit-tree', '-p', unrelated, '-p', third, '-m', 'm', `${first}^{tree}`]
    const merge = (await git(args)) as Oid
    const ref = branchRef('merged')!
    await repository.updateRefs([{ ref, old: ZERO_SHA1, new: merge }])
    expect(await containing(repository, third, 'branch')).toEqual(['main', 'merged'])
    expect(await containing(repository, unrelated, 'branch')).toEqual(['merged', 'unrelated'])
    await repository.updateRefs([{ ref, old: merge, new: ZERO_SHA1 }])
  })

  test('are found when commit dates are not monotonic', async () => {
    const times = [5_000_000, 1, 4_000_000, 2, 3_000_000, 9_000_000, 3]
    const lines = times.map((at, index) => {
      const from = index > 0 ? `from :${index}\n` : ''
      return `commit refs/heads/skewed\nmark :${index + 1}\ncommitter A <a@x> ${at} +0000\ndata 1\nm\n${from}\n`
    })
    await fastImport(repository, lines.join(''))
    const skewed = (await git(['-C', repository.directory, 'rev-list', 'skewed'])).split('\n') as Oid[]
    for (const oid of skewed) expect(await containing(repository, oid, 'branch')).toEqual(['skewed'])
    const tip = skewed[0]!
    await repository.updateRefs([{ ref: branchRef('skewed')!, old: tip, new: ZERO_SHA1 }])
  })

  test('have exact names; names that are not UTF-8 are left out', async () => {
    const other = await own.newRepository()
    const one = await commitFiles(other, { a: '1' })
    const names = ['\u{1f98a}/ä', 'Z', '\ufffd', 'a%00', "it's", '"']
    await other.updateRefs(names.map((name) => ({ ref: branchRef(name)!, old: ZERO_SHA1, new: one })))
    const input = Buffer.from(`create refs/heads/\xff ${one}\n`, 'latin1')
    await git(['-C', other.directory, 'update-ref', '--stdin'], { input })
    const sorted = ['main', ...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(await containing(other, one, 'branch')).toEqual(sorted)
  })

  test('cost one walk, independent of the number of refs', async () => {
    const other = await own.newRepository()
    const count = 3_000
    const lines = Array.from({ length: count }, (_, index) => {
      const from = index > 0 ? `from :${index}\n` : ''
      return `commit refs/heads/b${index}\nmark :${index + 1}\ncommitter A <a@x> ${index} +0000\ndata 1\nm\n${from}\n`
    })
    await fastImport(other, lines.join(''))
    const root = (await git(['-C', other.directory, 'rev-parse', 'b0'])) as Oid
    const tip = (await git(['-C', other.directory, 'rev-parse', `b${count - 1}`])) as Oid
    expect(await containing(other, root, 'branch')).toHaveLength(count)
    expect(await containing(other, tip, 'branch')).toEqual([`b${count - 1}`])
  })

  test('fail for a missing commit', async () => {
    for (const kind of ['branch', 'tag'] as const) {
      await expect(containing(repository, missing, kind)).rejects.toMatchObject({ code: 'object_missing' })
    }
    const empty = await own.newRepository()
    await expect(containing(empty, missing, 'branch')).rejects.toMatchObject({ code: 'object_missing' })
  })
})
