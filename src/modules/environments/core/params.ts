import { type ParamValues, t } from '../../../api/index.ts'
import { autoStopSettings, environmentStates, tiers } from '../tables.ts'

export const environmentId = { environment_id: t.id() }

/** Parameters of x.environments_list. */
export const environmentFilter = {
  name: t.string({ description: 'Exactly this name.' }),
  search: t.string({ description: 'Part of the name, at least three characters.' }),
  states: t.oneOf(environmentStates),
  with_last_deployment: t.boolean({ description: 'With the newest deployment of each.' }),
}
export type EnvironmentFilter = ParamValues<typeof environmentFilter>

/** Parameters of x.environments_update. */
export const environmentChanges = {
  external_url: t.nullable(t.string()),
  tier: t.oneOf(tiers, { description: 'Default: by the name.' }),
  description: t.nullable(t.string()),
  auto_stop_setting: t.oneOf(autoStopSettings),
  cluster_agent_id: t.integer({ description: 'Not supported: there are no agents.' }),
  slug: t.string({ description: 'Not accepted: the slug is made from the name.' }),
}
export type EnvironmentChanges = ParamValues<typeof environmentChanges>

/** Parameters of x.environments_create. */
export const newEnvironment = {
  name: t.required(t.string()),
  ...environmentChanges,
}
export type NewEnvironment = ParamValues<typeof newEnvironment>
