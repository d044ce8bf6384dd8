import { forms, nullable, type Static, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { FlagRow } from '../tables.ts'
import { userListsByIds } from '../user-lists/store.ts'
import { strategiesOfFlags } from './store.ts'

const Strategy = Type.Object(
  {
    id: forms.id,
    name: Type.String(),
    parameters: Type.Record(Type.String(), Type.String()),
    scopes: Type.Array(Type.Object({ id: forms.id, environment_scope: Type.String() })),
    user_list: nullable(
      Type.Object({ id: forms.id, iid: Type.Integer(), name: Type.String(), user_xids: Type.String() }),
    ),
  },
  { title: 'FeatureFlagStrategy' },
)

/** A feature flag (contract 24, FeatureFlag). */
export const FeatureFlag = Type.Object(
  {
    name: Type.String(),
    description: forms.nullableString,
    active: Type.Boolean(),
    version: Type.String(),
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    scopes: Type.Array(Type.String(), { description: 'Always empty: strategies have scopes.' }),
    strategies: Type.Array(Strategy),
  },
  { title: 'FeatureFlag' },
)

/** Presents flags; what all of them show is loaded at once. */
export async function presentFlags(db: Reader, flags: readonly FlagRow[]): Promise<Static<typeof FeatureFlag>[]> {
  const strategies = await strategiesOfFlags(
    db,
    flags.map(({ id }) => id),
  )
  const all = [...strategies.values()].flat()
  const lists = await userListsByIds(db, [...new Set(all.flatMap(({ user_list_id: id }) => id ?? []))])
  const presented = ({ user_list_id, parameters, ...shown }: (typeof all)[number]) => {
    const list = lists.get(user_list_id ?? 0)
    return {
      ...shown,
      parameters: parameters as Record<string, string>,
      user_list: list ? { id: list.id, iid: list.iid, name: list.name, user_xids: list.user_xids } : null,
    }
  }
  return flags.map(({ id, name, description, active, created_at, updated_at }) => ({
    ...{ name, description, active, version: 'new_version_flag', created_at, updated_at, scopes: [] },
    strategies: (strategies.get(id) ?? []).map(presented),
  }))
}
