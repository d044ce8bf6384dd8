import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Config } from '../../../config.ts'

/** What can be wrong with a node (contract 15, Health). */
export const conditions = {
  silent: 'Status has not been updated in the past 10 minutes',
  unreachable: (reason: string) => `Could not connect to Geo primary node - ${reason}`,
  unregistered: 'This node is not registered with the primary',
  storage: (name: string) => `Storage ${name} is not writable`,
  lag: 'Replication lag exceeds 1 hour',
} as const

const separator = '; '
const healthy = 'Healthy'

/** The members of a status that say whether anything is wrong. */
export function healthMembers(problems: readonly string[]) {
  return {
    healthy: problems.length === 0,
    health: problems.length === 0 ? healthy : problems.join(separator),
    health_status: problems.length === 0 ? healthy : 'Unhealthy',
  }
}

/** The problems that a text of `healthMembers` names. */
export function problemsIn(health: unknown): string[] {
  return typeof health !== 'string' || health === healthy || health === '' ? [] : health.split(separator)
}

/** One sentence for each storage that cannot be written to. */
export async function storageProblems({ storages }: Pick<Config, 'storages'>): Promise<string[]> {
  const problems = await Promise.all(
    Object.entries(storages).map(async ([name, folder]) => {
      const isWritable = await access(folder, constants.W_OK).then(
        () => true,
        () => false,
      )
      return isWritable ? [] : [conditions.storage(name)]
    }),
  )
  return problems.flat()
}
