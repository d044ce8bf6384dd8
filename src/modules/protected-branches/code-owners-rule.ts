import { dayOf } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { GitError, type Oid, type Repository, type TreePath, treePath } from '../../infra/git/index.ts'
import { inheritedLevels, namespaceRoles } from '../access/index.ts'
import type { ProposedChange, RefRule } from '../repositories/index.ts'
import { userById } from '../users/index.ts'
import { type CodeOwner, type CodeOwners, readCodeOwners } from './code-owners.ts'
import { createEffort, type Effort, TooMuchEffort } from './code-owners-effort.ts'
import type { BranchChange, GateContext, GateContexts } from './gate-context.ts'
import { groupsByPath, leastRole } from './store/rules.ts'

export type CodeOwnersRuleNeeds = {
  database: Database
  clock: Clock
  contextOf: GateContexts
  /** The name of the default branch where a project names none. */
  defaultBranchName(): Promise<string>
}

/** Where the file may be; the first that is there counts. */
const places = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'].map((path) => treePath(path) as TreePath)

/** A larger file is taken for none. */
const maximumBytes = 1024 * 1024

/** As many patterns as a pusher is told of. */
const toldPatterns = 10

/** As many commits as are looked through for where a new branch began. */
const maximumCommits = 50_000

/** What `CODEOWNERS` of a commit says; null where there is none. @throws TooMuchEffort */
export async function codeOwnersAt(repository: Repository, commit: Oid, effort: Effort): Promise<CodeOwners | null> {
  for (const path of places) {
    const entry = await repository.entryAt(commit, path)
    if (entry?.type !== 'blob') continue
    const file = await repository.readObject(entry.oid, { maxBytes: maximumBytes }).catch((error) => {
      if (error instanceof GitError && error.code === 'too_large') return null
      throw error
    })
    return file && readCodeOwners(file.content.toString('utf8'), effort)
  }
  return null
}

/** Where a branch that a push makes left what is known already; null for a history of its own. */
async function beginningOf({ repository, quarantine }: ProposedChange, tip: Oid, known: Oid): Promise<Oid | null> {
  const fresh = new Set(await repository.log({ tips: [tip], excluded: [known], limit: maximumCommits }, { quarantine }))
  let commit: Oid | undefined = tip
  while (commit !== undefined && fresh.has(commit)) {
    commit = (await repository.commits([commit], { quarantine })).get(commit)?.parentOids[0]
  }
  return commit ?? null
}

/**
 * Keeps files that belong to others as they are, where a rule of the branch says so (contract 01, "Code owners"). A merge
 * request that is merged has been approved by them.
 */
export function codeOwnersRule({ database, clock, contextOf, defaultBranchName }: CodeOwnersRuleNeeds): RefRule {
  const db = database.read

  /** From where on, and by which file, the commits of a change are looked at; null when there is nothing to go by. */
  async function basisOf(change: BranchChange, proposed: ProposedChange, { project }: GateContext) {
    if (!change.isCreation) return { target: change.old, from: change.old }
    const snapshot = await proposed.repository.refs(proposed.row.generation)
    const head = snapshot.branch(project.default_branch ?? (await defaultBranchName()))?.oid
    return head ? { target: head, from: await beginningOf(proposed, change.new, head) } : null
  }

  /** Whether the pusher is one of some owners; looks up what the file may ask only once. */
  async function ownership({ who }: GateContext, owners: CodeOwners): Promise<(some: readonly CodeOwner[]) => boolean> {
    const user = who.userId === null || who.deployKeyId !== undefined ? null : await userById(db, who.userId)
    if (!user) return () => false
    const every = owners.sections.flatMap(({ patterns }) => patterns.flatMap((pattern) => pattern.owners))
    const names = new Set(every.flatMap((owner) => (owner.kind === 'name' ? owner.name : [])))
    const groups = await groupsByPath(db, [...names])
    const roles = await namespaceRoles(db, user.id, dayOf(clock.now()))
    const levels = await inheritedLevels(db, roles, [...groups.values()])
    const mine = new Set([user.username.toLowerCase()])
    for (const [path, id] of groups) if ((levels.get(id) ?? 0) >= leastRole) mine.add(path)
    const emails = new Set([user.email, user.public_email].flatMap((email) => email?.toLowerCase() ?? []))
    return (some) => some.some((owner) => (owner.kind === 'name' ? mine.has(owner.name) : emails.has(owner.email)))
  }

  /** The patterns of files that are changed here and belong to others. */
  async function foreignPatterns(
    change: BranchChange,
    proposed: ProposedChange,
    context: GateContext,
    effort: Effort,
  ): Promise<Set<string>> {
    const patterns = new Set<string>()
    const basis = await basisOf(change, proposed, context)
    const owners = basis && (await codeOwnersAt(proposed.repository, basis.target, effort))
    if (!basis || !owners || basis.from === change.new) return patterns
    const isOwner = await ownership(context, owners)
    const { repository, quarantine } = proposed
    for await (const { path } of repository.changedPaths(basis.from, change.new, { quarantine })) {
      for (const owned of await owners.inTurns(path, effort)) {
        if (!owned.section.isOptional && !isOwner(owned.owners)) patterns.add(owned.pattern)
      }
      if (patterns.size >= toldPatterns) break
    }
    return patterns
  }

  return async (proposed) => {
    const context = await contextOf(proposed)
    if (!context || proposed.mover.isMerging) return null
    const patterns = new Set<string>()
    const effort = createEffort()
    try {
      for (const change of context.branches) {
        if (change.isDeletion || !context.judge.needsCodeOwners(change.name)) continue
        for (const pattern of await foreignPatterns(change, proposed, context, effort)) patterns.add(pattern)
      }
    } catch (error) {
      if (error instanceof TooMuchEffort) return [error.message]
      throw error
    }
    if (patterns.size === 0) return null
    const told = [...patterns].slice(0, toldPatterns).join(', ')
    return [
      'Pushes to protected branches that contain changes to files that match patterns defined in `CODEOWNERS` ' +
        `are disabled. Matching patterns: ${told}`,
    ]
  }
}
