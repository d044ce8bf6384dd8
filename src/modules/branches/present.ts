import { nullable, Type } from '../../api/index.ts'
import type { Commit } from '../../infra/git/index.ts'
import { CommitSummary, presentCommit } from '../commits/index.ts'
import type { BranchFacts } from '../protected-branches/index.ts'

/** A branch (contract 01, Branch). */
export const Branch = Type.Object(
  {
    name: Type.String(),
    commit: CommitSummary,
    merged: Type.Boolean(),
    protected: Type.Boolean(),
    developers_can_push: Type.Boolean(),
    developers_can_merge: Type.Boolean(),
    can_push: Type.Boolean(),
    default: Type.Boolean(),
    web_url: Type.String(),
    diverging_commit_counts: Type.Optional(nullable(Type.Object({ ahead: Type.Integer(), behind: Type.Integer() }))),
  },
  { title: 'Branch' },
)

/** The facts shown with a branch in addition to its name and head. */
type ShownFacts = BranchFacts & { merged: boolean; isDefault: boolean }

/** @param projectUrl web address of the project */
export function presentBranch(name: string, commit: Commit, facts: ShownFacts, projectUrl: string) {
  return {
    name,
    commit: presentCommit(commit, projectUrl),
    merged: facts.merged,
    protected: facts.protected,
    developers_can_push: facts.developersCanPush,
    developers_can_merge: facts.developersCanMerge,
    can_push: facts.canPush,
    default: facts.isDefault,
    web_url: `${projectUrl}/-/tree/${name.split('/').map(encodeURIComponent).join('/')}`,
  }
}
