import type { AnswerOf } from '../../../../../api/index.ts'
import {
  approvalsGet,
  approvalsState,
  type MergeRequestObject,
  mergeRequestsConflicts,
  requestBlocksCreate,
  requestBlocksList,
  requestRulesList,
  requestStatusChecksList,
  requestStatusChecksRetry,
  reviewersList,
} from '../../../../operations.ts'
import type { Visit } from '../../../../page.ts'
import type { ReadRequest } from '../read.ts'
import { type ReadTrain, readTrain } from '../trains/read.ts'

export type Approvals = AnswerOf<typeof approvalsGet>
export type ApprovalRules = AnswerOf<typeof approvalsState>['rules']
export type StatusChecks = AnswerOf<typeof requestStatusChecksList>['items']
export type Block = AnswerOf<typeof requestBlocksList>['items'][number]
export type Reviewers = AnswerOf<typeof reviewersList>['items']

/** What is known of a merge, besides the merge request. */
export type MergeFacts = {
  approvals: Approvals | null
  rules: ApprovalRules
  mayReadRules: boolean
  reviewers: Reviewers
  checks: StatusChecks
  mayRetryChecks: boolean
  conflicts: readonly string[]
  /** What must be merged before. */
  blocks: readonly Block[]
  mayChangeBlocks: boolean
  train: ReadTrain
}

/** Reads what a merge depends on. */
export async function readMergeFacts(visit: Visit, of: ReadRequest): Promise<MergeFacts> {
  const { request, call } = of
  const [approvals, state, mayReadRules, reviewers, checks, mayRetryChecks, conflicts, blocks, mayBlock, train] =
    await Promise.all([
      visit.find(approvalsGet, call),
      visit.find(approvalsState, call),
      visit.may(requestRulesList, call),
      visit.find(reviewersList, { ...call, per_page: 100 }),
      visit.find(requestStatusChecksList, { ...call, per_page: 100 }),
      visit.may(requestStatusChecksRetry, { ...call, external_status_check_id: 0 }),
      request.has_conflicts ? visit.find(mergeRequestsConflicts, call) : null,
      visit.find(requestBlocksList, { ...call, per_page: 100 }),
      visit.may(requestBlocksCreate, call),
      readTrain(visit, of),
    ])
  return {
    approvals,
    rules: state?.rules ?? [],
    mayReadRules: mayReadRules && state !== null,
    reviewers: reviewers?.items ?? [],
    checks: checks?.items ?? [],
    mayRetryChecks,
    conflicts: conflicts?.files.map(({ path }) => path) ?? [],
    blocks: blocks?.items ?? [],
    mayChangeBlocks: mayBlock,
    train,
  }
}

const statuses: Readonly<Record<MergeRequestObject['detailed_merge_status'], string>> = {
  not_open: 'It is not open.',
  unchecked: 'Whether it can be merged is not known yet.',
  checking: 'Git is trying whether it can be merged.',
  merge_time: 'It cannot be merged yet.',
  draft_status: 'It cannot be merged while it is a draft.',
  commits_status: 'There is nothing to merge.',
  discussions_not_resolved: 'It cannot be merged before all threads are resolved.',
  requested_changes: 'It cannot be merged: a reviewer has requested changes.',
  not_approved: 'It cannot be merged before it is approved.',
  merge_request_blocked: 'It cannot be merged before those that it depends on.',
  ci_must_pass: 'It cannot be merged without a pipeline that has succeeded.',
  ci_still_running: 'It cannot be merged before its pipeline has succeeded.',
  need_rebase: 'It must be rebased before it can be merged.',
  conflict: 'It cannot be merged: both branches have changed the same lines.',
  status_checks_must_pass: 'It cannot be merged before all status checks have passed.',
  mergeable: 'It can be merged.',
}

/** Whether a merge is possible, in words. */
export const statusInWords = ({ detailed_merge_status: status }: MergeRequestObject): string => statuses[status]

const plural = (count: number, one: string, several = `${one}s`) => `${count} ${count === 1 ? one : several}`

const pipelineWords: Readonly<Record<string, string>> = {
  success: 'The pipeline passed.',
  failed: 'The pipeline failed.',
  canceled: 'The pipeline was canceled.',
  skipped: 'The pipeline was skipped.',
  manual: 'The pipeline waits for a manual job.',
  running: 'The pipeline runs.',
}

/** How much something is in the way of a merge, the most first. */
const standings = ['missing', 'waiting', 'there'] as const

/** A sentence about what a merge depends on, or what should be known before it. */
export type Fact = {
  standing: (typeof standings)[number]
  text: string
  about?: 'threads' | 'conflicts' | 'pipeline'
  /** That another merge request must be merged before. */
  block?: Block
  /** The id of a status check that has failed. */
  failedCheck?: number
}

function approvalFacts({ approvals, rules }: MergeFacts): Fact[] {
  if (!approvals) return []
  const { approved_by: given, approvals_left: left = 0 } = approvals
  const by = given.length === 0 ? '' : ` Approved by ${given.map(({ user }) => user.name).join(', ')}.`
  if (left === 0) return given.length > 0 ? [{ standing: 'there', text: by.trim() }] : []
  const names = rules.filter(({ approved }) => !approved).map(({ name }) => name)
  const of = names.length === 0 ? '' : ` (${names.join(', ')})`
  return [{ standing: 'missing', text: `${plural(left, 'approval is', 'approvals are')} missing${of}.${by}` }]
}

const checkStandings = {
  failed: ['missing', 'has failed'],
  pending: ['waiting', 'has not answered yet'],
  passed: ['there', 'has passed'],
} as const

function checkFacts({ checks }: MergeFacts): Fact[] {
  return checks.map(({ id, name, status }) => {
    const [standing, words] = checkStandings[status]
    return { standing, text: `Status check ${name} ${words}.`, ...(status === 'failed' && { failedCheck: id }) }
  })
}

function blockFacts({ blocks }: MergeFacts): Fact[] {
  return blocks.map((block) => {
    const { blocking_merge_request: blocking } = block
    const isThere = blocking?.state === 'merged'
    const what = blocking
      ? isThere
        ? 'It follows'
        : 'It must wait for'
      : 'It depends on a merge request that you cannot see.'
    return { standing: isThere ? 'there' : 'missing', text: what, block }
  })
}

function branchFacts(request: MergeRequestObject): Fact[] {
  const { diverged_commits_count: behind = 0, target_branch: target, detailed_merge_status: status } = request
  if (behind === 0) return []
  const text = `${target} has ${plural(behind, 'commit')} that this branch has not.`
  return [{ standing: status === 'need_rebase' ? 'missing' : 'there', text }]
}

/** A pipeline that has not ended is waited for, also where the merge does not need it. */
function pipelineStanding({ detailed_merge_status: status }: MergeRequestObject, pipeline: string): Fact['standing'] {
  if (status === 'ci_must_pass' || ['failed', 'canceled'].includes(pipeline)) return 'missing'
  return ['success', 'skipped'].includes(pipeline) ? 'there' : 'waiting'
}

/** What a merge depends on, as sentences: what is missing first. */
export function factsInWords(request: MergeRequestObject, facts: MergeFacts): Fact[] {
  const { draft, has_conflicts: conflicts, blocking_discussions_resolved: resolved, head_pipeline: pipeline } = request
  const asking = facts.reviewers.filter(({ state }) => state === 'requested_changes').map(({ user }) => user.name)
  const found: (Fact | false)[] = [
    draft && { standing: 'missing', text: 'It is a draft.' },
    conflicts && { standing: 'missing', text: 'Both branches have changed:', about: 'conflicts' },
    !resolved && { standing: 'missing', text: 'Threads are not resolved.', about: 'threads' },
    asking.length > 0 && { standing: 'missing', text: `${asking.join(', ')} requested changes.` },
    ...approvalFacts(facts),
    ...blockFacts(facts),
    pipeline !== null && {
      standing: pipelineStanding(request, pipeline.status),
      text: pipelineWords[pipeline.status] ?? 'The pipeline waits.',
      about: 'pipeline',
    },
    ...checkFacts(facts),
    ...branchFacts(request),
    request.merge_error !== null && { standing: 'missing', text: request.merge_error },
  ]
  return found
    .filter((fact) => fact !== false)
    .sort((one, other) => standings.indexOf(one.standing) - standings.indexOf(other.standing))
}

/** Whether the pipeline of the head may still succeed, so that the merge can wait for it. */
export const waitsForPipeline = ({ head_pipeline: pipeline }: MergeRequestObject): boolean =>
  pipeline !== null && pipeline.finished_at === null && pipeline.status !== 'manual'
