import { dayOf } from '../../../api/index.ts'
import { branchName, isZeroOid, type RefChange } from '../../../infra/git/index.ts'
import type { Platform, ProposedChange } from '../../../platform/index.ts'
import type { RefWriter } from '../../../platform/repositories/index.ts'
import { roleInProject } from '../../access/index.ts'
import { type ProjectRow, projectById } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { type BranchAccess, branchAccess } from '../access/branch-access.ts'
import { anonymousPrincipal, type Principal } from '../access/principal.ts'

/** A change of a branch. */
export type BranchChange = RefChange & { name: string; isCreation: boolean; isDeletion: boolean }

/** What the gate rules of branches need to know about a proposed change. */
export type GateContext = {
  project: ProjectRow
  principal: Principal
  branches: readonly BranchChange[]
  access: BranchAccess
}

function branchChanges(changes: readonly RefChange[]): BranchChange[] {
  return changes.flatMap((change) => {
    const name = branchName(change.ref)
    if (name === null) return []
    return [{ ...change, name, isCreation: isZeroOid(change.old), isDeletion: isZeroOid(change.new) }]
  })
}

async function principalMoving(platform: Platform, writer: RefWriter, project: ProjectRow): Promise<Principal> {
  const db = platform.database.read
  const { userId, deployKeyId } = writer
  if (deployKeyId !== undefined) return { userId, level: 0, administrator: false, deployKeyId }
  if (userId === null) return anonymousPrincipal
  const { level } = await roleInProject(db, userId, project, dayOf(platform.clock.now()))
  const administrator = writer.administrator ?? (await userById(db, userId))?.is_admin ?? false
  return { userId, level, administrator }
}

/**
 * Finds the project of a proposed change and who makes it.
 * @returns null for changes to which no rules of a project apply: wikis, first commits, deleted projects
 */
export async function projectAndPrincipal(
  platform: Platform,
  { row, writer }: Pick<ProposedChange, 'row' | 'writer'>,
): Promise<{ project: ProjectRow; principal: Principal } | null> {
  if (row.project_id === null || row.kind !== 'project' || writer.isBeginning) return null
  const project = await projectById(platform.database.read, row.project_id)
  return project && { project, principal: await principalMoving(platform, writer, project) }
}

async function load(platform: Platform, change: ProposedChange): Promise<GateContext | null> {
  const branches = branchChanges(change.changes)
  const found = branches.length === 0 ? null : await projectAndPrincipal(platform, change)
  if (!found) return null
  const names = branches.map(({ name }) => name)
  return { ...found, branches, access: await branchAccess(platform, found.project, found.principal, names) }
}

const contexts = new WeakMap<ProposedChange, Promise<GateContext | null>>()

/** The context of a proposed change, loaded once for all rules. @returns null when no rules of branches apply */
export function gateContext(platform: Platform, change: ProposedChange): Promise<GateContext | null> {
  const context = contexts.get(change) ?? load(platform, change)
  contexts.set(change, context)
  return context
}
