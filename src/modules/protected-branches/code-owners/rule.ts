import { dayOf } from '../../../api/index.ts'
import { GitError, type Oid, type Repository, type TreePath, treePath } from '../../../infra/git/index.ts'
import type { Platform, ProposedChange, RefRule } from '../../../platform/index.ts'
import { levelsOf } from '../../access/index.ts'
import { defaultBranchName, type ProjectRow } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import type { Principal } from '../access/principal.ts'
import { type BranchChange, type GateContext, gateContext } from '../gate/context.ts'
import { groupsByPath, leastRole } from '../store/grantees.ts'
import { createEffort, type Effort, TooMuchEffort } from './effort.ts'
import { type CodeOwner, type OwnedSection, ownershipOf, parseCodeOwners } from './file.ts'

/** The paths of the file; the first that exists is used. */
const paths = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'].map((path) => treePath(path) as TreePath)

/** A larger file is ignored. */
const maximumBytes = 1024 * 1024

/** The maximal number of patterns in the message for the pusher. */
const shownPatterns = 10

/** The maximal number of commits searched for the start of a new branch. */
const maximumCommits = 50_000

/** Reads `CODEOWNERS` at a commit. @returns null when there is none @throws TooMuchEffort */
async function codeOwnersAt(repository: Repository, commit: Oid, effort: Effort) {
  for (const path of paths) {
    const entry = await repository.entryAt(commit, path)
    if (entry?.type !== 'blob') continue
    const file = await repository.readObject(entry.oid, { maxBytes: maximumBytes }).catch((error) => {
      if (error instanceof GitError && error.code === 'too_large') return null
      throw error
    })
    return file && parseCodeOwners(file.content.toString('utf8'), effort)
  }
  return null
}

/** The commit at which a new branch left the known history; null for an unrelated history. */
async function startOf({ repository, quarantine }: ProposedChange, tip: Oid, known: Oid): Promise<Oid | null> {
  const fresh = new Set(await repository.log({ tips: [tip], excluded: [known], limit: maximumCommits }, { quarantine }))
  let commit: Oid | undefined = tip
  while (commit !== undefined && fresh.has(commit)) {
    commit = (await repository.commits([commit], { quarantine })).get(commit)?.parentOids[0]
  }
  return commit ?? null
}

/** The commit whose `CODEOWNERS` applies, and the commit to compare with; null when there is neither. */
async function baseOf(platform: Platform, change: BranchChange, proposed: ProposedChange, project: ProjectRow) {
  if (!change.isCreation) return { target: change.old, from: change.old }
  const snapshot = await proposed.repository.refs(proposed.row.generation)
  const head = snapshot.branch(await defaultBranchName(platform, project))?.oid
  return head ? { target: head, from: await startOf(proposed, change.new, head) } : null
}

/** Returns a test of whether the pusher is one of some owners. */
async function ownershipTest(
  { database, clock }: Platform,
  { userId, deployKeyId }: Principal,
  sections: readonly OwnedSection[],
): Promise<(some: readonly CodeOwner[]) => boolean> {
  const db = database.read
  const user = userId === null || deployKeyId !== undefined ? null : await userById(db, userId)
  if (!user) return () => false
  const every = sections.flatMap(({ patterns }) => patterns.flatMap((pattern) => pattern.owners))
  const names = new Set(every.flatMap((owner) => (owner.kind === 'name' ? owner.name : [])))
  const groups = await groupsByPath(db, [...names])
  const levels = await levelsOf(db, { userId: user.id, today: dayOf(clock.now()) }, [...groups.values()])
  const ownNames = new Set([user.username.toLowerCase()])
  for (const [path, id] of groups) if ((levels.get(id) ?? 0) >= leastRole) ownNames.add(path)
  const emails = new Set([user.email, user.public_email].flatMap((email) => email?.toLowerCase() ?? []))
  return (some) => some.some((owner) => (owner.kind === 'name' ? ownNames.has(owner.name) : emails.has(owner.email)))
}

/** The patterns that assign changed files to owners other than the pusher. */
async function foreignPatterns(
  platform: Platform,
  change: BranchChange,
  proposed: ProposedChange,
  { project, principal }: GateContext,
  effort: Effort,
): Promise<Set<string>> {
  const patterns = new Set<string>()
  const base = await baseOf(platform, change, proposed, project)
  const sections = base && (await codeOwnersAt(proposed.repository, base.target, effort))
  if (!base || !sections || base.from === change.new) return patterns
  const isOwner = await ownershipTest(platform, principal, sections)
  const { repository, quarantine } = proposed
  for await (const { path } of repository.changedPaths(base.from, change.new, { quarantine })) {
    for (const owned of await ownershipOf(sections, path, effort)) {
      if (!owned.section.isOptional && !isOwner(owned.owners)) patterns.add(owned.pattern)
    }
    if (patterns.size >= shownPatterns) break
  }
  return patterns
}

/**
 * Refuses pushes to files that belong to other code owners, where a rule of the branch requires their approval (contract 01,
 * "Code owners"). Merges of merge requests pass, because the owners have approved them.
 */
export const codeOwnersRule: RefRule = async (platform, proposed) => {
  const context = await gateContext(platform, proposed)
  if (!context || proposed.writer.merging) return null
  const patterns = new Set<string>()
  const effort = createEffort()
  try {
    for (const change of context.branches) {
      if (change.isDeletion || !context.access.needsCodeOwners(change.name)) continue
      for (const pattern of await foreignPatterns(platform, change, proposed, context, effort)) patterns.add(pattern)
    }
  } catch (error) {
    if (error instanceof TooMuchEffort) return [error.message]
    throw error
  }
  if (patterns.size === 0) return null
  const shown = [...patterns].slice(0, shownPatterns).join(', ')
  return [
    'Pushes to protected branches that contain changes to files that match patterns defined in `CODEOWNERS` ' +
      `are disabled. Matching patterns: ${shown}`,
  ]
}
