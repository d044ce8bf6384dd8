import { dayOf } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { branchName, isZeroOid, type RefChange } from '../../infra/git/index.ts'
import { roleInProject } from '../access/index.ts'
import { type ProjectRow, projectById } from '../projects/index.ts'
import type { ProposedChange, RefMover } from '../repositories/index.ts'
import { userById } from '../users/index.ts'
import type { Claimant, Judge } from './judging.ts'
import type { Protection } from './protection.ts'

/** A change of a branch, with what it comes to. */
export type BranchChange = RefChange & { name: string; isCreation: boolean; isDeletion: boolean }

/** What the rules of the gate need to know of a change: loaded once, whichever of them asks first. */
export type GateContext = { project: ProjectRow; who: Claimant; branches: readonly BranchChange[]; judge: Judge }

export type GateContextNeeds = { database: Database; clock: Clock; protection: Protection }

function branchChanges(changes: readonly RefChange[]): BranchChange[] {
  return changes.flatMap((change) => {
    const name = branchName(change.ref)
    if (name === null) return []
    return [{ ...change, name, isCreation: isZeroOid(change.old), isDeletion: isZeroOid(change.new) }]
  })
}

/**
 * Who moves a ref, as the rules of a project see them.
 * @returns null when there is nothing to be judged by them: a wiki, a project that has gone
 */
export function createMoverLookup({ database, clock }: Omit<GateContextNeeds, 'protection'>) {
  const db = database.read

  async function claimantOf(mover: RefMover, project: ProjectRow): Promise<Claimant> {
    const { userId, deployKeyId } = mover
    if (deployKeyId !== undefined) return { userId, level: 0, administrator: false, deployKeyId }
    if (userId === null) return { userId, level: 0, administrator: false }
    const { level } = await roleInProject(db, userId, project, dayOf(clock.now()))
    const administrator = mover.administrator ?? (await userById(db, userId))?.is_admin ?? false
    return { userId, level, administrator }
  }

  return async ({ row, mover }: Pick<ProposedChange, 'row' | 'mover'>) => {
    if (row.project_id === null || row.kind !== 'project' || mover.isBeginning) return null
    const project = await projectById(db, row.project_id)
    return project && { project, who: await claimantOf(mover, project) }
  }
}

/** Gives the context of a change; several rules that look at the same change share it. */
export function createGateContext(needs: GateContextNeeds) {
  const moverIn = createMoverLookup(needs)
  const known = new WeakMap<ProposedChange, Promise<GateContext | null>>()

  async function load(change: ProposedChange): Promise<GateContext | null> {
    const branches = branchChanges(change.changes)
    const found = branches.length === 0 ? null : await moverIn(change)
    if (!found) return null
    const names = branches.map(({ name }) => name)
    return { ...found, branches, judge: await needs.protection.judge(found.project, found.who, names) }
  }

  return (change: ProposedChange): Promise<GateContext | null> => {
    const context = known.get(change) ?? load(change)
    known.set(change, context)
    return context
  }
}

export type GateContexts = ReturnType<typeof createGateContext>
