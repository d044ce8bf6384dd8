import { forbidden, forms, raw, reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { acceptSuperseded } from '../promotion/superseded.ts'
import { decide } from './authorize.ts'
import { configurationFor } from './configuration.ts'
import { callingNode } from './credentials/authentication.ts'
import { listEvents, listReplicables } from './events.ts'
import { largestNegotiation, repositoryFor, sendPack, sendRefs } from './git.ts'
import { defaultPage, eventsQuery, promotedNode, readRequest, replicablesQuery } from './params.ts'
import { Decision, Events, OwnConfiguration, Replicable } from './present.ts'
import { storeReport } from './report.ts'
import { retrieve, retrievePart } from './retrieve.ts'

// Callers are nodes, which sign each request.
const shared = {
  tag: 'Replication protocol',
  subject: callingNode(),
  allow: 'public',
  ownAuthentication: true,
  duringMaintenance: true,
} as const

export const geoNode = operation({
  ...shared,
  id: 'geo.node',
  contract: 'x.geo_int.node',
  method: 'GET',
  scopes: reading,
  path: '/geo/node',
  summary: 'Read the own configuration of a secondary',
  subject: callingNode({ whileDisabled: true }),
  result: [200, OwnConfiguration],
  run: ({ platform, subject: node }) => configurationFor(platform, node),
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
  run: async ({ platform, subject: node, params }) => {
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
  run: ({ platform, request, params: { after, wait = 0 } }) =>
    listEvents(platform, { after, waitMs: wait * 1000, signal: request.signal }),
})

const itemPath = { id: t.id() }

export const geoRefs = operation({
  ...shared,
  id: 'geo.refs',
  contract: 'x.geo_int.refs',
  method: 'GET',
  scopes: reading,
  path: '/geo/git/:type/:id/info/refs',
  summary: 'Read the refs of a repository, also hidden ones',
  params: { ...itemPath, service: t.required(t.string()) },
  result: [200, { ...raw, mediaType: 'application/x-git-upload-pack-advertisement' }],
  run: async ({ platform, subject: node, request, params }) => {
    if (params.service !== 'git-upload-pack') throw forbidden()
    return sendRefs(platform, await repositoryFor(platform, node, params), request)
  },
})

export const geoUploadPack = operation({
  ...shared,
  id: 'geo.upload_pack',
  contract: 'x.geo_int.upload_pack',
  method: 'POST',
  scopes: writing,
  path: '/geo/git/:type/:id/git-upload-pack',
  summary: 'Fetch from a repository',
  bytes: true,
  largestBodyBytes: largestNegotiation,
  params: itemPath,
  result: [200, { ...raw, mediaType: 'application/x-git-upload-pack-result' }],
  run: async ({ platform, subject: node, request, params }) =>
    sendPack(platform, await repositoryFor(platform, node, params), request),
})

const ranges = { 206: 'The bytes that the header `Range` selects.' }

export const geoRetrieve = operation({
  ...shared,
  id: 'geo.retrieve',
  contract: 'x.geo_int.retrieve',
  method: 'GET',
  scopes: reading,
  path: '/geo/retrieve/:type/:id',
  summary: 'Read a file, or the list of what an image repository consists of',
  params: itemPath,
  result: [200, { ...raw, mediaType: ['application/octet-stream', 'application/json'] }],
  answers: ranges,
  run: ({ platform, subject: node, request, params, setStatus }) =>
    retrieve(platform, node, params, { request, setStatus }),
})

export const geoRetrievePart = operation({
  ...shared,
  id: 'geo.retrieve_part',
  contract: 'x.geo_int.retrieve_part',
  method: 'GET',
  scopes: reading,
  path: '/geo/retrieve/container_repositories/:id/:kind/:digest',
  summary: 'Read a manifest or blob of an image repository',
  params: itemPath,
  result: [200, { ...raw, mediaType: ['application/octet-stream', 'application/vnd.oci.image.manifest.v1+json'] }],
  answers: ranges,
  run: ({ platform, subject: node, request, params, setStatus }) =>
    retrievePart(platform, node, params, { request, setStatus }),
})

export const geoAuthorize = operation({
  ...shared,
  id: 'geo.authorize',
  contract: 'x.geo_int.authorize',
  method: 'POST',
  scopes: writing,
  path: '/geo/authorize',
  summary: 'Decide the read of a client of a secondary',
  params: readRequest,
  result: [200, Decision],
  run: ({ platform, params }) => decide(platform, params),
})

export const geoStatus = operation({
  ...shared,
  id: 'geo.status',
  contract: 'x.geo_int.status',
  method: 'POST',
  scopes: writing,
  path: '/geo/status',
  summary: 'Report the status of a secondary',
  subject: callingNode({ whileDisabled: true }),
  result: [201, forms.accepted],
  run: ({ platform, subject: node, request }) => storeReport(platform, node, request.raw),
})

export const geoSuperseded = operation({
  ...shared,
  id: 'geo.superseded',
  contract: 'x.geo_int.superseded',
  method: 'POST',
  scopes: writing,
  path: '/geo/superseded',
  summary: 'Learn that the node that calls was promoted in place of this server',
  subject: callingNode({ whileDisabled: true }),
  params: promotedNode,
  result: [201, forms.accepted],
  run: ({ platform, params }) => acceptSuperseded(platform, params),
})
