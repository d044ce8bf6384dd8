import type { Platform } from '../../platform/index.ts'
import { beginHousekeeping } from './feed/jobs.ts'
import { startSecondary } from './secondary/loops.ts'

/** Begins what the role of this server needs (contract 15, "Roles and configuration"). */
export async function startReplication(platform: Platform): Promise<{ stop(): Promise<void> } | null> {
  if (platform.config.geo.role === 'secondary') return startSecondary(platform)
  // A record may have become the own one by another configuration of the name.
  await beginHousekeeping(platform)
  return null
}
