import { forms, instance, reading, Type, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { requireNode } from './authentication.ts'
import { configurationFor } from './configuration.ts'
import { listEvents, listReplicables } from './events.ts'
import { defaultPage, eventsQuery, replicablesQuery } from './params.ts'
import { Events, OwnConfiguration, Replicable } from './present.ts'
import { storeReport } from './report.ts'

// Callers are nodes, which sign each request; see `requireNode`.
const shared = {
  tag: 'Replication protocol',
  subject: instance,
  allow: 'public',
  ownAuthentication: true,
} as const

export const geoNode = operation({
  ...shared,
  id: 'geo.node',
  contract: 'x.geo_int.node',
  method: 'GET',
  scopes: reading,
  path: '/geo/node',
  summary: 'Read the own configuration of a secondary',
  result: [200, OwnConfiguration],
  run: async ({ platform, request }) =>
    configurationFor(platform, await requireNode(platform, request, { whileDisabled: true })),
})

export const geoReplicables = operation({
  ...shared,
  id: 'geo.replicables',
  contract: 'x.geo_int.replicables',
  method: 'GET',
  scopes: reading,
  path: '/geo/replicables',
  summary: 'List what a secondary has to copy',
  params: replicablesQuery,
  result: [200, Type.Array(Replicable)],
  run: async ({ platform, request, params }) => {
    const node = await requireNode(platform, request)
    const { type, after_id: afterId = 0, per_page: limit = defaultPage } = params
    return listReplicables(platform, node, { type, afterId, limit })
  },
})

export const geoEvents = operation({
  ...shared,
  id: 'geo.events',
  contract: 'x.geo_int.events',
  method: 'GET',
  scopes: reading,
  path: '/geo/events',
  summary: 'Read the log of changes, waiting for the next one',
  params: eventsQuery,
  result: [200, Events],
  run: async ({ platform, request, params: { after, wait = 0 } }) => {
    await requireNode(platform, request)
    return listEvents(platform, { after, waitMs: wait * 1000, signal: request.signal })
  },
})

export const geoStatus = operation({
  ...shared,
  id: 'geo.status',
  contract: 'x.geo_int.status',
  method: 'POST',
  scopes: writing,
  path: '/geo/status',
  summary: 'Report the status of a secondary',
  result: [201, forms.accepted],
  run: async ({ platform, request }) =>
    storeReport(platform, await requireNode(platform, request, { whileDisabled: true }), request.raw),
})
