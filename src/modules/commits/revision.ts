import { notFound } from '../../api/index.ts'
import { branchName, type Commit, type Oid, parseOid } from '../../infra/git/index.ts'
import type { OpenedRepository } from '../../platform/repositories/index.ts'

/** A repository and its refs, in which revisions are looked up. */
type RevisionSource = Pick<OpenedRepository, 'repository' | 'snapshot'>

/** HEAD is read from the repository: a change of the default branch does not renew the snapshot. */
async function headCommit({ repository, snapshot }: RevisionSource): Promise<Oid | null> {
  return snapshot.branch(branchName(await repository.head()) ?? '')?.oid ?? null
}

/**
 * Resolves a revision to a commit (contract 22 R9): a full id, then `HEAD`, a tag, a branch, a full ref name, or a short
 * id of at least seven digits. A full id comes first, so that no ref can take the place of a commit.
 * Git's revision syntax (`main~1`, `@{1}`, `:/text`, ranges) is not supported.
 * @returns null for an unknown revision, or one that is not a commit
 */
export async function resolveRevision(source: RevisionSource, revision: string): Promise<Oid | null> {
  const { repository, snapshot } = source
  const oid = parseOid(revision.toLowerCase())
  if (oid && (await repository.commits([oid])).has(oid)) return oid
  if (revision === 'HEAD') return headCommit(source)
  return snapshot.tagCommit(revision) ?? repository.resolveCommit(revision, snapshot)
}

/** Reads the commit of a revision; null for an unknown one. */
export async function findCommit(source: RevisionSource, revision: string): Promise<Commit | null> {
  const oid = await resolveRevision(source, revision)
  return (oid && (await source.repository.commits([oid])).get(oid)) ?? null
}

/** Resolves `:sha` of a path to a commit. @throws ApiError 404 `Commit` */
export async function requireCommit(source: RevisionSource, revision: string): Promise<Commit> {
  const commit = await findCommit(source, revision)
  if (!commit) throw notFound('Commit')
  return commit
}

const between = '..'

/**
 * Resolves `ref_name`: a revision, or a range `a..b` of the commits that `b` has and `a` has not; an empty side is `HEAD`.
 * @returns null for an unknown side, also for `a...b`, since `.b` is not a valid name
 */
export async function resolveRange(source: RevisionSource, text: string) {
  const middle = text.indexOf(between)
  if (middle < 0 || text === between) {
    const tip = await resolveRevision(source, text)
    return tip && { tips: [tip] }
  }
  const [excluded, tip] = await Promise.all([
    resolveRevision(source, text.slice(0, middle) || 'HEAD'),
    resolveRevision(source, text.slice(middle + between.length) || 'HEAD'),
  ])
  return tip && excluded && { tips: [tip], excluded: [excluded] }
}
