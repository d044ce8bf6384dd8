import type { Platform, ProposedChange, RefRule } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { protectedBranchTest } from '../access/branch-access.ts'
import { type BranchChange, type GateContext, gateContext } from './context.ts'

type Proposal = GateContext & { platform: Platform; proposed: ProposedChange; mayMove(name: string): boolean }

/** A line of the contract's table "Pushing by git": returns the sentence that refuses a change, or null. */
type Check = (change: BranchChange, proposal: Proposal) => Promise<string | null>

const forcePush: Check = async (change, { access, proposed }) => {
  const { name, isCreation, isDeletion } = change
  if (isCreation || isDeletion || !access.isProtected(name) || access.mayForcePush(name)) return null
  const { repository, quarantine } = proposed
  if (await repository.isAncestor(change.old, change.new, { quarantine })) return null
  return 'You are not allowed to force push code to a protected branch on this project.'
}

/** Whether the commit already exists and is on a protected branch. */
async function isOnProtectedBranch({ platform, project, proposed }: Proposal, { new: commit }: BranchChange) {
  const { repository } = proposed
  if (!(await repository.object(commit))) return false
  const { branches } = await repository.refs(proposed.row.generation)
  const names = await repository.refsContaining(commit, branches)
  if (names.length === 0) return false
  return names.some(await protectedBranchTest(platform, project, names))
}

const creation: Check = async (change, proposal) => {
  const { access, mayMove, proposed } = proposal
  const { name, isCreation, isDeletion } = change
  if (!isCreation || isDeletion || !access.isProtected(name) || mayMove(name)) return null
  if (!access.mayMerge(name)) return 'You are not allowed to create protected branches on this project.'
  if (!(await isOnProtectedBranch(proposal, change))) {
    return 'You can only use an existing protected branch ref as the basis of a new protected branch.'
  }
  if (proposed.writer.via === 'api') return null
  return 'You can only create protected branches using the web interface and API.'
}

const deletion: Check = async (change, { access, principal, proposed }) => {
  if (!change.isDeletion || !access.isProtected(change.name)) return null
  if (principal.level < role.maintainer && !principal.administrator) {
    return (
      'You are not allowed to delete protected branches from this project. ' +
      'Only a project maintainer or owner can delete a protected branch.'
    )
  }
  return proposed.writer.via === 'git' ? 'You can only delete protected branches using the web interface.' : null
}

const push: Check = async ({ name, isCreation, isDeletion }, { access, mayMove }) => {
  if (isCreation || isDeletion || !access.isProtected(name) || mayMove(name)) return null
  return 'You are not allowed to push code to protected branches on this project.'
}

/**
 * Applies the rules that protect branches (contract 01, "Pushing by git": force push, create, delete, push). A check looks
 * at all changes before the next check starts.
 */
export const protectedBranchRule: RefRule = async (platform, proposed) => {
  const context = await gateContext(platform, proposed)
  if (!context?.branches.some(({ name }) => context.access.isProtected(name))) return null
  const { access } = context
  const mayMove = proposed.writer.merging ? access.mayMerge : access.mayPush
  const proposal = { ...context, platform, proposed, mayMove }
  for (const check of [forcePush, creation, deletion, push]) {
    const sentences = await Promise.all(context.branches.map((change) => check(change, proposal)))
    const refused = sentences.filter((sentence) => sentence !== null)
    if (refused.length > 0) return [...new Set(refused)]
  }
  return null
}
