import type { Generated, Selectable } from 'kysely'

export type FeaturesTable = {
  name: string
  enabled: boolean
  /** Percent, from 0 to 100. */
  percentage_of_actors: number
  percentage_of_time: number
  created_at: string
  updated_at: string
}

/** Actors (`User:7`) and groups for which a feature is on; an actor that ends in `:opt_out` never has it. */
export type FeatureTargetsTable = {
  id: Generated<number>
  feature_name: string
  kind: 'actor' | 'group'
  value: string
}

export type FeatureRow = Selectable<FeaturesTable>
export type FeatureTargetRow = Selectable<FeatureTargetsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    features: FeaturesTable
    feature_targets: FeatureTargetsTable
  }
}
