import { portions } from '../../../infra/database/index.ts'
import type { Check } from '../../../platform/index.ts'
import { projectIdsAfter, wrongSizes } from './store.ts'

const portion = 1_000

/** Finds projects whose sizes differ from the sums of what they store. */
export const sizeCheck: Check = async function* sizeProblems({ database: { read } }) {
  for await (const rows of portions((afterId) => projectIdsAfter(read, afterId, portion))) {
    const ids = rows.map(({ id }) => id)
    for (const { id, name, kept, summed } of await wrongSizes(read, ids)) {
      yield `project ${id}: its ${name} are ${kept ?? 'unknown'}, not ${summed}`
    }
  }
}
