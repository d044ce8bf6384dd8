import { isShared, type Reader } from '../../../infra/database/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import { ownNode } from './own-node.ts'

/** How long a process of several may act by a role that another one has changed. */
const rereadMs = 10_000

const states = perPlatform((): { isPrimary?: boolean; readAtMs: number } => ({ readAtMs: 0 }))

/**
 * Whether this server is the primary of a replicated installation: its own record says so (contract 15, "Roles and
 * configuration"). Without replication a write costs no query: the answer is remembered.
 */
export async function isPrimary(platform: Platform, db: Reader): Promise<boolean> {
  if (platform.config.geo.role === 'secondary') return false
  const state = states(platform)
  const nowMs = platform.clock.now().getTime()
  const isCurrent = !isShared(db) || Math.abs(nowMs - state.readAtMs) < rereadMs
  if (state.isPrimary !== undefined && isCurrent) return state.isPrimary
  const found = (await ownNode(platform, db))?.is_primary === true
  Object.assign(state, { isPrimary: found, readAtMs: nowMs })
  return found
}

/** Makes the next question read the role again, after records of nodes have changed. */
export function forgetRole(platform: Platform): void {
  delete states(platform).isPrimary
}
