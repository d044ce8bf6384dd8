import { notFound } from '../../api/index.ts'
import { branchRef, type Oid, tagRef } from '../../infra/git/index.ts'
import type { OpenedRepository } from '../repositories/index.ts'

/** The branch or tag that a status is about. */
export type StatusRef = { name: string; tag: boolean }

const prefixes = [
  { prefix: 'refs/heads/', tag: false },
  { prefix: 'refs/tags/', tag: true },
] as const

const withoutReferences = () => notFound('References for commit')

/**
 * The ref that a caller names, in short or in full; a tag where there is one of that name and no branch. It need not be
 * there any more: systems tell of branches that were merged meanwhile.
 * @throws ApiError 404 `References for commit` when no ref can have this name
 */
export function namedRef({ snapshot }: Pick<OpenedRepository, 'snapshot'>, text: string): StatusRef {
  const full = prefixes.find(({ prefix }) => text.startsWith(prefix))
  const name = full ? text.slice(full.prefix.length) : text
  const tag = full?.tag ?? (snapshot.tag(name) !== null && snapshot.branch(name) === null)
  if ((tag ? tagRef(name) : branchRef(name)) === null) throw withoutReferences()
  return { name, tag }
}

/**
 * The first branch, by name, whose history has a commit.
 * @throws ApiError 404 `References for commit`
 */
export async function firstBranchWith({ repository }: Pick<OpenedRepository, 'repository'>, oid: Oid) {
  const [name] = await repository.refsContaining(oid, 'branch')
  if (name === undefined) throw withoutReferences()
  return { name, tag: false }
}
