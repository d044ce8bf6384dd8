import { notFound } from '../../../api/index.ts'
import { branchRef, type Oid, tagRef } from '../../../infra/git/index.ts'
import type { OpenedRepository } from '../../../platform/repositories/index.ts'

/** The branch or tag of a status. */
export type StatusRef = { name: string; tag: boolean }

const prefixes = [
  { prefix: 'refs/heads/', tag: false },
  { prefix: 'refs/tags/', tag: true },
] as const

const withoutReferences = () => notFound('References for commit')

/**
 * Parses a short or full ref name. A short name is a tag when such a tag exists and no such branch does. The ref need not
 * exist: the branch may have been merged and deleted before the report.
 * @throws ApiError 404 `References for commit` for an invalid name
 */
export function namedRef({ snapshot }: Pick<OpenedRepository, 'snapshot'>, text: string): StatusRef {
  const full = prefixes.find(({ prefix }) => text.startsWith(prefix))
  const name = full ? text.slice(full.prefix.length) : text
  const tag = full?.tag ?? (snapshot.tag(name) !== null && snapshot.branch(name) === null)
  if ((tag ? tagRef(name) : branchRef(name)) === null) throw withoutReferences()
  return { name, tag }
}

/** The first branch, by name, that contains a commit. @throws ApiError 404 `References for commit` */
export async function firstBranchWith({ repository, snapshot }: OpenedRepository, oid: Oid) {
  const [name] = await repository.refsContaining(oid, snapshot.branches)
  if (name === undefined) throw withoutReferences()
  return { name, tag: false }
}
