import { hasTier } from '../../config.ts'
import type { Reader } from '../../infra/database/index.ts'
import { wildcardMatcher } from '../../infra/wildcards/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { MergeRequestRow } from '../merge-requests/index.ts'
import * as store from './store.ts'
import type { CheckStatus, ResponseRow } from './tables.ts'

/** A check that was put to `pending` fails when nothing follows for so long (contract 24, Status checks). */
const patienceMs = 2 * 60_000

/** The status of a check by its newest answer about the head; without any it is pending. */
export function statusBy(response: Pick<ResponseRow, 'status' | 'answered_at'> | undefined, at: Date): CheckStatus {
  if (!response) return 'pending'
  const isLate = at.getTime() - Date.parse(response.answered_at) >= patienceMs
  return response.status === 'pending' && isLate ? 'failed' : response.status
}

type Targeted = Pick<MergeRequestRow, 'project_id' | 'target_branch'>

/** Whether a check is for a merge request: it names no branch, or the target. */
const isFor = (check: store.ScopedCheck, { project_id, target_branch }: Targeted) =>
  check.project_id === project_id &&
  (check.branches.length === 0 || check.branches.some(({ name }) => wildcardMatcher(name)(target_branch)))

/** Whether the server has status checks at all. */
export const hasStatusChecks = ({ config }: Platform): boolean => hasTier(config.edition, 'ultimate')

/** The checks that are for a merge request, by id. */
export async function checksFor(db: Reader, row: Targeted): Promise<store.ScopedCheck[]> {
  return (await store.checksOf(db, [row.project_id])).filter((check) => isFor(check, row))
}

type Checked = Targeted & Pick<MergeRequestRow, 'id' | 'sha'>

/** The checks for each of these merge requests, with the status at its head; in four queries. */
export async function checksWithStatus(
  { clock }: Platform,
  db: Reader,
  rows: readonly Checked[],
): Promise<(row: Checked) => (store.ScopedCheck & { status: CheckStatus })[]> {
  const checks = await store.checksOf(db, [...new Set(rows.map(({ project_id }) => project_id))])
  const heads = rows.map(({ id, sha }) => ({ mergeRequestId: id, sha }))
  const responses = checks.length === 0 ? [] : await store.responsesTo(db, heads)
  const byPlace = new Map(responses.map((one) => [`${one.merge_request_id} ${one.check_id}`, one]))
  const at = clock.now()
  return (row) =>
    checks
      .filter((check) => isFor(check, row))
      .map((check) => ({ ...check, status: statusBy(byPlace.get(`${row.id} ${check.id}`), at) }))
}

/** Those of these merge requests that have a check which has not passed at the head. */
export async function withoutAllChecksPassed(
  platform: Platform,
  db: Reader,
  rows: readonly Checked[],
): Promise<ReadonlySet<number>> {
  if (!hasStatusChecks(platform) || rows.length === 0) return new Set()
  const checksOf = await checksWithStatus(platform, db, rows)
  const held = rows.filter((row) => checksOf(row).some(({ status }) => status !== 'passed'))
  return new Set(held.map(({ id }) => id))
}
