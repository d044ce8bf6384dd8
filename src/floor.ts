import { gate as listed } from './gate.ts'
import {
  openPlatform,
  type Platform,
  pruneRateWindows,
  type RefListener,
  type RefRule,
  registerJobs,
} from './platform/index.ts'
import { createRepositories, type Repositories, repositoryJobs } from './platform/repositories/index.ts'
import { ports } from './ports.ts'
import { reactions } from './reactions.ts'

/** The platform as modules of the old shape see it; goes with the last of them. */
export type Floor = Platform & {
  repositories: Repositories
  gate: { rules: RefRule[]; listeners: RefListener[] }
}

export type FloorNeeds = Pick<Platform, 'config' | 'log' | 'clock' | 'database' | 'git' | 'objects' | 'externalUrl'>

export function openFloor(needs: FloorNeeds): Floor {
  // A copy, because tests add rules to their server.
  const gate = { rules: [...listed.rules], listeners: [...listed.listeners] }
  const platform = openPlatform({ ...needs, gate, reactions, ports })
  registerJobs(platform, [...repositoryJobs, pruneRateWindows])
  return { ...platform, gate, repositories: createRepositories(platform) }
}
