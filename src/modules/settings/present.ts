import { forms, type Static, Type, withNull } from '../../api/index.ts'
import type {
  Definitions,
  InstanceSettings,
  Setting,
  SettingsRecord,
  SettingValues,
  ValueSchema,
} from '../../platform/settings/index.ts'
import { type aliases, aliasValues } from './aliases.ts'

type SettingsObject = {
  id: number
  created_at: string
  updated_at: string
  repository_storages: string[]
} & InstanceSettings &
  SettingValues<typeof aliases>

/** The schema of a setting's value in responses. */
export function schemaOf({ param, schema = param.schema }: Setting<unknown>): ValueSchema {
  return param.nullable ? withNull(schema) : schema
}

/** The schema of the settings object, derived from the definitions. */
export function settingsSchema(definitions: Definitions) {
  const values = Object.entries(definitions).map(([name, setting]) => {
    return [name, Type.Unsafe(schemaOf(setting) as never)]
  })
  const members = {
    id: forms.id,
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    ...Object.fromEntries(values),
    repository_storages: Type.Array(Type.String(), { description: 'Storages with a weight above 0' }),
  }
  return Type.Unsafe<SettingsObject>(Type.Object(members, { title: 'ApplicationSettings' }))
}

/** Presents the settings (contract 20, "Application settings"; contract 10 for the storages). */
export function presentSettings({ values, ...times }: SettingsRecord): Static<ReturnType<typeof settingsSchema>> {
  const storages = Object.entries(values.repository_storages_weighted).filter(([, weight]) => weight > 0)
  return { ...times, ...values, ...aliasValues(values), repository_storages: storages.map(([storage]) => storage) }
}
