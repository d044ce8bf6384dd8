import { notFound } from '../../../api/index.ts'
import { branchName, branchRef, type Oid, type Repository } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  type OpenedRepository,
  openRow,
  type RepositoryRow,
  refsAt,
  repositoryOfSnippet,
} from '../../../platform/repositories/index.ts'
import { defaultBranchName } from '../../projects/index.ts'

/** A snippet's repository, its branch, and the head of that branch; null while it has no commit. */
export type OpenedSnippet = { opened: OpenedRepository; branch: string; head: Oid | null }

/** The most files that a snippet has. */
export const maximumFiles = 10

/** No snippet that the gate has accepted has more entries, directories included. */
const maximumEntries = 50_000

/** The row of a snippet's repository. The repository is created on disk when it is new. */
async function madeRow(platform: Platform, id: number): Promise<RepositoryRow> {
  const row = await repositoryOfSnippet(platform.database.read, id)
  if (!row) throw notFound('Snippet')
  if (row.generation > 0) return row
  const head = branchRef(await defaultBranchName(platform, { default_branch: null }))
  await openRow(platform, row, head ?? undefined)
  return { ...row, generation: 1 }
}

/** Opens the repository of a snippet. @throws ApiError 404 `Snippet` when it has none */
export async function openSnippet(platform: Platform, { id }: { id: number }): Promise<OpenedSnippet> {
  const row = await madeRow(platform, id)
  const repository = await openRow(platform, row)
  const snapshot = await refsAt(platform, row, repository)
  const branch = branchName(await repository.head()) ?? 'main'
  return { opened: { row, repository, snapshot }, branch, head: snapshot.branch(branch)?.oid ?? null }
}

/** The paths of the files of a commit, in byte order, with their blobs; submodules are left out. */
export async function filesAt(
  repository: Pick<Repository, 'commits' | 'walkTree'>,
  commit: Oid | null,
): Promise<{ path: string; oid: Oid }[]> {
  const tree = commit && (await repository.commits([commit])).get(commit)?.treeOid
  const files: { path: string; oid: Oid }[] = []
  let entries = 0
  if (!tree) return files
  // Git's order of the entries is the byte order of the paths.
  for await (const { type, path, oid } of repository.walkTree(tree, '')) {
    entries += 1
    if (type === 'blob') files.push({ path, oid })
    if (files.length >= maximumFiles || entries >= maximumEntries) break
  }
  return files
}
