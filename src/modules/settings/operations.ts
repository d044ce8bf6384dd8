import { instance, reading, writing } from '../../api/index.ts'
import { instanceTarget, operation, recordAct } from '../../platform/index.ts'
import { instanceDefinitions, paramsOf } from '../../platform/settings/index.ts'
import { aliases, withoutAliases } from './aliases.ts'
import { presentSettings, settingsSchema } from './present.ts'

/** Parameters and schema are the same for all instances, unlike defaults. */
const definitions = { ...instanceDefinitions(), ...aliases }
const ApplicationSettings = settingsSchema(definitions)

const shared = { tag: 'Application settings', subject: instance, allow: 'administrator' } as const

export const settingsGet = operation({
  ...shared,
  id: 'settings.get',
  contract: 'x.settings_get',
  method: 'GET',
  path: '/application/settings',
  summary: 'Read the settings of the instance',
  scopes: reading,
  result: [200, ApplicationSettings],
  run: async ({ platform }) => presentSettings(await platform.settings.record()),
})

export const settingsUpdate = operation({
  ...shared,
  id: 'settings.update',
  contract: 'x.settings_update',
  method: 'PUT',
  path: '/application/settings',
  summary: 'Change settings of the instance',
  description: 'Settings that are not given do not change. A change applies from the next request on.',
  scopes: writing,
  duringMaintenance: true,
  params: paramsOf(definitions),
  atLeastOne: Object.keys(definitions) as (keyof typeof definitions)[],
  result: [200, ApplicationSettings],
  run: ({ platform, params, actor }) =>
    platform.database.write(async (tx) => {
      const record = await platform.settings.update(withoutAliases(params), tx)
      await recordAct(platform, tx, actor, { name: 'settings.update', target: instanceTarget, changed: params })
      return presentSettings(record)
    }),
})
