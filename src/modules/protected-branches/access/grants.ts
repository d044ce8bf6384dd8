import { dayOf } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { levelsOf, role } from '../../access/index.ts'
import { canSee, type ProjectRow, withRole } from '../../projects/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import type { Entry } from '../store/entries.ts'
import { groupsWithAccess, leastRole, pushingKey } from '../store/grantees.ts'
import type { RuleOwner } from '../store/rules.ts'
import type { Principal } from './principal.ts'

/** Facts about a principal that decide which entries match; loaded once for all rules. */
export type GrantFacts = {
  /** Groups in which the principal has a sufficient role, and how each group got access. */
  groups: ReadonlyMap<number, { inProject: boolean; inHierarchy: boolean }>
  /** Whether the principal's deploy key is still valid. */
  hasLiveKey: boolean
}

type RuleOrigin = { isInherited: boolean }

function grants(entry: Entry, rule: RuleOrigin, principal: Principal, { groups, hasLiveKey }: GrantFacts): boolean {
  if (principal.deployKeyId !== undefined) return hasLiveKey && entry.deploy_key_id === principal.deployKeyId
  if (entry.access_level !== null) {
    if (entry.access_level === role.none) return false
    return entry.access_level === role.administrator ? principal.administrator : principal.level >= entry.access_level
  }
  if (entry.user_id !== null) return entry.user_id === principal.userId && principal.level >= role.developer
  const group = entry.group_id === null ? undefined : groups.get(entry.group_id)
  return group !== undefined && (group.inProject || (rule.isInherited && group.inHierarchy))
}

/** Whether an entry of the list grants the principal what the list is for. */
export function isGranted(
  entries: readonly Entry[],
  rule: RuleOrigin,
  principal: Principal,
  facts: GrantFacts,
): boolean {
  return entries.some((entry) => grants(entry, rule, principal, facts))
}

/** The groups of these entries that count for a user: the user has a role in the group, and the group has access (contract 01). */
export async function countingGroups(
  db: Reader,
  owner: RuleOwner,
  entries: readonly Entry[],
  userId: number | null,
  today: string,
): Promise<GrantFacts['groups']> {
  const named = [...new Set(entries.flatMap(({ group_id }) => group_id ?? []))]
  if (named.length === 0 || userId === null) return new Map()
  const levels = await levelsOf(db, { userId, today }, named)
  const joined = named.filter((id) => (levels.get(id) ?? 0) >= leastRole)
  const groups = await groupsWithAccess(db, owner, joined, today)
  return new Map(
    groups.map(({ id, isAbove, isInvited, isBelow }) => [
      id,
      { inProject: isAbove || isInvited, inHierarchy: isBelow },
    ]),
  )
}

/** Whether a deploy key may push, has not expired, and its creator is active and can see the project. */
async function isLiveKey(platform: Platform, project: ProjectRow, keyId: number): Promise<boolean> {
  const { database, clock } = platform
  const db = database.read
  const key = await pushingKey(db, project.id, keyId)
  if (!key || key.owner_id === null) return false
  if (key.expires_at !== null && key.expires_at <= clock.now().toISOString()) return false
  const creator = await userById(db, key.owner_id)
  if (creator?.state !== 'active') return false
  const actor = actingUser(platform, creator)
  return canSee(actor, await withRole(db, project, actor, dayOf(clock.now())))
}

/** Loads the facts that decide which of these entries match, in a constant number of queries. */
export async function grantFacts(
  platform: Platform,
  project: ProjectRow,
  owner: RuleOwner,
  principal: Principal,
  entries: readonly Entry[],
): Promise<GrantFacts> {
  const { database, clock } = platform
  const { userId, deployKeyId } = principal
  if (deployKeyId === undefined) {
    const groups = await countingGroups(database.read, owner, entries, userId, dayOf(clock.now()))
    return { groups, hasLiveKey: false }
  }
  const isNamed = entries.some((entry) => entry.deploy_key_id === deployKeyId)
  return { groups: new Map(), hasLiveKey: isNamed && (await isLiveKey(platform, project, deployKeyId)) }
}
