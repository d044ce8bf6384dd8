import type { Ports } from '../../platform/index.ts'
import { wikiSizesOf } from './store.ts'

/** Bytes of the wikis of projects (contract 21, Project). */
export const wikiSizes: Ports['projects.wiki_sizes'] = ({ database }, projectIds) =>
  wikiSizesOf(database.read, projectIds)
