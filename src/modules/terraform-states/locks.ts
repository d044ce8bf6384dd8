import { type Actor, failure } from '../../api/index.ts'
import { now, type Reader } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Project } from '../projects/index.ts'
import { userById } from '../users/index.ts'
import { type LockDetails, lockOf } from './present.ts'
import { holdState, requireName, requireState } from './states.ts'
import * as store from './store.ts'
import type { StateRow } from './tables.ts'

/** Whether the lock is held, and has another id. */
const isHeldByOther = (state: Pick<StateRow, 'lock_id'> | null, id: string | undefined): boolean =>
  state !== null && state.lock_id !== null && state.lock_id !== id

/** Requires that a state is not locked, or by the caller. @throws ApiError 409 */
export function requireUnlocked(state: Pick<StateRow, 'lock_id'> | null, id: string | undefined): void {
  if (isHeldByOther(state, id)) throw failure(409, 'Terraform state is locked')
}

/** The columns of a state that is not locked. */
export const noLock = { lock_id: null, lock_details: null, locked_by_id: null, locked_at: null } as const

async function holderOf(db: Reader, { locked_by_id: id }: StateRow): Promise<string | null> {
  return id === null ? null : ((await userById(db, id))?.username ?? null)
}

/**
 * Locks a state, which need not be there (contract 26, x.tf_state_lock).
 * @returns the lock that is held, and whether it is that of the caller
 * @throws ApiError 400
 */
export async function lockState(
  { database, clock }: Platform,
  project: Project,
  actor: Actor,
  { name, id, details }: { name: string; id: string; details: LockDetails },
) {
  requireName(name)
  return database.write(async (tx) => {
    await holdState(tx, project, name)
    const at = now(clock)
    const times = { created_at: at, updated_at: at }
    const state =
      (await store.stateNamed(tx, project.id, name)) ??
      (await store.insertState(tx, { project_id: project.id, name, ...noLock, ...times }))
    const held = lockOf(state, await holderOf(tx, state))
    if (held) return { lock: held, isOwn: held.ID === id }
    const locked_by_id = actor.kind === 'user' ? actor.userId : null
    const lock = { lock_id: id, lock_details: JSON.stringify(details), locked_by_id, locked_at: at }
    await store.updateState(tx, state.id, { ...lock, updated_at: at })
    const Who = actor.kind === 'user' ? actor.username : ''
    return { lock: { ...details, ID: id, Who, Created: at }, isOwn: true }
  })
}

/**
 * Ends the lock of a state (contract 26, x.tf_state_unlock).
 * @param id of the lock; undefined ends any
 * @returns whether the state is unlocked: the lock may have another id
 * @throws ApiError 400, 404
 */
export async function unlockState(
  { database, clock }: Platform,
  project: Project,
  name: string,
  id: string | undefined,
): Promise<boolean> {
  requireName(name)
  return database.write(async (tx) => {
    await holdState(tx, project, name)
    const state = await requireState(tx, project, name)
    if (id !== undefined && isHeldByOther(state, id)) return false
    if (state.lock_id !== null) await store.updateState(tx, state.id, { ...noLock, updated_at: now(clock) })
    return true
  })
}
