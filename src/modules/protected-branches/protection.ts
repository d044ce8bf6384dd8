import { type Actor, dayOf, isAdministrator } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import { bound, type Platform } from '../../platform/index.ts'
import { inheritedLevels, namespaceRoles } from '../access/index.ts'
import { canSee, may, type Project, type ProjectRow, withRole } from '../projects/index.ts'
import { userById } from '../users/index.ts'
import { type BranchFacts, type BranchRule, type Circumstances, type Claimant, type Judge, judgeBy } from './judging.ts'
import { type Entry, entriesOf } from './store/entries.ts'
import { groupsWithAccess, leastRole, pushingKey, type RulePlace, rulesFor } from './store/rules.ts'
import type { ProtectedBranchRow } from './tables.ts'

export const placeOf = (project: Pick<ProjectRow, 'id' | 'namespace_id'>): RulePlace & { kind: 'project' } => ({
  kind: 'project',
  id: project.id,
  namespaceId: project.namespace_id,
})

/** Whoever calls the API, as one who wants to do something with a branch. */
export function claimantOf(actor: Actor, project: Project): Claimant {
  const userId = actor.kind === 'user' ? actor.userId : null
  return { userId, level: project.role.level, administrator: isAdministrator(actor) }
}

/** Which groups named by these entries count for a user: a role in the group, and the group's access (contract 01). */
export async function countingGroups(
  db: Reader,
  place: RulePlace,
  entries: readonly Entry[],
  userId: number | null,
  today: string,
): Promise<Circumstances['groups']> {
  const named = [...new Set(entries.flatMap(({ group_id }) => (group_id === null ? [] : [group_id])))]
  if (named.length === 0 || userId === null) return new Map()
  const levels = await inheritedLevels(db, await namespaceRoles(db, userId, today), named)
  const mine = named.filter((id) => (levels.get(id) ?? 0) >= leastRole)
  const groups = await groupsWithAccess(db, place, mine, today)
  return new Map(
    groups.map(({ id, isAbove, isInvited, isBelow }) => [
      id,
      { inProject: isAbove || isInvited, inHierarchy: isBelow },
    ]),
  )
}

const asRule = (row: ProtectedBranchRow, push: readonly Entry[], merge: readonly Entry[]): BranchRule => ({
  id: row.id,
  name: row.name,
  isInherited: row.project_id === null,
  allowsForcePush: row.allow_force_push,
  needsCodeOwners: row.code_owner_approval_required,
  push,
  merge,
})

const today = ({ clock }: Platform) => dayOf(clock.now())

/** A deploy key counts while it may push, has not expired, and whoever made it is active and sees the project. */
export async function isLiveKey(platform: Platform, project: ProjectRow, keyId: number): Promise<boolean> {
  const db = platform.database.read
  const key = await pushingKey(db, project.id, keyId)
  if (!key || key.owner_id === null) return false
  if (key.expires_at !== null && key.expires_at <= platform.clock.now().toISOString()) return false
  const owner = await userById(db, key.owner_id)
  if (owner?.state !== 'active') return false
  const actor: Actor = {
    kind: 'user',
    userId: owner.id,
    username: owner.username,
    administrator: owner.is_admin,
    external: owner.external,
    bot: owner.bot_kind !== null,
    credential: { kind: 'password', id: null, scopes: new Set() },
  }
  return canSee(actor, await withRole(db, project, actor, today(platform)))
}

/**
 * Loads the rules that may match these branches (all of the project's and of its top-level group's without names), and
 * what decides about the claimant: a constant number of queries, whatever there is of either.
 */
export async function judge(
  platform: Platform,
  project: ProjectRow,
  who: Claimant,
  branches?: readonly string[],
): Promise<Judge> {
  const db = platform.database.read
  const place = placeOf(project)
  const rows = await rulesFor(db, place, branches)
  const lists = await entriesOf(
    db,
    ['push', 'merge'],
    rows.map(({ id }) => id),
  )
  const rules = rows.map((row) => asRule(row, lists.get(row.id)?.push ?? [], lists.get(row.id)?.merge ?? []))
  const entries = rules.flatMap(({ push, merge }) => [...push, ...merge])
  const { userId, deployKeyId } = who
  const isNamed = deployKeyId !== undefined && entries.some((entry) => entry.deploy_key_id === deployKeyId)
  return judgeBy(rules, who, {
    groups: deployKeyId === undefined ? await countingGroups(db, place, entries, userId, today(platform)) : new Map(),
    hasLiveKey: isNamed && (await isLiveKey(platform, project, deployKeyId)),
  })
}

/**
 * What the API shows of branches, for one caller.
 * @param branches names that will be asked for; any branch may be asked for without them
 */
export async function branchFacts(
  platform: Platform,
  project: Project,
  actor: Actor,
  branches?: readonly string[],
): Promise<(branch: string) => BranchFacts> {
  const { facts } = await judge(platform, project, claimantOf(actor, project), branches)
  if (may(actor, project, 'push_code')) return facts
  return (branch) => ({ ...facts(branch), canPush: false })
}

/** Whether the actor may push to a branch, existing or not: the role in the repository, and the rules. */
export async function mayPush(platform: Platform, project: Project, actor: Actor, branch: string): Promise<boolean> {
  if (!may(actor, project, 'push_code')) return false
  return (await judge(platform, project, claimantOf(actor, project), [branch])).mayPush(branch)
}

/** Whether the actor may merge a merge request into a branch: by the merge list or the push list. */
export async function mayMerge(platform: Platform, project: Project, actor: Actor, branch: string): Promise<boolean> {
  if (!may(actor, project, 'push_code')) return false
  return (await judge(platform, project, claimantOf(actor, project), [branch])).mayMerge(branch)
}

/** Whether some rule of the project or of its group matches a branch. */
export async function isProtected(platform: Platform, project: ProjectRow, branch: string): Promise<boolean> {
  const nobody = { userId: null, level: 0, administrator: false }
  return (await judge(platform, project, nobody, [branch])).isProtected(branch)
}

/** For callers of the old shape; goes with the last of them. */
export const createProtection = (platform: Platform) =>
  bound(platform, { judge, isLiveKey, facts: branchFacts, mayPush, mayMerge, isProtected })
export type Protection = ReturnType<typeof createProtection>
