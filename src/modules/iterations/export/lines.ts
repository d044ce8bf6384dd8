import { dayOf } from '../../../api/index.ts'
import { type Reader, rows as rowsOf } from '../../../infra/database/index.ts'
import type { ExportedLine, ExportedLines, Platform } from '../../../platform/index.ts'
import { iterationState } from '../core/present.ts'
import { iterationsByIds } from '../core/store.ts'
import { type IterationRow, iterationCadences } from '../tables.ts'
import { iterationsOfCadences } from './store.ts'

function lineOf(row: Omit<IterationRow, 'group_path'>, today: string): ExportedLine {
  const { iid, sequence, namespace_id, title, description, start_date, due_date, created_at, updated_at } = row
  const head = { iid, sequence, group_id: namespace_id, title, description, state: iterationState(row, today) }
  return { ...head, start_date, due_date, created_at, updated_at }
}

/** Iterations as exports embed them, by id; null for none. */
export async function exportedIterationsByIds({ clock }: Platform, db: Reader, ids: readonly (number | null)[]) {
  const rows = await iterationsByIds(
    db,
    ids.filter((id) => id !== null),
  )
  const today = dayOf(clock.now())
  return (id: number | null): ExportedLine | null => {
    const row = id === null ? undefined : rows.get(id)
    return row ? lineOf(row, today) : null
  }
}

/** The cadences of a group with their iterations (contract 14). */
export const exportedCadences: ExportedLines = async function* ({ clock }, db, { id: groupId }) {
  const today = dayOf(clock.now())
  for await (const rows of rowsOf(iterationCadences).portions(db, { namespace_id: groupId }, 100)) {
    const iterations = await iterationsOfCadences(
      db,
      rows.map(({ id }) => id),
    )
    yield rows.map(({ id, namespace_id, ...row }) => {
      const own = iterations.get(id) ?? []
      return {
        ...{ ...row, group_id: namespace_id },
        sequence: Math.max(0, ...own.map(({ sequence }) => sequence)),
        iterations: own.map((iteration) => lineOf(iteration, today)),
      }
    })
  }
}
