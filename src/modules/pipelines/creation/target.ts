import type { Commit, Oid } from '../../../infra/git/index.ts'
import type { OpenedRepository } from '../../../platform/repositories/index.ts'

/** The commit of a new pipeline, and the branch or tag for which it runs. */
export type PipelineTarget = {
  /** Short name. */
  ref: string
  tag: boolean
  commit: Commit
}

const heads = 'refs/heads/'
const tags = 'refs/tags/'

type Found = { ref: string; tag: boolean; oid: Oid | null }

function find({ snapshot }: OpenedRepository, text: string): Found | 'ambiguous' {
  const branchOf = (ref: string): Found => ({ ref, tag: false, oid: snapshot.branch(ref)?.oid ?? null })
  const tagOf = (ref: string): Found => ({ ref, tag: true, oid: snapshot.tagCommit(ref) })
  if (text.startsWith(heads)) return branchOf(text.slice(heads.length))
  if (text.startsWith(tags)) return tagOf(text.slice(tags.length))
  const hasTag = snapshot.tag(text) !== null
  if (hasTag && snapshot.branch(text)) return 'ambiguous'
  return hasTag ? tagOf(text) : branchOf(text)
}

/**
 * Finds the branch or tag of a short or full ref name, with its commit.
 * @param sha a commit that the ref had; without it the current one
 * @returns the reason when there is none (contract 04, x.pipelines_create)
 */
export async function findTarget(
  opened: OpenedRepository,
  text: string,
  sha?: Oid,
): Promise<PipelineTarget | 'Reference not found' | 'Ref is ambiguous'> {
  const found = find(opened, text)
  if (found === 'ambiguous') return 'Ref is ambiguous'
  const oid = sha ?? found.oid
  const commit = oid && (await opened.repository.commits([oid])).get(oid)
  return commit ? { ref: found.ref, tag: found.tag, commit } : 'Reference not found'
}
