import { t } from '../../api/index.ts'
import {
  type InstanceDefinitions,
  type InstanceSettings,
  instanceDefinitions,
  type Setting,
  type SettingValues,
} from '../../platform/settings/index.ts'

const definitions = instanceDefinitions()

/** Other names of settings, for clients that know these; both names read and write one value (contract 20). */
const otherNames = {
  allow_local_requests_from_hooks_and_services: 'allow_local_requests_from_web_hooks_and_services',
  asset_proxy_whitelist: 'asset_proxy_allowlist',
  prevent_merge_request_author_approval: 'prevent_merge_requests_author_approval',
  prevent_merge_request_committers_approval: 'prevent_merge_requests_committers_approval',
  throttle_unauthenticated_enabled: 'throttle_unauthenticated_api_enabled',
  throttle_unauthenticated_period_in_seconds: 'throttle_unauthenticated_api_period_in_seconds',
  throttle_unauthenticated_requests_per_period: 'throttle_unauthenticated_api_requests_per_period',
} as const satisfies Record<string, keyof InstanceDefinitions>

type OtherName = keyof typeof otherNames
const pairs = Object.entries(otherNames) as [OtherName, (typeof otherNames)[OtherName]][]

/** The list of addresses that hooks may reach nevertheless, one a line. */
const rawList = 'outbound_local_requests_allowlist_raw'
const list = 'outbound_local_requests_whitelist'

const text = t.string({ description: 'Addresses that hooks may reach nevertheless, one a line' })

/** The same list as a text: one address a line, each checked as one of the list. */
const addressesByLine: Setting<string, string[]> = {
  default: '',
  param: {
    ...definitions[list].param,
    schema: text.schema,
    read(value, name, problems) {
      const addresses = text.read(value, name, problems)?.split(/[\s,]+/)
      return addresses && definitions[list].param.read(addresses.filter(Boolean), name, problems)
    },
  },
}

type Aliased = { [Name in OtherName]: InstanceDefinitions[(typeof otherNames)[Name]] }

/** The other names, as settings. */
export const aliases = {
  ...(Object.fromEntries(pairs.map(([alias, name]) => [alias, definitions[name]])) as Aliased),
  [rawList]: addressesByLine,
}

type Values = Readonly<Record<string, unknown>>

/** The changes of a request by the names of the settings. Where both names are given, that of the setting counts. */
export function withoutAliases<Changes extends Values>(changes: Changes): Changes {
  const given = pairs.flatMap(([alias, name]) => (changes[alias] === undefined ? [] : [[name, changes[alias]]]))
  const addresses = changes[rawList] === undefined ? {} : { [list]: changes[rawList] }
  return { ...Object.fromEntries(given), ...addresses, ...changes }
}

/** The values of the other names. */
export function aliasValues(values: InstanceSettings): SettingValues<typeof aliases> {
  const entries = pairs.map(([alias, name]) => [alias, values[name]])
  return { ...(Object.fromEntries(entries) as SettingValues<Aliased>), [rawList]: values[list].join('\n') }
}
