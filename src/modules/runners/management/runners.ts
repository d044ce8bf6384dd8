import {
  type Actor,
  forbidden,
  isAdministrator,
  recordNotFound,
  type Static,
  type Unmodified,
} from '../../../api/index.ts'
import { jsonText, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { requireManaged, requireReadable } from '../core/access.ts'
import { presentDetail } from '../core/load.ts'
import { newTokenExpiry } from '../core/new-runner.ts'
import type { RunnerChanges } from '../core/params.ts'
import { RunnerManager, type RunnerToken } from '../core/present.ts'
import * as store from '../core/store.ts'
import { newRunnerToken } from '../core/token.ts'
import { cleanTags, requireValidRunner } from '../core/validation.ts'
import type { RunnerRow } from '../tables.ts'

/** Who asks, and the record of it. */
type By = { actor: Actor; act: Act }

/** One runner (contract 04, x.runner_get). @throws ApiError 403, 404 */
export async function getRunner(platform: Platform, id: number, actor: Actor) {
  return presentDetail(platform, await requireReadable(platform, id, actor), actor)
}

/** The programs that use a runner's token (contract 04, x.runner_managers). @throws ApiError 403, 404 */
export async function listManagers(platform: Platform, id: number, actor: Actor) {
  const db = platform.database.read
  await requireReadable(platform, id, actor)
  const [managers, busy] = await Promise.all([store.managersOf(db, id), store.busyIds(db, 'runner_manager_id', [id])])
  const moment = platform.clock.now()
  return managers.map((manager) => RunnerManager.present(manager, { moment, busy }))
}

/** The attributes of a runner with the changes. @throws ApiError 400, form C */
function changed(row: RunnerRow, given: RunnerChanges) {
  const paused = given.paused ?? (given.active === undefined ? row.paused : !given.active)
  const draft = {
    description: given.description === undefined ? row.description : given.description,
    maintenance_note: given.maintenance_note === undefined ? row.maintenance_note : given.maintenance_note,
    maximum_timeout: given.maximum_timeout === undefined ? row.maximum_timeout : given.maximum_timeout,
    run_untagged: given.run_untagged ?? row.run_untagged,
    tag_list: given.tag_list ? cleanTags(given.tag_list) : row.tag_list,
  }
  requireValidRunner(draft)
  const { locked = row.locked, access_level = row.access_level } = given
  return { ...draft, paused, locked, access_level, tag_list: jsonText(draft.tag_list) }
}

/** Changes a runner; omitted members stay (contract 04, x.runner_update). @throws ApiError 400, 403, 404 */
export async function updateRunner(platform: Platform, id: number, given: RunnerChanges, { actor, act }: By) {
  const row = await platform.database.write(async (tx) => {
    await store.lockRunner(tx, id)
    const before = await requireManaged(platform, tx, id, actor)
    await act(tx, null, { target: { kind: 'runner', id } })
    return store.updateRunner(tx, id, { ...changed(before, given), updated_at: now(platform.clock) })
  })
  if (!row) throw recordNotFound()
  return presentDetail(platform, row, actor)
}

/** A runner that the caller may delete. @throws ApiError 403, 404 */
export async function requireDeletable(platform: Platform, db: Reader, id: number, actor: Actor): Promise<RunnerRow> {
  const row = await requireManaged(platform, db, id, actor)
  if (!isAdministrator(actor) && (await store.projectIdsOf(db, id)).length > 1) {
    throw forbidden('Runner associated with more than one project')
  }
  return row
}

/** Deletes a runner (contract 04, x.runner_delete). @throws ApiError 403, 404, 412 */
export async function deleteRunner(
  platform: Platform,
  id: number,
  { actor, act }: By,
  unmodified: Unmodified,
): Promise<void> {
  await platform.database.write(async (tx) => {
    await store.lockRunner(tx, id)
    const row = await requireDeletable(platform, tx, id, actor)
    unmodified(row.updated_at)
    await store.deleteRunner(tx, id)
    await act(tx, null, { target: { kind: 'runner', id } })
  })
}

/** Gives a runner another token; the old one is refused from then on. */
export async function replaceToken(
  { clock }: Platform,
  tx: Tx,
  { id, runner_type }: RunnerRow,
): Promise<Static<typeof RunnerToken>> {
  const { token, token_digest } = newRunnerToken()
  const token_expires_at = await newTokenExpiry(tx, clock.now(), runner_type, await store.projectIdsOf(tx, id))
  await store.updateRunner(tx, id, { token_digest, token_expires_at, updated_at: now(clock) })
  return { token, token_expires_at }
}

/** Replaces the token of a runner (contract 04, x.runner_reset_token). @throws ApiError 403, 404 */
export async function resetToken(platform: Platform, id: number, { actor, act }: By) {
  return platform.database.write(async (tx) => {
    await store.lockRunner(tx, id)
    const row = await requireManaged(platform, tx, id, actor)
    await act(tx, null, { target: { kind: 'runner', id } })
    return replaceToken(platform, tx, row)
  })
}
