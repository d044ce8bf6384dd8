import type { Platform } from '../../../platform/index.ts'
import {
  type DetailedStatus,
  type MergeRequestRow,
  mergeRequestsByIds,
  partiesOfWish,
  statusBesidesGit,
  statusFacts,
  withoutPipelines,
} from '../../merge-requests/index.ts'
import { type PipelineRow, pipelinesByIds } from '../../pipelines/index.ts'
import { type ProjectRow, settingOf } from '../../projects/index.ts'
import { mayMerge } from '../../protected-branches/index.ts'
import { hasTrains } from '../core/subject.ts'
import type { CarRow } from '../tables.ts'

/** A car with its merge request and the pipeline that tests it. */
export type LoadedCar = { car: CarRow; row: MergeRequestRow; pipeline: PipelineRow | undefined }

/** Loads what a decision about cars depends on, in two queries. */
export async function loadCars({ database }: Platform, cars: readonly CarRow[]): Promise<LoadedCar[]> {
  const [requests, pipelines] = await Promise.all([
    mergeRequestsByIds(
      database.read,
      cars.map(({ merge_request_id }) => merge_request_id),
    ),
    pipelinesByIds(
      database.read,
      cars.flatMap(({ pipeline_id }) => pipeline_id ?? []),
    ),
  ])
  const rows = new Map(requests.map((row) => [row.id, row]))
  return cars.flatMap((car) => {
    const row = rows.get(car.merge_request_id)
    return row ? [{ car, row, pipeline: pipelines.get(car.pipeline_id ?? 0) }] : []
  })
}

/** Why a merge request cannot be merged, in the middle of a sentence. */
const statusWords: Partial<Record<DetailedStatus, string>> = {
  merge_time: 'it may not be merged yet',
  draft_status: 'it is a draft',
  commits_status: 'there is nothing to merge',
  discussions_not_resolved: 'not all threads are resolved',
  requested_changes: 'a reviewer has requested changes',
  not_approved: 'approvals are missing',
  merge_request_blocked: 'it depends on a merge request that is not merged',
  need_rebase: 'the branch has to be rebased',
  conflict: 'it conflicts with the target branch',
  status_checks_must_pass: 'a status check has not passed',
}

/** The reason of a status that lets no request be merged. */
export const reasonOf = (status: DetailedStatus): string => statusWords[status] ?? 'it cannot be merged'

/** Whether the pipeline of a car is enough for the merge. Without jobs there is nothing to test. */
export function isGreen({ car, pipeline }: LoadedCar, project: ProjectRow): boolean {
  if (car.status !== 'fresh') return false
  if (!car.has_jobs || pipeline?.status === 'success') return true
  return pipeline?.status === 'skipped' && settingOf(project, 'allow_merge_on_skipped_pipeline') === true
}

function pipelineProblem({ pipeline }: LoadedCar, project: ProjectRow): string | null {
  if (pipeline?.status === 'failed') return 'its pipeline failed'
  if (pipeline?.status === 'canceled') return 'its pipeline was canceled'
  const isAllowed = settingOf(project, 'allow_merge_on_skipped_pipeline')
  return pipeline?.status === 'skipped' && !isAllowed ? 'its pipeline was skipped' : null
}

function requestProblem({ car, row }: LoadedCar): string | null {
  if (row.state === 'closed') return 'it is closed'
  if (row.target_branch !== car.target_branch) return 'its target branch was changed'
  return row.auto_merge?.train === 'entered' ? null : 'its source branch was changed'
}

/** Why the user who has added a car may not merge it. */
async function userProblem(platform: Platform, { car, row }: LoadedCar): Promise<string | null> {
  const parties = await partiesOfWish(platform, row, { userId: car.user_id })
  if (!parties) return 'the user who added it is not active'
  const may = await mayMerge(platform, parties.found.project, parties.actor, car.target_branch)
  return may ? null : 'the user who added it may not merge it'
}

/** The first car that has to leave, with the reason; null when all may stay. One that is being merged stays. */
export async function findHindered(
  platform: Platform,
  project: ProjectRow,
  cars: readonly LoadedCar[],
): Promise<{ car: CarRow; reason: string } | null> {
  const rows = cars.map(({ row }) => row)
  const facts = await statusFacts(platform, new Map([[project.id, withoutPipelines(project)]]), rows)
  const mayMergeHere = new Set<number>()
  for (const one of cars) {
    const { car, row } = one
    if (row.state === 'locked' || row.state === 'merged') continue
    const known = hasTrains(platform, project)
      ? (requestProblem(one) ?? pipelineProblem(one, project))
      : 'the project has no merge trains'
    if (known !== null) return { car, reason: known }
    const status = statusBesidesGit(row, facts(row))
    if (status !== 'mergeable') return { car, reason: reasonOf(status) }
    const reason = mayMergeHere.has(car.user_id) ? null : await userProblem(platform, one)
    if (reason !== null) return { car, reason }
    mayMergeHere.add(car.user_id)
  }
  return null
}
