import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, isZeroOid, type Oid, type RefName } from '../model/names.ts'
import type { Quarantine } from '../model/types.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, openGate, openTestGit, serve, type TestGit } from '../testing.ts'

let own: TestGit
let repository: Repository
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
})
afterAll(() => own[Symbol.asyncDispose]())

const topic = branchRef('topic') as RefName

async function changesOf(commits: readonly Oid[], quarantine?: Quarantine) {
  const found: string[] = []
  for await (const { commit, status, path } of repository.changesOf(commits, { quarantine })) {
    found.push(`${commits.indexOf(commit)} ${status} ${path}`)
  }
  return found
}

describe('the commits of a push', () => {
  test('list their changes against the parent, none for merges', async () => {
    const strange = 'a\tb "c" é\nd'
    const first = await commitFiles(repository, { kept: '1', gone: '1', [strange]: '1' })
    const second = await commitFiles(repository, { kept: '2', gone: null, 'deep/er': '1' })
    const empty = await commitFiles(repository, {})
    const side = await commitFiles(repository, { side: '1' }, { branch: topic, parent: first })
    const treeOid = (await repository.commits([second])).get(second)?.treeOid as Oid
    const merge = await admitting(repository).commitTree({
      ...{ tree: treeOid, parents: [empty, side], author: ada, committer: ada, message: 'Merge' },
    })
    const expected = ['0 added deep/er', '0 deleted gone', '0 modified kept', '3 added side']
    const root = [`4 added ${strange}`, '4 added gone', '4 added kept']
    expect(await changesOf([second, empty, merge, side, first])).toEqual([...expected, ...root])
    expect(await changesOf([])).toEqual([])
    for await (const { oldOid, newOid } of repository.changesOf([first]))
      expect([oldOid, newOid?.length]).toEqual([null, 40])
  })

  test('have object sizes and signatures', async () => {
    const commit = await commitFiles(repository, { large: 'x'.repeat(70_000), small: 'y' })
    const oids: Oid[] = []
    for await (const { newOid } of repository.changesOf([commit])) if (newOid) oids.push(newOid)
    const missing = 'f'.repeat(40) as Oid
    const sizes = await repository.objectSizes([...oids, missing, oids[0] as Oid])
    expect([...sizes]).toEqual([
      [oids[0], 70_000],
      [oids[1], 1],
    ])
    const { treeOid } = (await repository.commits([commit])).get(commit) ?? {}
    const people = 'author A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n'
    const write = async (header: string, message: string) => {
      const args = ['-C', repository.directory, 'hash-object', '-t', 'commit', '-w', '--stdin']
      return (await git(args, { input: `tree ${treeOid}\n${people}${header}\n${message}` })) as Oid
    }
    const signed = await write('gpgsig -----BEGIN X-----\n abc\n -----END X-----\n', 'm')
    const pretending = await write('', 'm\n\ngpgsig -----BEGIN X-----\n')
    expect(await repository.signedCommits([commit, signed, pretending, missing, treeOid as Oid])).toEqual(
      new Set([signed]),
    )
    expect(await repository.signedCommits([])).toEqual(new Set())
  })

  test('are readable in quarantine', async () => {
    const seen: unknown[] = []
    const gate = openGate({
      async preReceive(changes, { quarantine }) {
        const tips = changes.map((change) => change.new).filter((oid) => !isZeroOid(oid))
        const commits = await repository.newCommits(tips, { limit: 10, quarantine })
        const oids: Oid[] = []
        for await (const { newOid } of repository.changesOf(commits, { quarantine })) if (newOid) oids.push(newOid)
        seen.push(await changesOf(commits, quarantine))
        seen.push([...(await repository.objectSizes(oids, { quarantine })).values()])
        seen.push((await repository.signedCommits(commits, { quarantine })).size)
        seen.push((await repository.objectSizes(oids)).size)
        return { accept: true }
      },
    })
    await using server = await serve(repository, gate)
    const folder = await own.newDirectory()
    await git(['init', '--quiet', '--initial-branch=pushed'], { cwd: folder })
    await git(['commit', '--quiet', '--allow-empty', '-m', 'none'], { cwd: folder })
    const blob = await git(['hash-object', '-w', '--stdin'], { cwd: folder, input: 'twelve bytes' })
    await git(['update-index', '--add', '--cacheinfo', `100644,${blob},in/quarantine`], { cwd: folder })
    await git(['commit', '--quiet', '-m', 'file'], { cwd: folder })
    await git(['push', '--quiet', server.url, 'pushed'], { cwd: folder })
    expect(seen).toEqual([['0 added in/quarantine'], [12], 0, 0])
  })

  test('have new small blobs, also of merges, without existing ones', async () => {
    const target = await own.newRepository()
    const seen: string[][] = []
    const gate = openGate({
      async preReceive(_changes, { quarantine }) {
        const found: string[] = []
        await target.quarantinedBlobs({ quarantine, maxBytes: 100 }, async (contents) => {
          found.push(...contents.map(String))
          return true
        })
        seen.push(found.sort())
        return { accept: true }
      },
    })
    await using server = await serve(target, gate)
    const cwd = await own.newDirectory()
    const commit = async (files: Record<string, string>, ...parents: string[]) => {
      const entries: string[] = []
      for (const [name, content] of Object.entries(files)) {
        const blob = await git(['hash-object', '-w', '--stdin'], { cwd, input: content })
        entries.push(`100644 blob ${blob}\t${name}\n`)
      }
      const tree = await git(['mktree'], { cwd, input: entries.join('') })
      return git(['commit-tree', tree, '-m', 'x', ...parents.flatMap((parent) => ['-p', parent])], { cwd })
    }
    const push = (oid: string) => git(['push', '--quiet', server.url, `${oid}:refs/heads/main`], { cwd })
    await git(['init', '--quiet'], { cwd })
    const first = await commit({ known: 'known' })
    await push(first)
    const small = await commit({ small: 'x'.repeat(99), exact: 'y'.repeat(100), known: 'known' }, first)
    const other = await commit({ other: 'other', known: 'known' }, first)
    await push(await commit({ evil: 'by the merge', other: 'other' }, small, other))
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`f${index}`, `file ${index}`]))
    const last = await commit(many, first)
    await git(['push', '--quiet', server.url, `${last}:refs/heads/other`], { cwd })
    await git(['push', '--quiet', server.url, `${last}:refs/heads/same`], { cwd })
    expect(seen.slice(0, 2)).toEqual([['known'], ['by the merge', 'other', 'x'.repeat(99)]])
    expect(seen[2]).toHaveLength(250)
    expect(seen[3]).toEqual([])
  })
})
