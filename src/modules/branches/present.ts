import { forms, Type } from '../../api/index.ts'
import type { Commit, Trailer } from '../../infra/git/index.ts'

/** A commit as other objects embed it (contract 01, Commit). */
export const CommitSummary = Type.Object(
  {
    id: Type.String(),
    short_id: Type.String(),
    created_at: forms.timestamp,
    parent_ids: forms.strings,
    title: Type.String(),
    message: Type.String(),
    author_name: Type.String(),
    author_email: Type.String(),
    authored_date: forms.timestamp,
    committer_name: Type.String(),
    committer_email: Type.String(),
    committed_date: forms.timestamp,
    trailers: Type.Record(Type.String(), Type.String()),
    extended_trailers: Type.Record(Type.String(), Type.Array(Type.String())),
    web_url: Type.String(),
  },
  { title: 'Commit' },
)

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
  },
  { title: 'Branch' },
)

/** All values per key; the key of a trailer is data, so the object has no prototype to collide with. */
function grouped(trailers: readonly Trailer[]): Record<string, string[]> {
  const groups: Record<string, string[]> = Object.create(null)
  for (const { key, value } of trailers) groups[key] = [...(groups[key] ?? []), value]
  return groups
}

/** @param projectUrl web address of the project */
export function presentCommit(commit: Commit, projectUrl: string) {
  const extended = grouped(commit.trailers)
  return {
    id: commit.oid,
    short_id: commit.oid.slice(0, 8),
    created_at: commit.committer.date,
    parent_ids: [...commit.parentOids],
    title: commit.title,
    message: commit.message,
    author_name: commit.author.name,
    author_email: commit.author.email,
    authored_date: commit.author.date,
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    committed_date: commit.committer.date,
    trailers: Object.fromEntries(Object.entries(extended).map(([key, values]) => [key, values.at(-1) ?? ''])),
    extended_trailers: extended,
    web_url: `${projectUrl}/-/commit/${commit.oid}`,
  }
}

/** What is said of a branch besides its name and head. */
export type BranchFacts = {
  merged: boolean
  isDefault: boolean
  canPush: boolean
  protected: boolean
  developersCanPush: boolean
  developersCanMerge: boolean
}

/** @param projectUrl web address of the project */
export function presentBranch(name: string, commit: Commit, facts: BranchFacts, projectUrl: string) {
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
