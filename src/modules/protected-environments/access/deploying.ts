import { dayOf } from '../../../api/index.ts'
import { hasTier } from '../../../config.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import { type ApprovalRule, type Entries, type Entry, entriesOf } from '../rules/store.ts'
import type { ProtectedEnvironmentRow } from '../tables.ts'
import { asTheyCount, countingIn } from './counting.ts'
import { levelsIn, membersOfGroups, type ProtectableEnvironment, protecting } from './store.ts'

/** Someone who deploys or approves. @property administrator whether with administrator rights */
export type Deployer = { userId: number; administrator: boolean }

type ProjectKey = { id: number; namespace_id: number }

/** What a project, or a group above it, protects, with the entries that count now. */
type Protection = { row: ProtectedEnvironmentRow; owner: ProjectOrGroupRef } & Entries

/** Who may deploy to environments of one project, and who approves deployments to them (contract 24, Protection). */
export type DeployAccess = {
  isProtected(environment: ProtectableEnvironment): boolean
  /** True where nothing protects the environment. */
  mayDeploy(environment: ProtectableEnvironment, deployer: Deployer): boolean
  /** The rules of the project and of the groups above it; none: no approvals are needed. */
  approvalRules(environment: ProtectableEnvironment): readonly ApprovalRule[]
  /** Whether one of those who were asked for is whom a rule asks. */
  isApprover(rule: ApprovalRule, person: Deployer): boolean
}

/** Where nothing is protected. */
const open: DeployAccess = {
  isProtected: () => false,
  mayDeploy: () => true,
  approvalRules: () => [],
  isApprover: () => false,
}

const ownerOf = ({ project_id, namespace_id }: ProtectedEnvironmentRow, project: ProjectKey): ProjectOrGroupRef =>
  project_id === null
    ? { kind: 'group', id: namespace_id ?? 0, namespaceId: namespace_id ?? 0 }
    : { kind: 'project', id: project_id, namespaceId: project.namespace_id }

const keyOf = ({ kind, id }: ProjectOrGroupRef) => `${kind} ${id}`

/** What protects these environments, with what counts of it. */
async function protectionsOf(
  db: Reader,
  project: ProjectKey,
  environments: readonly ProtectableEnvironment[],
  today: string,
): Promise<Protection[]> {
  const rows = await protecting(db, project, environments)
  const entries = await entriesOf(
    db,
    rows.map(({ id }) => id),
  )
  const protections: Protection[] = []
  for (const ofOwner of Map.groupBy(rows, (row) => keyOf(ownerOf(row, project))).values()) {
    const [first] = ofOwner
    if (!first) continue
    const owner = ownerOf(first, project)
    const all = ofOwner.map((row) => entries(row.id))
    const grantees = all.flatMap(({ deploy, approval }) => [...deploy, ...approval])
    const counts = await countingIn(db, owner, grantees, today)
    protections.push(...ofOwner.map((row) => ({ row, owner, ...asTheyCount(entries(row.id), counts) })))
  }
  return protections
}

/** Whom an entry names; the key of an owner is that of `keyOf`. */
type Naming = (entry: Entry, owner: string, person: Deployer) => boolean

/** Loads what tells whom entries name, of these people. */
async function namingOf(
  db: Reader,
  protections: readonly Protection[],
  userIds: readonly number[],
  today: string,
): Promise<Naming> {
  const levels = new Map<string, ReadonlyMap<number, number>>()
  for (const { owner } of protections) {
    if (!levels.has(keyOf(owner))) levels.set(keyOf(owner), await levelsIn(db, owner, userIds, today))
  }
  const groups = protections.flatMap(({ deploy, approval }) =>
    [...deploy, ...approval].flatMap(({ group_id }) => group_id ?? []),
  )
  const members = await membersOfGroups(db, [...new Set(groups)], userIds, today)
  const directly = new Map(members.map(({ groupId, userId, isDirect }) => [`${groupId} ${userId}`, isDirect]))
  return ({ access_level: level, user_id, group_id, group_inheritance_type }, owner, { userId, administrator }) => {
    // No one has the level of administrators in a project or group.
    if (level !== null) return administrator || (levels.get(owner)?.get(userId) ?? 0) >= level
    if (user_id !== null) return user_id === userId
    const isDirect = directly.get(`${group_id} ${userId}`)
    return isDirect === true || (isDirect === false && group_inheritance_type === 1)
  }
}

/**
 * Loads who may deploy to environments of a project and who approves deployments to them, in a fixed number of queries for the
 * project and each group above it that protects one of them (contract 24, Protection).
 * @param userIds those of whom will be asked
 */
export async function deployAccess(
  { config, clock }: Pick<Platform, 'config' | 'clock'>,
  db: Reader,
  project: ProjectKey,
  environments: readonly ProtectableEnvironment[],
  userIds: readonly number[],
): Promise<DeployAccess> {
  // Protection is a function of a higher tier.
  if (!hasTier(config.edition, 'premium')) return open
  const today = dayOf(clock.now())
  const protections = await protectionsOf(db, project, environments, today)
  if (protections.length === 0) return open
  const names = await namingOf(db, protections, [...new Set(userIds)], today)
  const ownerOfEntry = new Map(protections.map(({ row, owner }) => [row.id, keyOf(owner)]))
  const isNamed = (entry: Entry, person: Deployer) =>
    names(entry, ownerOfEntry.get(entry.protected_environment_id) ?? '', person)
  const of = ({ name, tier }: ProtectableEnvironment) =>
    protections.filter(({ row, owner }) => row.name === (owner.kind === 'project' ? name : tier))
  return {
    isProtected: (environment) => of(environment).length > 0,
    mayDeploy: (environment, person) =>
      of(environment).every(({ deploy }) => deploy.some((entry) => isNamed(entry, person))),
    approvalRules: (environment) => of(environment).flatMap(({ approval }) => approval),
    isApprover: isNamed,
  }
}
