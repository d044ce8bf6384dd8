import type { Operation } from '../../api/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import { type ComparisonNeeds, createComparison } from './comparison/comparison.ts'
import { comparisonOperations } from './comparison/operations.ts'
import { type CommitMergeRequests, withoutMergeRequests } from './merge-requests.ts'
import { createHistory, type History, type HistoryNeeds } from './reading/history.ts'
import { commitReadingOperations } from './reading/operations.ts'
import { createSignatures, type SignatureNeeds } from './signatures/signatures.ts'

export type CommitReadingNeeds = HistoryNeeds &
  ComparisonNeeds &
  SignatureNeeds & {
    project: ProjectSubject
    /** What tells of the merge requests that brought a commit. */
    mergeRequests?: CommitMergeRequests
  }

/** The reading of histories (contract 22): its operations, and how a commit is shown alone. */
export type CommitReading = { operations: Operation[]; presentDetail: History['presentDetail'] }

export function createCommitReading(needs: CommitReadingNeeds): CommitReading {
  const { project, mergeRequests = withoutMergeRequests } = needs
  const history = createHistory(needs)
  const operations = [
    ...commitReadingOperations({ history, signatures: createSignatures(needs), mergeRequests, project }),
    ...comparisonOperations({ comparison: createComparison(needs), project }),
  ]
  return { operations, presentDetail: history.presentDetail }
}
