import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fastImport, missing } from '../history-testing.ts'
import type { Oid } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, git, openTestGit, type TestGit } from '../testing.ts'

let own: TestGit
let repository: Repository
/** first ← second ← third (main). */
let first: Oid, third: Oid
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  first = await commitFiles(repository, { a: '1' })
  await commitFiles(repository, { a: '2' })
  third = await commitFiles(repository, { a: '3' })
})
afterAll(() => own[Symbol.asyncDispose]())

/** A history with one commit of each author; bytes, written as latin1. */
async function writtenBy(target: Repository, authors: readonly string[]): Promise<Oid> {
  const lines = authors.map((author, index) => {
    const from = index > 0 ? `from :${index}\n` : ''
    const people = `author ${author} 1 +0000\ncommitter C <c@x> 1 +0000\n`
    return `commit refs/heads/made\nmark :${index + 1}\n${people}data 1\nm\n${from}\n`
  })
  await fastImport(target, lines.join(''))
  return (await git(['-C', target.directory, 'rev-parse', 'made'])) as Oid
}

describe('contributors', () => {
  test('are counted by name and e-mail as written in the commits', async () => {
    const authors = [
      'A <a@x>',
      'A <a@x>',
      'a <a@x>',
      'A <A@x>',
      'A B <c d@x>',
      ' <nameless@x>',
      'N <>',
      '\xffz <z\xff@x>',
      'T\tab\r <t@x>',
    ]
    const made = await writtenBy(repository, authors)
    const people = await repository.contributors(made)
    const counted = new Map(people.map(({ name, email, commits }) => [`${name}|${email}`, commits]))
    expect(counted.get('A|a@x')).toBe(2)
    expect(counted.get('a|a@x')).toBe(1)
    expect(counted.get('A|A@x')).toBe(1)
    expect(counted.get('A B|c d@x')).toBe(1)
    expect(counted.get('|nameless@x')).toBe(1)
    expect(counted.get('N|')).toBe(1)
    expect(counted.get('\ufffdz|z\ufffd@x')).toBe(1)
    expect([...counted.values()].reduce((sum, count) => sum + count)).toBe(authors.length)
  })

  test('ignore a pushed .mailmap', async () => {
    const other = await own.newRepository()
    const made = await commitFiles(other, { '.mailmap': 'Mallory <mallory@x> <ada@example.com>\n' })
    expect(await other.contributors(made)).toEqual([{ name: 'Ada', email: 'ada@example.com', commits: 1 }])
  })

  test('include only the history of the commit; a missing commit is an error', async () => {
    expect(await repository.contributors(third)).toEqual([{ name: 'Ada', email: 'ada@example.com', commits: 3 }])
    await expect(repository.contributors(missing)).rejects.toMatchObject({ code: 'object_missing' })
  })

  test('malformed commits are skipped', async () => {
    const tree = await git(['-C', repository.directory, 'mktree'], { input: '' })
    const content = `tree ${tree}\nparent ${first}\nauthor nobody\ncommitter C <c@x> 1 +0000\n\nm\n`
    const args = ['-C', repository.directory, 'hash-object', '-t', 'commit', '--literally', '-w', '--stdin']
    const broken = (await git(args, { input: content })) as Oid
    const people = await repository.contributors(broken)
    expect(people).toContainEqual({ name: 'Ada', email: 'ada@example.com', commits: 1 })
  })
})
