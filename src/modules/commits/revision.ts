import { notFound } from '../../api/index.ts'
import { branchName, type Commit, type Oid, parseOid, type RefSnapshot } from '../../infra/git/index.ts'
import type { OpenedRepository } from '../repositories/index.ts'

/** What a revision is looked up in. */
export type RevisionSource = Pick<OpenedRepository, 'repository' | 'snapshot'>

function taggedCommit(snapshot: RefSnapshot, name: string): Oid | null {
  const tag = snapshot.tag(name)
  return tag?.peeledType === 'commit' ? tag.peeled : null
}

/** HEAD is read from the repository: a change of the default branch alone makes no new snapshot. */
async function headCommit({ repository, snapshot }: RevisionSource): Promise<Oid | null> {
  return snapshot.branch(branchName(await repository.head()) ?? '')?.oid ?? null
}

/**
 * The commit that a revision means (contract 22 R9): a full id, then `HEAD`, a tag, a branch, a full ref name, or a short
 * id of at least seven digits. A full id always means itself, so that no ref can stand for another commit than it says.
 * Nothing of git's own grammar of revisions is understood (`main~1`, `@{1}`, `:/text`, ranges).
 * @returns null when it means nothing, or no commit
 */
export async function resolveRevision(source: RevisionSource, revision: string): Promise<Oid | null> {
  const { repository, snapshot } = source
  const oid = parseOid(revision.toLowerCase())
  if (oid && (await repository.commits([oid])).has(oid)) return oid
  if (revision === 'HEAD') return headCommit(source)
  return taggedCommit(snapshot, revision) ?? repository.resolveCommit(revision, snapshot)
}

/**
 * The commit that `:sha` of a path means.
 * @throws ApiError 404 `Commit`
 */
export async function requireCommit(source: RevisionSource, revision: string): Promise<Commit> {
  const oid = await resolveRevision(source, revision)
  const commit = oid ? (await source.repository.commits([oid])).get(oid) : undefined
  if (!commit) throw notFound('Commit')
  return commit
}

/** Where a history begins, and what is left out of it. */
export type Range = { tip: Oid; excluded?: Oid }

const between = '..'

/**
 * What `ref_name` means: a revision, or a range `a..b` of what `b` has and `a` has not; an empty side is `HEAD`.
 * @returns null when a side means nothing; so does `a...b`, for `.b` is no name
 */
export async function resolveRange(source: RevisionSource, text: string): Promise<Range | null> {
  const middle = text.indexOf(between)
  if (middle < 0 || text === between) {
    const tip = await resolveRevision(source, text)
    return tip && { tip }
  }
  const [excluded, tip] = await Promise.all([
    resolveRevision(source, text.slice(0, middle) || 'HEAD'),
    resolveRevision(source, text.slice(middle + between.length) || 'HEAD'),
  ])
  return tip && excluded && { tip, excluded }
}
