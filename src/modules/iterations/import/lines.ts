import { dayOf } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import {
  BadLine,
  booleanOf,
  dateOf,
  type ImportedLine,
  type Importing,
  type ImportLine,
  linesOf,
  requiredText,
  textOf,
  timesOf,
} from '../../../platform/index.ts'
import { insertCadence } from '../cadences/store.ts'
import { insertIteration, numberSequence, usableIterationOf } from '../core/store.ts'

const longestTitle = 255

/** The days of an iteration. @throws BadLine */
function daysOf(line: ImportedLine): { start_date: string; due_date: string } {
  const [start_date, due_date] = [dateOf(line, 'start_date'), dateOf(line, 'due_date')]
  if (start_date === null || due_date === null) throw new BadLine('start_date and due_date must be given')
  if (start_date > due_date) throw new BadLine('due_date must be after start_date')
  return { start_date, due_date }
}

/** The iteration of the groups above that has the days of an embedded one; null when there is none. @throws BadLine */
export function embeddedIteration(tx: Tx, { namespaceId }: Importing, line: ImportedLine): Promise<number | null> {
  return usableIterationOf(tx, namespaceId, daysOf(line))
}

/** Imports a cadence of a group with its iterations, which no job continues (contract 14, iterations_cadences). */
export const importCadence: ImportLine = async ({ clock }, into, line) => {
  if (into.kind !== 'group') throw new BadLine('cadences are in groups')
  const today = dayOf(clock.now())
  const cadence = {
    namespace_id: into.id,
    title: requiredText(line, 'title'),
    description: textOf(line, 'description'),
    ...{
      automatic: false,
      start_date: dateOf(line, 'start_date'),
      duration_in_weeks: null,
      iterations_in_advance: null,
    },
    ...{ roll_over: booleanOf(line, 'roll_over', false), active: booleanOf(line, 'active', true), ...timesOf(line) },
  }
  const rows = linesOf(line, 'iterations').map((iteration) => {
    const days = daysOf(iteration)
    const texts = { title: textOf(iteration, 'title', longestTitle), description: textOf(iteration, 'description') }
    return { namespace_id: into.id, ...texts, ...days, closed: days.due_date < today, ...timesOf(iteration) }
  })
  return async (tx) => {
    const { id: cadence_id } = await insertCadence(tx, cadence)
    for (const row of rows) await insertIteration(tx, { ...row, cadence_id })
    await numberSequence(tx, cadence_id)
  }
}
