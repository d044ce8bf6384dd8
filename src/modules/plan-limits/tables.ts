import { type TablesOf, t, table } from '../../infra/database/index.ts'

/** The limits that an administrator has changed; one row. */
export const planLimits = table('plan_limits', {
  id: t.integer().primaryKey(),
  changed: t.json<Record<string, number>>(),
  updated_at: t.time(),
})

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof planLimits> {}
}
