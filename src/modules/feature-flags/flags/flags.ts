import { type Actor, failure, type PageRequest, recordNotFound, type Unmodified } from '../../../api/index.ts'
import { claim, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { fixedLimits } from '../../plan-limits/index.ts'
import type { Project } from '../../projects/index.ts'
import { finishWrite, lockFlags } from '../generation.ts'
import type { FlagRow } from '../tables.ts'
import { userListsByIds } from '../user-lists/store.ts'
import { changedStrategies, type StrategyDraft, userListNotFound } from './drafts.ts'
import type { FlagChanges, NewFlag } from './params.ts'
import { presentFlags } from './present.ts'
import * as store from './store.ts'
import { requireValidFlag } from './validation.ts'

/** The only kind of flags. */
const version = 'new_version_flag'

async function present(db: Reader, row: FlagRow) {
  const [flag] = await presentFlags(db, [row])
  if (!flag) throw recordNotFound()
  return flag
}

/** A flag of a project. @throws ApiError 404 */
async function requireFlag(db: Reader, project: Project, name: string): Promise<FlagRow> {
  const row = await store.flagByName(db, project.id, name)
  if (!row) throw recordNotFound()
  return row
}

/** A page of the flags of a project (contract 24, x.feature_flags_list). */
export async function listFlags(
  { database }: Platform,
  project: Project,
  scope: 'enabled' | 'disabled' | undefined,
  page: PageRequest,
) {
  const active = scope === undefined ? undefined : scope === 'enabled'
  const found = await store.pageOfFlags(database.read, project.id, active, page)
  return { ...found, items: await presentFlags(database.read, found.items) }
}

/** One flag (contract 24, x.feature_flags_get). @throws ApiError 404 */
export async function getFlag({ database }: Platform, project: Project, name: string) {
  return present(database.read, await requireFlag(database.read, project, name))
}

/** @throws ApiError 404 when a strategy names a list of users that is not of the project */
async function requireUserLists(tx: Tx, project: Project, strategies: readonly StrategyDraft[]): Promise<void> {
  const ids = new Set(strategies.flatMap(({ user_list_id: id }) => id ?? []))
  const lists = await userListsByIds(tx, [...ids])
  for (const id of ids) if (lists.get(id)?.project_id !== project.id) throw userListNotFound()
}

/** @throws ApiError 400 */
async function requireNameFree(tx: Tx, project: Project, name: string): Promise<void> {
  if (await store.flagByName(tx, project.id, name)) throw failure(400, ['Name has already been taken'])
}

/** @throws ApiError 400 */
async function requireRoom(tx: Tx, project: Project): Promise<void> {
  const limit = fixedLimits.project_feature_flags
  if ((await store.countFlags(tx, project.id)) >= limit) {
    throw failure(400, [`Maximum number of project feature flags (${limit}) exceeded`])
  }
}

/** Creates a flag (contract 24, x.feature_flags_create). @throws ApiError 400, 404 */
export async function createFlag({ database, clock }: Platform, project: Project, given: NewFlag) {
  if (given.version !== undefined && given.version !== version) throw failure(400, 'Version is invalid')
  const { name, description = null, active = true } = given
  const added = (given.strategies ?? []).map(({ id: _id, ...strategy }) => ({
    ...strategy,
    scopes: strategy.scopes?.map(({ id: _scopeId, ...scope }) => scope),
  }))
  const strategies = changedStrategies([], added)
  requireValidFlag({ name, description, strategies })
  const moment = now(clock)
  const row = await database.write(async (tx) => {
    await lockFlags(tx, project.id)
    await requireNameFree(tx, project, name)
    await requireRoom(tx, project)
    await requireUserLists(tx, project, strategies)
    const flag = { project_id: project.id, name, description, active, created_at: moment, updated_at: moment }
    const inserted = await store.insertFlag(tx, flag)
    await store.writeStrategies(tx, inserted.id, [], strategies)
    await finishWrite(tx, project.id)
    return inserted
  })
  return present(database.read, row)
}

/**
 * Changes a flag; on any error nothing changes (contract 24, x.feature_flags_update).
 * @throws ApiError 400, 404
 */
export async function updateFlag(
  platform: Platform,
  project: Project,
  actor: Actor,
  current: string,
  given: FlagChanges,
) {
  const { database, clock } = platform
  const changed = await database.write(async (tx) => {
    await lockFlags(tx, project.id)
    const row = await requireFlag(tx, project, current)
    const { name = row.name, description = row.description, active = row.active } = given
    const stored = (await store.strategiesOfFlags(tx, [row.id])).get(row.id) ?? []
    const strategies = changedStrategies(stored, given.strategies ?? [])
    requireValidFlag({ name, description, strategies })
    if (name !== row.name) await requireNameFree(tx, project, name)
    await requireUserLists(tx, project, strategies)
    await store.writeStrategies(tx, row.id, stored, strategies)
    const updated = await store.updateFlag(tx, row.id, { name, description, active, updated_at: now(clock) })
    if (!updated) throw recordNotFound()
    await finishWrite(tx, project.id)
    if (active !== row.active) {
      const userId = actor.kind === 'user' ? actor.userId : null
      await react(platform, tx, 'feature_flag.switched', { flagId: row.id, projectId: project.id, userId })
    }
    return updated
  })
  return present(database.read, changed)
}

/** Deletes a flag. @returns it as it was (contract 24, x.feature_flags_delete). @throws ApiError 404, 412 */
export async function deleteFlag({ database }: Platform, project: Project, name: string, unmodified: Unmodified) {
  return database.write(async (tx) => {
    await lockFlags(tx, project.id)
    const row = await claim(tx, 'feature_flags', () => requireFlag(tx, project, name))
    unmodified(row.updated_at)
    const deleted = await present(tx, row)
    await store.deleteFlag(tx, row.id)
    await finishWrite(tx, project.id)
    return deleted
  })
}
