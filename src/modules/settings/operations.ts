import { instance, type Operation, operation, reading, writing } from '../../api/index.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { paramsOf } from '../../platform/settings/index.ts'
import { presentSettings, settingsSchema } from './present.ts'

type Needs = { settings: Settings }

/** Reading and changing the instance's settings: administrators only (contract 20, x.settings_get, x.settings_update). */
export function settingsOperations({ settings }: Needs): Operation[] {
  const { definitions } = settings
  const schema = settingsSchema(definitions)
  const tag = 'Application settings'
  return [
    operation({
      id: 'settings.get',
      contract: 'x.settings_get',
      method: 'GET',
      path: '/application/settings',
      tag,
      summary: 'Read the settings of the instance',
      subject: instance,
      allow: 'administrator',
      scopes: reading,
      result: [200, schema],
      run: async () => presentSettings(await settings.record()),
    }),
    operation({
      id: 'settings.update',
      contract: 'x.settings_update',
      method: 'PUT',
      path: '/application/settings',
      tag,
      summary: 'Change settings of the instance',
      description:
        'Any of the settings may be given; the others stay as they are. A change holds from the next request on.',
      subject: instance,
      allow: 'administrator',
      scopes: writing,
      params: paramsOf(definitions),
      atLeastOne: Object.keys(definitions) as (keyof typeof definitions)[],
      result: [200, schema],
      run: async ({ params }) => presentSettings(await settings.update(params)),
    }),
  ]
}
