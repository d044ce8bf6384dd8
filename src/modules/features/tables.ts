/** Feature flags of the instance that an administrator has set, with their targets (contract 05). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const features = table('features', {
  name: t.name().primaryKey(),
  enabled: t.boolean(),
  /** Percent, from 0 to 100. */
  percentage_of_actors: t.float(),
  percentage_of_time: t.float(),
  created_at: t.time(),
  updated_at: t.time(),
})

/** Actors (`User:7`) and groups for which a feature is on; an actor that ends in `:opt_out` never has it. */
export const featureTargets = table(
  'feature_targets',
  {
    id: t.id(),
    feature_name: t.name().refers('features', 'name', 'cascade'),
    kind: t.text<'actor' | 'group'>(),
    value: t.name(),
  },
  {
    unique: { value: ['feature_name', 'kind', 'value'] },
  },
)

export type FeatureRow = RowOf<typeof features>
export type FeatureTargetRow = RowOf<typeof featureTargets>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof features | typeof featureTargets> {}
}
