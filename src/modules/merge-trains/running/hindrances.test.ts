/** Which pipelines are enough for the merge of a car, and why others leave their train. */
import { expect, test } from 'vitest'
import type { DetailedStatus } from '../../merge-requests/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { isGreen, type LoadedCar, reasonOf } from './hindrances.ts'

const projectWith = (settings: object) => ({ settings }) as ProjectRow
const strict = projectWith({})
const lenient = projectWith({ allow_merge_on_skipped_pipeline: true })
const loaded = (status: string, has_jobs: boolean, pipeline: string | null) =>
  ({ car: { status, has_jobs }, pipeline: pipeline === null ? undefined : { status: pipeline } }) as LoadedCar

test.each<[status: string, hasJobs: boolean, pipeline: string | null, isGreen: boolean, isGreenIfSkipped: boolean]>([
  ['fresh', true, 'success', true, true],
  ['fresh', true, 'running', false, false],
  ['fresh', true, 'failed', false, false],
  ['fresh', true, 'skipped', false, true],
  ['fresh', true, null, false, false],
  ['fresh', false, null, true, true],
  ['stale', true, 'success', false, false],
  ['idle', false, null, false, false],
])(
  'a car that is %s, with jobs: %s, of which the pipeline is %s',
  (status, hasJobs, pipeline, green, greenIfSkipped) => {
    const one = loaded(status, hasJobs, pipeline)
    expect([isGreen(one, strict), isGreen(one, lenient)]).toEqual([green, greenIfSkipped])
  },
)

test.each<[DetailedStatus, string]>([
  ['merge_time', 'it may not be merged yet'],
  ['draft_status', 'it is a draft'],
  ['commits_status', 'there is nothing to merge'],
  ['discussions_not_resolved', 'not all threads are resolved'],
  ['requested_changes', 'a reviewer has requested changes'],
  ['not_approved', 'approvals are missing'],
  ['merge_request_blocked', 'it depends on a merge request that is not merged'],
  ['need_rebase', 'the branch has to be rebased'],
  ['conflict', 'it conflicts with the target branch'],
  ['status_checks_must_pass', 'a status check has not passed'],
  ['not_open', 'it cannot be merged'],
])('%s is told as: %s', (status, reason) => {
  expect(reasonOf(status)).toBe(reason)
})
