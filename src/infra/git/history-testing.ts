/** Histories for the tests of this folder: one with branches, and others made by `fast-import`. */
import { branchRef, type Oid, type RefName } from './model/names.ts'
import type { Repository } from './repository.ts'
import { commitFiles, git, openTestGit } from './testing.ts'

/** The id of nothing that is in a repository. */
export const missing = 'a'.repeat(40) as Oid

/** A repository in a storage of its own: first ← second ← third (main); first ← side; unrelated stands alone. */
export async function openBranchedHistory() {
  const own = await openTestGit()
  const repository = await own.newRepository()
  const [aside, apart] = [branchRef('side') as RefName, branchRef('unrelated') as RefName]
  const first = await commitFiles(repository, { a: '1', 'd/x': '1' })
  const second = await commitFiles(repository, { a: '2', 'd/x': '2' })
  const third = await commitFiles(repository, { a: '3' })
  const side = await commitFiles(repository, { b: '1' }, { branch: aside, parent: first })
  const unrelated = await commitFiles(repository, { c: '1' }, { branch: apart, parent: null })
  return { own, repository, first, second, third, side, unrelated }
}

/** Has `fast-import` carry out commands, which are bytes, written as latin1. */
export async function fastImport({ directory }: Repository, commands: string): Promise<void> {
  const args = ['-C', directory, 'fast-import', '--quiet', '--force', '--done']
  await git(args, { input: Buffer.from(`${commands}done\n`, 'latin1') })
}

/** A root commit made by commands of `fast-import`. Names are bytes, written as latin1. */
export async function importedCommit(repository: Repository, changes: string): Promise<Oid> {
  await fastImport(repository, `commit refs/heads/made\ncommitter A <a@x> 1 +0000\ndata 1\nm\n${changes}\n`)
  return (await git(['-C', repository.directory, 'rev-parse', 'made'])) as Oid
}
