import { branchName, type Commit, type Oid, refName, tagName } from '../../../infra/git/index.ts'
import type { OpenedRepository } from '../../../platform/repositories/index.ts'
import type { PipelineRequest } from './requests.ts'

/** The commit of a new pipeline, and the branch or tag for which it runs. */
export type PipelineTarget = {
  /** Short name; for a merge request `refs/merge-requests/<iid>/head`, on a merge train `…/train`. */
  ref: string
  tag: boolean
  commit: Commit
}

type Found = { ref: string; tag: boolean; oid: Oid | null }

function find({ snapshot }: OpenedRepository, text: string): Found | 'ambiguous' {
  const branchOf = (ref: string): Found => ({ ref, tag: false, oid: snapshot.branch(ref)?.oid ?? null })
  const tagOf = (ref: string): Found => ({ ref, tag: true, oid: snapshot.tagCommit(ref) })
  const full = refName(text)
  const [branch, tag] = full ? [branchName(full), tagName(full)] : [null, null]
  if (branch !== null) return branchOf(branch)
  if (tag !== null) return tagOf(tag)
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

/** The commit of a merge request that is tested, with the ref of its pipelines. @returns the reason when it is gone */
export async function requestTarget(
  { repository }: OpenedRepository,
  ref: string,
  { sha }: PipelineRequest,
): Promise<PipelineTarget | 'Reference not found'> {
  const commit = (await repository.commits([sha])).get(sha)
  return commit ? { ref, tag: false, commit } : 'Reference not found'
}
