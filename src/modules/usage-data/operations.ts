import { instance, raw, type Scopes, Type, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { countNames } from './store.ts'
import { metricDefinitions, servicePing } from './usage-data.ts'

const shared = { tag: 'Usage data', subject: instance } as const
const pinging: Scopes = ['api', 'read_api', 'read_service_ping']

const count = Type.Integer()
const Counts = Type.Object(Object.fromEntries(countNames.map((name) => [name, count])))
const some = <S extends Parameters<typeof Type.Optional>[0]>(schema: S) => Type.Optional(schema)

/** Counts over the instance; empty while `usage_ping_enabled` is false (contract 25, x.usage_service_ping). */
const ServicePing = Type.Object(
  {
    recorded_at: some(Type.String({ format: 'date-time' })),
    uuid: some(Type.String()),
    hostname: some(Type.String()),
    version: some(Type.String()),
    edition: some(Type.String()),
    installation_type: some(Type.String()),
    active_user_count: some(count),
    license: some(Type.Object({})),
    settings: some(Type.Object({})),
    counts: some(Counts),
  },
  { title: 'ServicePing' },
)

export const usageServicePing = operation({
  ...shared,
  id: 'usage_data.service_ping',
  contract: 'x.usage_service_ping',
  method: 'GET',
  path: '/usage_data/service_ping',
  summary: 'Count what the instance contains',
  description: 'At most an hour old, and empty while the setting `usage_ping_enabled` is false. It is sent nowhere.',
  allow: 'administrator',
  scopes: pinging,
  result: [200, ServicePing],
  run: ({ platform }) => servicePing(platform),
})

export const usageMetricDefinitions = operation({
  ...shared,
  id: 'usage_data.metric_definitions',
  contract: 'x.usage_metric_definitions',
  method: 'GET',
  path: '/usage_data/metric_definitions',
  summary: 'Say what each count means',
  allow: 'public',
  scopes: 'any',
  result: [200, { ...raw, mediaType: 'application/yaml' }],
  run: async () => metricDefinitions(),
})

const Accepted = Type.Object({ status: Type.Literal('ok') }, { title: 'UsageAccepted' })
const accept = async () => ({ status: 'ok' as const })
const name = { event: t.required(t.string()) }
const event = {
  ...name,
  namespace_id: t.integer(),
  project_id: t.integer(),
  send_to_snowplow: t.boolean(),
  additional_properties: t.record(t.string()),
}

const accepts = {
  ...shared,
  method: 'POST',
  allow: 'authenticated',
  scopes: writing,
  description: 'Nothing is recorded or sent: the operation is there for clients that call it.',
  result: [200, Accepted],
  run: accept,
} as const

export const usageIncrementCounter = operation({
  ...accepts,
  id: 'usage_data.increment_counter',
  contract: 'x.usage_increment_counter',
  path: '/usage_data/increment_counter',
  summary: 'Accept a counter',
  params: name,
})

export const usageIncrementUniqueUsers = operation({
  ...accepts,
  id: 'usage_data.increment_unique_users',
  contract: 'x.usage_increment_unique_users',
  path: '/usage_data/increment_unique_users',
  summary: 'Accept a counter of users',
  params: name,
})

export const usageTrackEvent = operation({
  ...accepts,
  id: 'usage_data.track_event',
  contract: 'x.usage_track_event',
  path: '/usage_data/track_event',
  summary: 'Accept an event',
  params: event,
})

export const usageTrackEvents = operation({
  ...accepts,
  id: 'usage_data.track_events',
  contract: 'x.usage_track_events',
  path: '/usage_data/track_events',
  summary: 'Accept events',
  params: { events: t.required(t.array(t.object(event), { maximum: 50 })) },
})
