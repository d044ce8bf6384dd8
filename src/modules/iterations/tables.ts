/**
 * Iterations of groups and their cadences (contract 17). `closed` says that the end of an iteration has been handled: its
 * state follows from its dates.
 */
import { type NewRowOf, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const iterationCadences = table(
  'iteration_cadences',
  {
    id: t.id(),
    namespace_id: t.refers('namespaces', 'cascade'),
    title: t.name(),
    description: t.text().nullable(),
    /** Whether a job creates the iterations. The next three are not null then. */
    automatic: t.boolean(),
    start_date: t.date().nullable(),
    duration_in_weeks: t.integer().nullable(),
    iterations_in_advance: t.integer().nullable(),
    /** Whether open issues of a closed iteration move to the next one. */
    roll_over: t.boolean(),
    active: t.boolean(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    indexes: { order: ['namespace_id', 'id'], automatic: { on: ['id'], where: 'automatic = true and active = true' } },
  },
)
export type IterationCadencesTable = TableOf<typeof iterationCadences>

export const iterations = table(
  'iterations',
  {
    id: t.id(),
    iid: t.bigint(),
    namespace_id: t.refers('namespaces', 'cascade'),
    cadence_id: t.refers('iteration_cadences', 'cascade'),
    /** The position in the cadence by date, from 1. */
    sequence: t.integer(),
    /** Null when a job created the iteration. */
    title: t.name().nullable(),
    description: t.text().nullable(),
    /** `YYYY-MM-DD`, like `due_date`; both days belong to the iteration. */
    start_date: t.date(),
    due_date: t.date(),
    /** Whether the end of the iteration has been handled. */
    closed: t.boolean(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { iid: ['namespace_id', 'iid'] },
    indexes: {
      cadence: ['cadence_id', 'start_date'],
      open: { on: ['due_date', 'id'], where: 'closed = false' },
      title: ['title'],
      order: ['namespace_id', 'start_date', 'id', 'due_date', 'updated_at', 'title'],
    },
    text: ['title'],
  },
)
export type IterationsTable = TableOf<typeof iterations>

export type CadenceRow = RowOf<typeof iterationCadences>
/** An iteration with the full path of its group. */
export type IterationRow = RowOf<typeof iterations> & { group_path: string }
export type NewIterationRow = NewRowOf<typeof iterations>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof iterationCadences | typeof iterations> {}
}
