import type { IntegrationRow } from '../tables.ts'
import type { DistantRow } from './store.ts'

/** A setting as it applies to a project or group. */
export type AppliedIntegration = IntegrationRow & { inherited: boolean }

/**
 * Of the settings of a project or group and of the groups above it, those that apply: for each slug the nearest one. A setting that a
 * group has switched off ends the inheritance, and is not inherited itself.
 * @param ownDepth that of the settings of the project (-1) or group (0) itself
 */
export function applied(rows: readonly DistantRow[], ownDepth: number): AppliedIntegration[] {
  const nearest = new Map<string, DistantRow>()
  for (const row of rows) {
    const other = nearest.get(row.slug)
    if (!other || row.depth < other.depth) nearest.set(row.slug, row)
  }
  return [...nearest.values()]
    .map(({ depth, ...row }) => ({ ...row, inherited: depth > ownDepth }))
    .filter(({ active, inherited }) => active || !inherited)
    .toSorted((one, other) => one.id - other.id)
}
