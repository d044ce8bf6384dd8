import type { Platform } from '../../../platform/index.ts'
import { revisionOf } from '../../metadata/index.ts'
import { percentage } from './counts.ts'

/** A time as statuses show it. */
export const unixSeconds = (time: string) => Math.floor(Date.parse(time) / 1000)

/** The members of a status that every node has by its software. */
export function softwareMembers({ config }: Pick<Platform, 'config'>) {
  return {
    container_repositories_replication_enabled: config.registryEnabled,
    version: config.version,
    revision: revisionOf(config.version),
    repository_verification_enabled: true,
    repositories_checked_in_percentage: percentage(null, null),
    repositories_checked_count: null,
    repositories_checked_failed_count: null,
  }
}
