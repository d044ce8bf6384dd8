import { instance, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { instanceDefinitions, paramsOf } from '../../platform/settings/index.ts'
import { presentSettings, settingsSchema } from './present.ts'

const tag = 'Application settings'
/** Parameters and schema are the same for all instances, unlike defaults. */
const definitions = instanceDefinitions()
const ApplicationSettings = settingsSchema(definitions)

export const settingsGet = operation({
  id: 'settings.get',
  contract: 'x.settings_get',
  method: 'GET',
  path: '/application/settings',
  tag,
  summary: 'Read the settings of the instance',
  subject: instance,
  allow: 'administrator',
  scopes: reading,
  result: [200, ApplicationSettings],
  run: async ({ platform }) => presentSettings(await platform.settings.record()),
})

export const settingsUpdate = operation({
  id: 'settings.update',
  contract: 'x.settings_update',
  method: 'PUT',
  path: '/application/settings',
  tag,
  summary: 'Change settings of the instance',
  description: 'Settings that are not given do not change. A change applies from the next request on.',
  subject: instance,
  allow: 'administrator',
  scopes: writing,
  params: paramsOf(definitions),
  atLeastOne: Object.keys(definitions) as (keyof typeof definitions)[],
  result: [200, ApplicationSettings],
  run: async ({ platform, params }) => presentSettings(await platform.settings.update(params)),
})
