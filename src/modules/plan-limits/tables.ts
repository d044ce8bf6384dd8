import type { Json } from '../../infra/database/index.ts'

/** The limits that an administrator has changed; one row. */
export type PlanLimitsTable = { id: number; changed: Json<Record<string, number>>; updated_at: string }

declare module '../../infra/database/tables.ts' {
  interface Tables {
    plan_limits: PlanLimitsTable
  }
}
