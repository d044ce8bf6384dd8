/** Namespaces that are exempt from limits of storage (contract 25, LimitExclusion). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const limitExclusions = table(
  'limit_exclusions',
  { id: t.id(), namespace_id: t.refers('namespaces', 'cascade'), reason: t.text(), created_at: t.time() },
  { unique: { namespace: ['namespace_id'] } },
)
export type LimitExclusionRow = RowOf<typeof limitExclusions>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof limitExclusions> {}
}
