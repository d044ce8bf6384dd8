import { type Actor, dayOf, isAdministrator } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database, Reader } from '../../infra/database/index.ts'
import { inheritedLevels, namespaceRoles } from '../members/index.ts'
import { canSee, may, type Project, type ProjectRow, withRole } from '../projects/index.ts'
import { userById } from '../users/index.ts'
import { type BranchFacts, type BranchRule, type Circumstances, type Claimant, type Judge, judgeBy } from './judging.ts'
import { type Entry, entriesOf } from './store/entries.ts'
import { groupsWithAccess, leastRole, pushingKey, type RulePlace, rulesFor } from './store/rules.ts'
import type { ProtectedBranchRow } from './tables.ts'

export type ProtectionNeeds = { database: Database; clock: Clock }

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

/** Answers who may do what with the branches of projects; used by every operation that moves refs, and by the gate. */
export function createProtection({ database, clock }: ProtectionNeeds) {
  const db = database.read
  const today = () => dayOf(clock.now())

  /** A deploy key counts while it may push, has not expired, and whoever made it is active and sees the project. */
  async function isLiveKey(project: ProjectRow, keyId: number): Promise<boolean> {
    const key = await pushingKey(db, project.id, keyId)
    if (!key || key.owner_id === null) return false
    if (key.expires_at !== null && key.expires_at <= clock.now().toISOString()) return false
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
    return canSee(actor, await withRole(db, project, actor, today()))
  }

  /**
   * Loads the rules that may match these branches (all of the project's and of its top-level group's without names), and
   * what decides about the claimant: a constant number of queries, whatever there is of either.
   */
  async function judge(project: ProjectRow, who: Claimant, branches?: readonly string[]): Promise<Judge> {
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
      groups: deployKeyId === undefined ? await countingGroups(db, place, entries, userId, today()) : new Map(),
      hasLiveKey: isNamed && (await isLiveKey(project, deployKeyId)),
    })
  }

  return {
    judge,
    isLiveKey,

    /**
     * What the API shows of branches, for one caller.
     * @param branches names that will be asked for; any branch may be asked for without them
     */
    async facts(
      project: Project,
      actor: Actor,
      branches?: readonly string[],
    ): Promise<(branch: string) => BranchFacts> {
      const { facts } = await judge(project, claimantOf(actor, project), branches)
      if (may(actor, project, 'push_code')) return facts
      return (branch) => ({ ...facts(branch), canPush: false })
    },

    /** Whether the actor may push to a branch, existing or not: the role in the repository, and the rules. */
    async mayPush(project: Project, actor: Actor, branch: string): Promise<boolean> {
      if (!may(actor, project, 'push_code')) return false
      return (await judge(project, claimantOf(actor, project), [branch])).mayPush(branch)
    },

    /** Whether the actor may merge a merge request into a branch: by the merge list or the push list. */
    async mayMerge(project: Project, actor: Actor, branch: string): Promise<boolean> {
      if (!may(actor, project, 'push_code')) return false
      return (await judge(project, claimantOf(actor, project), [branch])).mayMerge(branch)
    },

    /** Whether some rule of the project or of its group matches a branch. */
    async isProtected(project: ProjectRow, branch: string): Promise<boolean> {
      const nobody = { userId: null, level: 0, administrator: false }
      return (await judge(project, nobody, [branch])).isProtected(branch)
    },
  }
}

export type Protection = ReturnType<typeof createProtection>
