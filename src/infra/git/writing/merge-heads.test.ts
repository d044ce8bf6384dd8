import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Oid, treePath } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, git, openTestGit, type TestGit } from '../testing.ts'

let own: TestGit
let repository: Repository
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
})
afterAll(() => own[Symbol.asyncDispose]())

type Files = Record<string, string | null>

function commitOf(files: Files, parent: Oid | null = null, message = 'm'): Promise<Oid> {
  const changes = Object.entries(files).map(([name, content]) => ({
    path: treePath(name)!,
    content: content === null ? null : Buffer.from(content),
  }))
  return admitting(repository).createCommit({ parent, author: ada, committer: ada, message, changes })
}

async function mergeOf(ours: Oid, theirs: Oid): Promise<Oid> {
  const merged = await admitting(repository).mergeHeads({ ours, theirs })
  if (!('treeOid' in merged)) throw new Error('a conflict')
  const commit = { tree: merged.treeOid, parents: [ours, theirs], author: ada, committer: ada, message: 'merge' }
  return admitting(repository).commitTree(commit)
}

const run = (...parameters: string[]) => git(['-C', repository.directory, ...parameters])
const fileOf = (at: Oid, path: string) => run('cat-file', 'blob', `${at}:${path}`)

describe('a merge of two histories', () => {
  test('of which one contains the other is the newer one', async () => {
    const first = await commitOf({ a: '1\n' })
    const second = await commitOf({ a: '2\n' }, first)
    const tree = (await repository.commits([second])).get(second)?.treeOid
    expect(await admitting(repository).mergeHeads({ ours: first, theirs: second })).toEqual({ treeOid: tree })
    expect(await admitting(repository).mergeHeads({ ours: second, theirs: first })).toEqual({ treeOid: tree })
  })

  test('names the files that conflict; without a common commit there is none to name', async () => {
    const base = await commitOf({ a: '1\n', b: '1\n' })
    const ours = await commitOf({ a: '2\n' }, base)
    const theirs = await commitOf({ a: '3\n', b: '3\n' }, base)
    expect(await admitting(repository).mergeHeads({ ours, theirs })).toEqual({ conflicts: ['a'] })
    const other = await commitOf({ z: '1\n' })
    expect(await admitting(repository).mergeHeads({ ours, theirs: other })).toEqual({ conflicts: [] })
  })

  test('is the one of git where two common ancestors have to be merged first', async () => {
    const base = await commitOf({ a: '1\n2\n3\n4\n5\n6\n7\n8\n9\n' })
    const left = await commitOf({ a: 'left\n2\n3\n4\n5\n6\n7\n8\n9\n' }, base)
    const right = await commitOf({ a: '1\n2\n3\n4\n5\n6\n7\n8\nright\n' }, base)
    const both = 'left\n2\n3\n4\n5\n6\n7\n8\nright\n'
    const ours = await commitOf({ a: both.replace('4', 'ours') }, await mergeOf(left, right))
    const theirs = await commitOf({ a: both.replace('6', 'theirs') }, await mergeOf(right, left))
    expect((await run('merge-base', '--all', ours, theirs)).trim().split('\n')).toHaveLength(2)
    const merged = await mergeOf(ours, theirs)
    expect(await fileOf(merged, 'a')).toBe(both.replace('4', 'ours').replace('6', 'theirs').trim())
  })
})

describe('a replay', () => {
  test('puts commits on another one, and leaves out merges and what is there already', async () => {
    const base = await commitOf({ a: '1\n', b: '1\n' }, null, 'base')
    const onto = await commitOf({ b: '2\n' }, base, 'onto')
    const one = await commitOf({ a: '2\n' }, base, 'one')
    const same = await commitOf({ b: '2\n' }, one, 'already there')
    const merge = await mergeOf(same, onto)
    const empty = await commitOf({}, merge, 'empty')
    const two = await commitOf({ c: '1\n' }, empty, 'two')
    const oids = [...(await repository.log({ tips: [two], excluded: [onto], order: 'topo' }))].reverse()
    const committer = { ...ada, name: 'Committer' }
    const replayed = await admitting(repository).replay({ commits: oids, onto, committer })
    if (!('head' in replayed)) throw new Error('a conflict')
    const log = await run('log', '--format=%s by %an and %cn', `${onto}..${replayed.head}`)
    expect(log.trim().split('\n')).toEqual(
      ['two', 'empty', 'one'].map((title) => `${title} by ${ada.name} and Committer`),
    )
    expect(await run('diff', '--name-only', two, replayed.head)).toBe('')
    expect(await run('rev-list', '--merges', `${onto}..${replayed.head}`)).toBe('')
  })

  test('without commits ends at the start, and names the commit that conflicts', async () => {
    const base = await commitOf({ a: '1\n' })
    const onto = await commitOf({ a: '2\n' }, base)
    const [fine, bad] = [await commitOf({ b: '1\n' }, base), await commitOf({ a: '3\n' }, base)]
    const replay = (commits: Oid[]) => admitting(repository).replay({ commits, onto, committer: ada })
    expect(await replay([])).toEqual({ head: onto })
    expect(await replay([fine, bad])).toEqual({ conflicting: bad })
  })
})

test('a patch is the one of git, and files are counted with renames as one', async () => {
  const text = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('')
  const before = await commitOf({ moved: text, gone: '1\n', ':100644 100644 0 0 M': 'x\n' })
  const after = await commitOf({ moved: null, 'to/moved': `${text}more\n`, gone: null, made: 'other\n' }, before)
  let patch = ''
  for await (const chunk of await repository.patchText(before, after)) patch += String(chunk)
  expect(patch.trim()).toBe((await run('diff', before, after)).trim())
  expect(await repository.countFiles(before, after, 100)).toBe(3)
  expect(await repository.countFiles(before, after, 2)).toBe(2)
  expect(await repository.countFiles(null, before, 100)).toBe(3)
  expect(await repository.countFiles(after, after, 100)).toBe(0)
})
