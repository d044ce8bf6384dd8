import {
  branchRef,
  type Oid,
  parseOid,
  type RefSnapshot,
  type Repository,
  refName,
  zeroOid,
} from '../../../infra/git/index.ts'
import type { MergeRequestRow } from '../tables.ts'

/** The commits at which the two branches of a merge request are; null for a branch that does not exist. */
export type Heads = { source: Oid | null; target: Oid | null }

type Branches = Pick<MergeRequestRow, 'source_branch' | 'target_branch'>

/** The heads as of a snapshot. */
export function headsIn(snapshot: RefSnapshot, { source_branch, target_branch }: Branches): Heads {
  return {
    source: snapshot.branch(source_branch)?.oid ?? null,
    target: snapshot.branch(target_branch)?.oid ?? null,
  }
}

/** The current heads, as read from the repository. */
export async function currentHeads(repository: Repository, { source_branch, target_branch }: Branches): Promise<Heads> {
  const tips = await tipsOf(repository, [source_branch, target_branch])
  return { source: tips.get(source_branch) ?? null, target: tips.get(target_branch) ?? null }
}

/** The current commits of branches, as read from the repository; null for one that does not exist. */
export async function tipsOf(repository: Repository, branches: readonly string[]): Promise<Map<string, Oid | null>> {
  const named = [...new Set(branches)].flatMap((name) => {
    const ref = branchRef(name)
    return ref ? [{ name, ref }] : []
  })
  const tips = await repository.tips(named.map(({ ref }) => ref))
  return new Map(named.map(({ name }, index) => [name, tips[index] ?? null]))
}

/** The heads as they are stored with a merge request. */
export function storedHeads({ sha, source_exists, target_sha }: MergeRequestRow): Heads {
  return { source: source_exists ? parseOid(sha) : null, target: target_sha === null ? null : parseOid(target_sha) }
}

const keepAround = 'refs/keep-around/'

/**
 * Points `refs/merge-requests/<iid>/head` at a head, and keeps that commit for the versions that show it after the branch
 * has moved on or was deleted (contract 19, x.mr_create).
 */
export async function keepHead(repository: Repository, iid: number, head: Oid): Promise<void> {
  const refs = [refName(`refs/merge-requests/${iid}/head`), refName(`${keepAround}${head}`)]
  await repository.updateRefs(refs.flatMap((ref) => (ref ? [{ ref, old: null, new: head }] : [])))
}

/** Keeps commits that merge requests show, whatever becomes of the branches that have them. */
export async function keepCommits(repository: Repository, oids: readonly Oid[]): Promise<void> {
  const refs = oids.map((oid) => ({ ref: refName(`${keepAround}${oid}`), oid }))
  await repository.updateRefs(refs.flatMap(({ ref, oid }) => (ref ? [{ ref, old: null, new: oid }] : [])))
}

/** Deletes the refs of a merge request; kept commits may belong to others as well. */
export async function releaseHead(repository: Repository, iid: number, format: 'sha1' | 'sha256'): Promise<void> {
  const refs = ['head', 'merge', 'train'].flatMap((name) => refName(`refs/merge-requests/${iid}/${name}`) ?? [])
  const tips = await repository.tips(refs)
  const present = refs.filter((_, index) => tips[index] !== null)
  await repository.updateRefs(present.map((ref) => ({ ref, old: null, new: zeroOid(format) })))
}
