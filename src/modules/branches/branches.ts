import { type Actor, failure, notFound, type PageRequest, pageOfList, type Unmodified } from '../../api/index.ts'
import {
  type BranchRef,
  branchRef,
  compareByBytes,
  type Divergence,
  RefConflict,
  type RefName,
  type RefSnapshot,
  zeroOid,
} from '../../infra/git/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import {
  changeRefs,
  makeFirstCommit,
  type OpenedRepository,
  openRepository,
  openRepositoryForWriting,
  RefRefused,
  writerOf,
} from '../../platform/repositories/index.ts'
import { moveFailure } from '../commits/index.ts'
import { defaultBranchName, type Project } from '../projects/index.ts'
import {
  branchFacts,
  dropLegacyRule,
  type LegacyRule,
  putLegacyRule,
  ruleChangerOf,
  ruleOwnerOf,
} from '../protected-branches/index.ts'
import { userById } from '../users/index.ts'
import type { BranchFilter, NewBranch } from './params.ts'
import { presentBranch } from './present.ts'
import { filterBranches } from './search.ts'

/** Presents a page of branches; each fact is loaded once for the whole page. */
async function present(
  platform: Platform,
  project: Project,
  actor: Actor,
  { repository, snapshot }: OpenedRepository,
  page: readonly BranchRef[],
) {
  const defaultName = await defaultBranchName(platform, project)
  const base = snapshot.branch(defaultName)?.oid
  const oids = page.map(({ oid }) => oid)
  const names = page.map(({ name }) => name)
  const commits = await repository.commits(oids)
  const merged = base ? await repository.mergedInto(oids, base) : new Set()
  const factsOf = await branchFacts(platform, project, actor, names)
  const url = `${platform.externalUrl}/${project.full_path}`
  return page.flatMap(({ name, oid }) => {
    const commit = commits.get(oid)
    if (!commit) return []
    const isDefault = name === defaultName
    const facts = { merged: !isDefault && oid !== base && merged.has(oid), isDefault, ...factsOf(name) }
    return [presentBranch(name, commit, facts, url)]
  })
}

async function sorted(found: OpenedRepository, branches: readonly BranchRef[], sort: BranchFilter['sort']) {
  if (sort !== 'updated_asc' && sort !== 'updated_desc') return branches
  const commits = await found.repository.commits(branches.map(({ oid }) => oid))
  const dateOf = ({ oid }: BranchRef) => commits.get(oid)?.committer.date ?? ''
  const direction = sort === 'updated_asc' ? 1 : -1
  // The list is sorted by name, and the sort is stable.
  return [...branches].sort((a, b) => direction * compareByBytes(dateOf(a), dateOf(b)))
}

/** @throws ApiError 400 when no branch can have the name */
function refInPath(name: string): RefName {
  const ref = branchRef(name)
  if (!ref) throw failure(400, 'The branch refname is invalid')
  return ref
}

/** @throws ApiError 400 when no branch can have the name, 404 when there is none */
async function requireBranch(platform: Platform, project: Project, name: string): Promise<void> {
  if (!(await branchExists(platform, project, name))) throw notFound('Branch')
}

/** Creates the first commit of an empty repository on its default branch, so that a branch can start from it. */
async function fillEmpty(platform: Platform, project: Project, actor: Actor, found: OpenedRepository) {
  if (found.snapshot.branches.length > 0) return found
  const branch = branchRef(await defaultBranchName(platform, project))
  const user = actor.kind === 'user' ? await userById(platform.database.read, actor.userId) : null
  if (!branch || !user) return found
  await makeFirstCommit(platform, {
    row: found.row,
    branch,
    author: { name: user.name, email: user.email },
    message: 'Add README.md',
    readme: '',
    writer: writerOf(actor),
  }).catch((error) => {
    if (error instanceof RefRefused) throw failure(400, error.message)
    // A concurrent request created it.
    if (!(error instanceof RefConflict)) throw error
  })
  return openRepository(platform, project)
}

/** A page of branches, by name or by the date of the head (contract 1.11). */
export async function listBranches(
  platform: Platform,
  project: Project,
  actor: Actor,
  filter: BranchFilter,
  page: PageRequest,
) {
  const found = await openRepository(platform, project)
  const token = page.kind === 'keyset' ? (page.after?.[0] as string | undefined) : undefined
  const all = token === undefined ? found.snapshot.branches : branchesAfter(found.snapshot, token)
  const filtered = await sorted(found, filterBranches(all, filter), filter.sort)
  const { items, total, hasNext } = pageOfList(filtered, page)
  const last = items.at(-1)
  const next = page.kind === 'keyset' && hasNext && last ? { page_token: last.name } : undefined
  const presented = await present(platform, project, actor, found, items)
  if (!filter.diverging_commit_counts) return { items: presented, total, hasNext, next }
  const countsOf = await divergences(platform, project, found, items)
  const counted = presented.map((branch) => ({ ...branch, diverging_commit_counts: countsOf(branch.commit.id) }))
  return { items: counted, total, hasNext, next }
}

/** What the head of a branch and the default branch do not share; null without a default branch, or too far back. */
async function divergences(
  platform: Platform,
  project: Project,
  { repository, snapshot }: OpenedRepository,
  page: readonly BranchRef[],
) {
  const base = snapshot.branch(await defaultBranchName(platform, project))?.oid
  const oids = page.map(({ oid }) => oid)
  const counts: ReadonlyMap<string, Divergence | null> = base ? await repository.divergencesFrom(base, oids) : new Map()
  return (oid: string) => counts.get(oid) ?? null
}

/** Gets a branch (contract 1.12). @throws ApiError 400, 404 Branch */
export async function getBranch(platform: Platform, project: Project, actor: Actor, name: string) {
  refInPath(name)
  const found = await openRepository(platform, project)
  const branch = found.snapshot.branch(name)
  const [presented] = branch ? await present(platform, project, actor, found, [branch]) : []
  if (!presented) throw notFound('Branch')
  return presented
}

export async function branchExists(platform: Platform, project: Project, name: string): Promise<boolean> {
  refInPath(name)
  return (await openRepository(platform, project)).snapshot.branch(name) !== null
}

/** Creates a branch at a branch, tag, full ref or commit (contract 1.13). @throws ApiError 400 */
export async function createBranch(platform: Platform, project: Project, actor: Actor, { branch, ref }: NewBranch) {
  const created = branchRef(branch)
  if (!created) throw failure(400, 'Branch name is invalid')
  const found = await fillEmpty(platform, project, actor, await openRepositoryForWriting(platform, project))
  if (found.snapshot.branch(branch)) throw failure(400, 'Branch already exists')
  const start = await found.repository.resolveCommit(ref, found.snapshot)
  if (!start) throw failure(400, `Invalid reference name: ${ref}`)
  const change = { ref: created, old: zeroOid(found.row.object_format), new: start }
  await changeRefs(platform, found.row, [change], writerOf(actor)).catch((error) => {
    throw moveFailure(error, failure(400, 'Branch already exists'))
  })
  return getBranch(platform, project, actor, branch)
}

/** Deletes a branch (contract 1.14). @throws ApiError 400, 404, 412 */
export async function deleteBranch(
  platform: Platform,
  project: Project,
  actor: Actor,
  name: string,
  unmodified: Unmodified,
): Promise<void> {
  const ref = refInPath(name)
  const found = await openRepositoryForWriting(platform, project)
  const branch = found.snapshot.branch(name)
  if (!branch) throw notFound('Branch')
  const commit = (await found.repository.commits([branch.oid])).get(branch.oid)
  if (commit) unmodified(commit.author.date)
  const change = { ref, old: branch.oid, new: zeroOid(found.row.object_format) }
  await changeRefs(platform, found.row, [change], writerOf(actor)).catch((error) => {
    if (error instanceof RefRefused) throw failure(400, error.message)
    if (!(error instanceof RefConflict)) throw error
    throw error.reason === 'missing' ? notFound('Branch') : failure(400, 'Failed to remove branch')
  })
}

/** Creates or changes the rule with exactly this branch's name (contract 01, x.branch_protect). */
export async function protectBranch(
  platform: Platform,
  project: Project,
  actor: Actor,
  rule: LegacyRule & { name: string },
  act: Act,
) {
  const { name } = rule
  await requireBranch(platform, project, name)
  await putLegacyRule(platform, ruleOwnerOf(project), ruleChangerOf(actor, 'project', project.role), rule, act)
  return getBranch(platform, project, actor, name)
}

/** Deletes the rule with exactly this branch's name, if there is one (contract 01, x.branch_unprotect). */
export async function unprotectBranch(platform: Platform, project: Project, actor: Actor, name: string, act: Act) {
  await requireBranch(platform, project, name)
  await dropLegacyRule(platform, ruleOwnerOf(project), ruleChangerOf(actor, 'project', project.role), name, act)
  return getBranch(platform, project, actor, name)
}

/** The branches after a name; a branch with that name may have been deleted. */
function branchesAfter(snapshot: RefSnapshot, name: string): readonly BranchRef[] {
  const index = snapshot.branchIndex(name)
  return snapshot.branches.slice(snapshot.branches[index]?.name === name ? index + 1 : index)
}
