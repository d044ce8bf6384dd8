import { portions, type Reader } from '../../../infra/database/index.ts'
import type { Check, Job } from '../../../platform/index.ts'
import { countedTotals } from './store/counted.ts'
import { countMarked, namespacesAfter, totalsOf } from './store/totals.ts'

/** Marks that are counted in one transaction. */
const marksAtOnce = 1000

/** Adds to the totals of namespaces what has changed since the last time; until then, lists compare it themselves. */
export const countChanges: Job<null> = {
  kind: 'namespaces.count_changes',
  every: { seconds: 180 },
  async run({ database }) {
    while ((await database.write((tx) => countMarked(tx, marksAtOnce))) === marksAtOnce);
  },
}

/** One sentence for each total that differs from what is counted. */
async function differing(db: Reader, ids: readonly number[]): Promise<{ id: number; problem: string }[]> {
  const totals = await totalsOf(db, ids)
  const counted = await countedTotals(db, ids)
  return ids.flatMap((id) => {
    const entries = Object.entries(totals.get(id)?.below ?? {})
    const expected: Readonly<Record<string, number>> = counted.get(id) ?? {}
    return entries.flatMap(([name, value]) =>
      value === (expected[name] ?? 0)
        ? []
        : [{ id, problem: `namespace ${id} has ${expected[name] ?? 0} ${name}, but its total says ${value}` }],
    )
  })
}

/** Namespaces that are compared at once. */
const comparedAtOnce = 500

/** Compares the totals of all namespaces with what is stored. What differs is compared again, since a server may work meanwhile. */
export const totalsCheck: Check = async function* ({ database: { read } }) {
  for await (const rows of portions((after) => namespacesAfter(read, after, comparedAtOnce))) {
    const suspects = await differing(
      read,
      rows.map(({ id }) => id),
    )
    const again = await differing(read, [...new Set(suspects.map(({ id }) => id))])
    for (const { problem } of again) yield problem
  }
}
