import type { Database } from '../../infra/database/index.ts'
import { wikiSizesOf } from './store.ts'

/** What the wikis of projects take up, in the form of the projects' statistics (contract 21, Project). */
export function wikiSizes({ database }: { database: Database }) {
  return async (projectIds: readonly number[]): Promise<Map<number, { wiki_size: number }>> => {
    const sizes = await wikiSizesOf(database.read, projectIds)
    return new Map([...sizes].map(([id, size]) => [id, { wiki_size: size }]))
  }
}
