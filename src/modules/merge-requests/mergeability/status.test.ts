import { describe, expect, test } from 'vitest'
import type { PipelineRow } from '../../pipelines/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { MergeRequestRow } from '../tables.ts'
import { type DetailedStatus, detailedStatus, detailedStatuses, isUnfinished, type StatusFacts } from './status.ts'

const now = '2026-03-01T12:00:00.000Z'

type Settings = Record<string, unknown>
type Case = {
  settings?: Settings
  row?: Partial<MergeRequestRow>
  facts?: Partial<Omit<StatusFacts, 'pipeline'>>
  pipeline?: string
}

const pipelineOf = (status: string): PipelineRow =>
  ({ status, finished_at: ['success', 'failed', 'canceled', 'skipped'].includes(status) ? now : null }) as PipelineRow

/** The status of a request that could be merged, but for what a case says. */
function statusOf({ settings = {}, row = {}, facts = {}, pipeline }: Case): DetailedStatus {
  const open = {
    ...{ state: 'opened', draft: false, source_exists: true, sha: 'a', target_sha: 'b', merge_after: null },
    ...{ checked_sha: 'a', checked_target_sha: 'b', is_ahead: true, is_behind: false, has_conflicts: false },
  }
  const none = {
    openThreads: 0,
    hasRequestedChanges: false,
    approvalsMissing: false,
    isBlocked: false,
    checksMissing: false,
    isChecking: false,
    now,
  }
  return detailedStatus({ ...open, ...row } as MergeRequestRow, {
    ...none,
    ...facts,
    project: { settings } as unknown as ProjectRow,
    pipeline: pipeline === undefined ? undefined : pipelineOf(pipeline),
  })
}

const green = { only_allow_merge_if_pipeline_succeeds: true }
const resolved = { only_allow_merge_if_all_discussions_are_resolved: true }

/** From the first one that applies to the last: each hides those after it (contract 19, `detailed_merge_status`). */
const blocking: [DetailedStatus, Case][] = [
  ['not_open', { row: { state: 'closed' } }],
  ['unchecked', { row: { checked_sha: 'old' } }],
  ['merge_time', { row: { merge_after: '2026-03-01T12:00:00.001Z' } }],
  ['draft_status', { row: { draft: true } }],
  ['commits_status', { row: { is_ahead: false } }],
  ['discussions_not_resolved', { settings: resolved, facts: { openThreads: 1 } }],
  ['requested_changes', { facts: { hasRequestedChanges: true } }],
  ['not_approved', { facts: { approvalsMissing: true } }],
  ['merge_request_blocked', { facts: { isBlocked: true } }],
  ['ci_must_pass', { settings: green }],
  ['need_rebase', { settings: { merge_method: 'ff' }, row: { is_behind: true } }],
  ['conflict', { row: { has_conflicts: true } }],
  ['status_checks_must_pass', { facts: { checksMissing: true } }],
]

const together = (cases: readonly Case[]): Case => ({
  settings: Object.assign({}, ...cases.map(({ settings }) => settings)),
  row: Object.assign({}, ...cases.map(({ row }) => row)),
  facts: Object.assign({}, ...cases.map(({ facts }) => facts)),
})

describe('the status of a merge request', () => {
  test('is `mergeable` when nothing is missing', () => expect(statusOf({})).toBe('mergeable'))

  test.each(blocking)('is `%s` when that alone is missing', (status, one) => expect(statusOf(one)).toBe(status))

  test.each(blocking.map(([status], index) => [status, index] as const))(
    'is `%s` before all later ones',
    (status, from) => expect(statusOf(together(blocking.slice(from).map(([, one]) => one)))).toBe(status),
  )

  test.each<[DetailedStatus, Case]>([
    ['checking', { row: { checked_sha: null }, facts: { isChecking: true } }],
    ['unchecked', { row: { checked_target_sha: 'old' } }],
    ['not_open', { row: { state: 'merged' } }],
    ['not_open', { row: { state: 'locked' } }],
    ['mergeable', { row: { merge_after: now } }],
    ['commits_status', { row: { source_exists: false, checked_sha: 'old' } }],
    ['commits_status', { row: { target_sha: null } }],
    ['mergeable', { facts: { openThreads: 1 } }],
    ['mergeable', { settings: resolved }],
    ['mergeable', { row: { is_behind: true } }],
    ['mergeable', { settings: { merge_method: 'ff' } }],
    ['need_rebase', { settings: { merge_method: 'rebase_merge' }, row: { is_behind: true } }],
  ])('is `%s` for %j', (status, one) => expect(statusOf(one)).toBe(status))
})

test('the statuses are listed in the order in which they apply', () => {
  const others: DetailedStatus[] = ['checking', 'ci_still_running', 'mergeable']
  expect(detailedStatuses.filter((status) => !others.includes(status))).toEqual(blocking.map(([status]) => status))
  expect(detailedStatuses.filter((status) => others.includes(status))).toEqual(others)
})

describe('where a pipeline has to succeed', () => {
  test.each<[DetailedStatus, string | undefined]>([
    ['ci_must_pass', undefined],
    ['mergeable', 'success'],
    ['ci_must_pass', 'failed'],
    ['ci_must_pass', 'canceled'],
    ['ci_must_pass', 'skipped'],
    ['ci_must_pass', 'manual'],
    ['ci_still_running', 'created'],
    ['ci_still_running', 'pending'],
    ['ci_still_running', 'running'],
    ['ci_still_running', 'canceling'],
    ['ci_still_running', 'scheduled'],
  ])('the status is `%s` for a pipeline that is %s', (status, pipeline) =>
    expect(statusOf({ settings: green, ...(pipeline && { pipeline }) })).toBe(status),
  )

  test('a skipped pipeline is enough where the project allows it', () => {
    const settings = { ...green, allow_merge_on_skipped_pipeline: true }
    expect(statusOf({ settings, pipeline: 'skipped' })).toBe('mergeable')
    expect(statusOf({ settings, pipeline: 'failed' })).toBe('ci_must_pass')
    expect(statusOf({ settings })).toBe('ci_must_pass')
  })
})

test('pipelines do not matter where none has to succeed', () => {
  for (const pipeline of ['failed', 'running', 'skipped']) expect(statusOf({ pipeline })).toBe('mergeable')
})

test('a pipeline is unfinished while it may go on by itself', () => {
  const unfinished = ['created', 'pending', 'running', 'canceling', 'scheduled', 'manual', 'success', 'failed']
  expect(unfinished.filter((status) => isUnfinished(pipelineOf(status)))).toEqual(unfinished.slice(0, 5))
})
