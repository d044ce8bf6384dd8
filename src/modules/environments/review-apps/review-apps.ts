import { type Actor, ApiError, type ParamValues, type Static, Type, t } from '../../../api/index.ts'
import { LockHeld } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { may, type Project } from '../../projects/index.ts'
import { EnvironmentBasic } from '../core/basic.ts'
import { accessOfCaller, deployerOf } from '../core/protection.ts'
import type { EnvironmentRow } from '../tables.ts'
import * as store from './store.ts'

const dayMs = 86_400_000
/** By default only review apps of this age are deleted. */
const ageMs = 30 * dayMs
/** How long after they were scheduled they are deleted. */
const delayMs = 7 * dayMs
const defaultLimit = 100

/** Parameters of x.environments_delete_review_apps. */
export const reviewAppFilter = {
  before: t.datetime({ description: 'Only those created before. Default: 30 days ago.' }),
  limit: t.integer({ minimum: 1, maximum: 1000, description: 'Default 100.' }),
  dry_run: t.boolean({ description: 'Whether nothing is changed. Default true.' }),
}
export type ReviewAppFilter = ParamValues<typeof reviewAppFilter>

/** What was scheduled for deletion (contract 24, x.environments_delete_review_apps). */
export const ScheduledReviewApps = Type.Object(
  { scheduled_entries: Type.Array(EnvironmentBasic), unprocessable_entries: Type.Array(EnvironmentBasic) },
  { title: 'ScheduledReviewApps' },
)

const noneFound =
  'No environments found for scheduled deletion. Either your query did not match any environments (default parameters match environments that are 30 days or older), or you have insufficient permissions to delete matching environments.'

/** As they are shown. */
const shown = (scheduled: readonly EnvironmentRow[], refused: readonly EnvironmentRow[]) => ({
  scheduled_entries: scheduled.map((row) => EnvironmentBasic.present(row)),
  unprocessable_entries: refused.map((row) => EnvironmentBasic.present(row)),
})

function refusal(code: string, status: number, message: string, entries = shown([], [])) {
  return new ApiError(code, status, { message, ...entries })
}

/** @throws ApiError 409 while another request of the project is processed */
async function whileAlone<T>({ database }: Platform, projectId: number, work: () => Promise<T>): Promise<T> {
  const held = await database.hold(`review_apps:${projectId}`).catch((error) => {
    const text = 'Another process is already processing a delete request. Please retry later.'
    throw error instanceof LockHeld ? refusal('conflict', 409, text) : error
  })
  try {
    return await work()
  } finally {
    await held.release()
  }
}

/**
 * Has old review apps deleted after seven days, unless they are available again by then (contract 24,
 * x.environments_delete_review_apps).
 * @throws ApiError 400, 401, 409
 */
export async function deleteReviewApps(
  platform: Platform,
  project: Project,
  actor: Actor,
  { before, limit = defaultLimit, dry_run: isTrial = true }: ReviewAppFilter,
): Promise<Static<typeof ScheduledReviewApps>> {
  const { database, clock } = platform
  if (!may(actor, project, 'write_environments')) {
    throw refusal('unauthorized', 401, 'You do not have permission to destroy environments in this project')
  }
  const nowMs = clock.now().getTime()
  return whileAlone(platform, project.id, async () => {
    const created = { before: before ?? new Date(nowMs - ageMs).toISOString(), limit }
    const rows = await store.oldReviewApps(database.read, project.id, created)
    if (rows.length === 0) throw refusal('bad_request', 400, noneFound)
    const access = await accessOfCaller(platform, database.read, project, actor, rows)
    const isDeletable = (row: EnvironmentRow) => access.mayDeploy(row, deployerOf(actor))
    const [deletable, others] = [rows.filter(isDeletable), rows.filter((row) => !isDeletable(row))]
    const ids = deletable.map(({ id }) => id)
    const deleteAt = new Date(nowMs + delayMs).toISOString()
    if (!isTrial) await database.write((tx) => store.scheduleDeletion(tx, ids, deleteAt))
    if (others.length > 0) throw refusal('bad_request', 400, noneFound, shown(deletable, others))
    return shown(deletable, others)
  })
}
