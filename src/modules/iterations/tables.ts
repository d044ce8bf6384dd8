import type { Generated, Insertable, Selectable } from 'kysely'

export type IterationCadencesTable = {
  id: Generated<number>
  namespace_id: number
  title: string
  description: string | null
  /** Whether a job creates the iterations. The next three are not null then. */
  automatic: boolean
  start_date: string | null
  duration_in_weeks: number | null
  iterations_in_advance: number | null
  /** Whether open issues of a closed iteration move to the next one. */
  roll_over: boolean
  active: boolean
  created_at: string
  updated_at: string
}

export type IterationsTable = {
  id: Generated<number>
  iid: number
  namespace_id: number
  cadence_id: number
  /** The position in the cadence by date, from 1. */
  sequence: number
  /** Null when a job created the iteration. */
  title: string | null
  description: string | null
  /** `YYYY-MM-DD`, like `due_date`; both days belong to the iteration. */
  start_date: string
  due_date: string
  /** Whether the end of the iteration has been handled. */
  closed: boolean
  created_at: string
  updated_at: string
}

export type CadenceRow = Selectable<IterationCadencesTable>
export type NewCadenceRow = Insertable<IterationCadencesTable>
/** An iteration with the full path of its group. */
export type IterationRow = Selectable<IterationsTable> & { group_path: string }
export type NewIterationRow = Insertable<IterationsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    iteration_cadences: IterationCadencesTable
    iterations: IterationsTable
  }
}
