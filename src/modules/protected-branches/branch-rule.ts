import { role } from '../access/index.ts'
import type { ProposedChange, RefRule } from '../repositories/index.ts'
import type { BranchChange, GateContext, GateContexts } from './gate-context.ts'
import type { Protection } from './protection.ts'

export type BranchRuleNeeds = { contextOf: GateContexts; protection: Protection }

type Proposal = GateContext & { proposed: ProposedChange; mayMove(name: string): boolean }

/** One line of the table "Pushing by git": the sentence for a change that it refuses. */
type Check = (change: BranchChange, proposal: Proposal) => Promise<string | null>

const forcePush: Check = async (change, { judge, proposed }) => {
  const { name, isCreation, isDeletion } = change
  if (isCreation || isDeletion || !judge.isProtected(name) || judge.mayForcePush(name)) return null
  const { repository, quarantine } = proposed
  if (await repository.isAncestor(change.old, change.new, { quarantine })) return null
  return 'You are not allowed to force push code to a protected branch on this project.'
}

const deletion: Check = async (change, { judge, who, proposed }) => {
  if (!change.isDeletion || !judge.isProtected(change.name)) return null
  if (who.level < role.maintainer && !who.administrator) {
    return (
      'You are not allowed to delete protected branches from this project. ' +
      'Only a project maintainer or owner can delete a protected branch.'
    )
  }
  return proposed.mover.via === 'git' ? 'You can only delete protected branches using the web interface.' : null
}

const push: Check = async ({ name, isCreation, isDeletion }, { judge, mayMove }) => {
  if (isCreation || isDeletion || !judge.isProtected(name) || mayMove(name)) return null
  return 'You are not allowed to push code to protected branches on this project.'
}

/**
 * What may become of protected branches (contract 01, "Pushing by git": force push, create, delete, push). Each check looks
 * at all changes before the next one does.
 */
export function protectedBranchRule({ contextOf, protection }: BranchRuleNeeds): RefRule {
  /** Whether a commit is there already, on some protected branch. */
  async function isProtectedHistory({ project, who, proposed }: Proposal, { new: commit }: BranchChange) {
    const { repository } = proposed
    if (!(await repository.object(commit))) return false
    const names = await repository.refsContaining(commit, 'branch')
    if (names.length === 0) return false
    const judge = await protection.judge(project, who, names)
    return names.some(judge.isProtected)
  }

  const creation: Check = async (change, proposal) => {
    const { judge, mayMove, proposed } = proposal
    const { name, isCreation, isDeletion } = change
    if (!isCreation || isDeletion || !judge.isProtected(name) || mayMove(name)) return null
    if (!judge.mayMerge(name)) return 'You are not allowed to create protected branches on this project.'
    if (!(await isProtectedHistory(proposal, change))) {
      return 'You can only use an existing protected branch ref as the basis of a new protected branch.'
    }
    if (proposed.mover.via === 'api') return null
    return 'You can only create protected branches using the web interface and API.'
  }

  return async (proposed) => {
    const context = await contextOf(proposed)
    if (!context?.branches.some(({ name }) => context.judge.isProtected(name))) return null
    const { judge } = context
    const mayMove = proposed.mover.isMerging ? judge.mayMerge : judge.mayPush
    for (const check of [forcePush, creation, deletion, push]) {
      const sentences = await Promise.all(
        context.branches.map((change) => check(change, { ...context, proposed, mayMove })),
      )
      const refused = sentences.filter((sentence) => sentence !== null)
      if (refused.length > 0) return [...new Set(refused)]
    }
    return null
  }
}
