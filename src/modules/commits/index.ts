import type { Module } from '../../platform/index.ts'
import * as changelog from './changelog/operations.ts'
import * as comparison from './comparison/operations.ts'
import * as picking from './picking/operations.ts'
import * as reading from './reading/operations.ts'
import * as signatures from './signatures/operations.ts'
import * as writing from './writing/operations.ts'

export { repositoryCommitActivity, repositoryCompare, repositoryContributors } from './comparison/operations.ts'
export { CommitDetail, CommitSummary, presentCommit } from './present.ts'
export { diffLimits, largestPatchBytes } from './reading/diff-limits.ts'
export { hasOverflowed, pageOfDiff } from './reading/diff-pages.ts'
export { Diff, presentDiff } from './reading/diffs.ts'
export { loadCommitDetail } from './reading/history.ts'
export { commitsDiff, commitsGet, commitsList, commitsRefs } from './reading/operations.ts'
export { requireCommit, resolveRevision } from './revision.ts'
export { commitsSignature } from './signatures/operations.ts'
export { PgpKey, unknownPgpKey } from './signatures/signatures.ts'
export { commit, type ProjectCommit } from './subject.ts'
export { type ActionTexts, changesOf, encodings, type FileAction, writablePath } from './writing/actions.ts'
export {
  type CommitBase,
  moveFailure,
  personOf,
  requirePush,
  untilNotOvertaken,
  writableRef,
  writeCommit,
  writeInTurn,
  writtenCommit,
} from './writing/write-commit.ts'

export const commits: Module = {
  name: 'commits',
  tags: {
    Commits: 'Commits of a repository: lists, diffs, statuses, comments, cherry-picks and reverts.',
    Repository: 'Trees, blobs, archives, comparisons, contributors and changelogs of a repository.',
  },
  operations: [reading, comparison, signatures, writing, picking, changelog].flatMap((room) => Object.values(room)),
}
