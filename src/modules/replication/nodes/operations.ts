import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { ProjectFailure } from '../failures/present.ts'
import { ReplicationNodeStatus, ReplicationSiteStatus } from '../status/fields.ts'
import { getCurrentStatus, getStatus, listStatuses, refuseFailures, repairNode } from '../status/statuses.ts'
import { issueCredentials, revokeCredentials } from './credentials.ts'
import { createNode, deleteNode, getNode, listNodes, updateNode } from './nodes.ts'
import { failureFilter, newNode, nodeChanges, nodePath, refresh } from './params.ts'
import { Credentials, type Naming, ReplicationNode, ReplicationSite } from './present.ts'
import { nodeRecords } from './subject.ts'

type Contracts = Record<
  'create' | 'list' | 'get' | 'update' | 'delete' | 'repair' | 'statuses' | 'status' | 'current' | 'failures',
  string
>

const shared = { tier: 'premium', subject: nodeRecords, allow: 'administrator' } as const

/** What the operations on records under one of their two names have in common (contract 15, Sites). */
function namedBy(naming: Naming, tag: string, noun: string, contracts: Contracts, deprecated: boolean) {
  const [Node, Status] =
    naming === 'geo_nodes'
      ? ([ReplicationNode, ReplicationNodeStatus] as const)
      : ([ReplicationSite as unknown as typeof ReplicationNode, ReplicationSiteStatus] as const)
  const common = { ...shared, tag, deprecated } as const
  const read = { ...common, scopes: reading, method: 'GET' } as const
  const write = { ...common, scopes: writing } as const
  return { naming, noun, contracts, Node, Status, read, write }
}

type Named = ReturnType<typeof namedBy>

/** Operations on all records, and on the one of the server that is asked. */
function onAll({ naming, noun, contracts, Node, Status, read, write }: Named) {
  return [
    operation({
      ...write,
      id: `${naming}.create`,
      contract: contracts.create,
      method: 'POST',
      path: `/${naming}`,
      summary: `Create a replication ${noun}`,
      params: newNode,
      result: [201, Node],
      run: ({ platform, params, act }) => createNode(platform, params, naming, act),
    }),
    operation({
      ...read,
      id: `${naming}.list`,
      contract: contracts.list,
      path: `/${naming}`,
      summary: `List replication ${noun}s`,
      result: [200, pageOf(Node)],
      run: ({ platform, page }) => listNodes(platform, page, naming),
    }),
    operation({
      ...read,
      id: `${naming}.statuses`,
      contract: contracts.statuses,
      path: `/${naming}/status`,
      summary: `List the statuses of replication ${noun}s`,
      result: [200, pageOf(Status)],
      run: ({ platform, page }) => listStatuses(platform, page, naming),
    }),
    operation({
      ...read,
      id: `${naming}.current_status`,
      contract: contracts.current,
      path: `/${naming}/current/status`,
      summary: `Get the status of the ${noun} that is asked`,
      result: [200, Status],
      run: ({ platform }) => getCurrentStatus(platform, naming),
    }),
    operation({
      ...read,
      id: `${naming}.failures`,
      contract: contracts.failures,
      path: `/${naming}/current/failures`,
      summary: `List the failures of the secondary ${noun} that is asked`,
      params: failureFilter,
      result: [200, pageOf(ProjectFailure)],
      run: ({ platform }) => refuseFailures(platform),
    }),
  ]
}

/** Operations on one record. */
function onOne({ naming, noun, contracts, Node, Status, read, write }: Named) {
  return [
    operation({
      ...read,
      id: `${naming}.get`,
      contract: contracts.get,
      path: `/${naming}/:id`,
      summary: `Get a replication ${noun}`,
      params: nodePath,
      result: [200, Node],
      run: ({ platform, params }) => getNode(platform, params.id, naming),
    }),
    operation({
      ...write,
      id: `${naming}.update`,
      contract: contracts.update,
      method: 'PUT',
      path: `/${naming}/:id`,
      summary: `Change a replication ${noun}`,
      description: 'A secondary may change `enabled` of its own record, with its node token.',
      params: { ...nodePath, ...nodeChanges },
      result: [200, Node],
      run: ({ platform, subject, params: { id, ...given }, act }) =>
        updateNode(platform, subject, id, given, { naming, act }),
    }),
    operation({
      ...write,
      id: `${naming}.delete`,
      contract: contracts.delete,
      method: 'DELETE',
      path: `/${naming}/:id`,
      summary: `Delete a replication ${noun}`,
      params: nodePath,
      result: [204, nothing],
      run: ({ platform, params, act }) => deleteNode(platform, params.id, act),
    }),
    operation({
      ...write,
      id: `${naming}.repair`,
      contract: contracts.repair,
      method: 'POST',
      path: `/${naming}/:id/repair`,
      summary: `Give a replication ${noun} credentials again`,
      params: nodePath,
      result: [200, Status],
      run: ({ platform, params, act }) => repairNode(platform, params.id, naming, act),
    }),
    operation({
      ...read,
      id: `${naming}.status`,
      contract: contracts.status,
      path: `/${naming}/:id/status`,
      summary: `Get the status of a replication ${noun}`,
      params: { ...nodePath, ...refresh },
      result: [200, Status],
      run: ({ platform, params }) => getStatus(platform, params.id, naming),
    }),
  ]
}

const ofNodes: Contracts = {
  create: '3.40',
  list: '3.41',
  get: '3.41b',
  update: '3.42',
  delete: '3.43',
  repair: '3.44',
  statuses: '3.45',
  status: '3.46',
  current: 'x.geo_current_status',
  failures: 'x.geo_failures',
}

const ofSites: Contracts = {
  create: 'x.geo_sites.create',
  list: 'x.geo_sites.list',
  get: 'x.geo_sites.get',
  update: 'x.geo_sites.update',
  delete: 'x.geo_sites.delete',
  repair: 'x.geo_sites.repair',
  statuses: 'x.geo_sites.statuses',
  status: 'x.geo_sites.status',
  current: 'x.geo_sites.current_status',
  failures: 'x.geo_sites.failures',
}

const nodes = namedBy('geo_nodes', 'Replication nodes', 'node', ofNodes, true)
const sites = namedBy('geo_sites', 'Replication sites', 'site', ofSites, false)

const credentials = {
  ...shared,
  tag: 'Replication nodes',
  scopes: writing,
  path: '/geo_nodes/:id/credentials',
  params: nodePath,
  deprecated: true,
} as const

const credentialsCreate = operation({
  ...credentials,
  id: 'geo_nodes.create_credentials',
  contract: 'x.geo_credentials.create',
  method: 'POST',
  summary: 'Issue new credentials for a secondary',
  description: 'Former credentials end at once. The secret is shown only here.',
  result: [201, Credentials],
  run: ({ platform, params, act }) => issueCredentials(platform, params.id, act),
})

const credentialsDelete = operation({
  ...credentials,
  id: 'geo_nodes.delete_credentials',
  contract: 'x.geo_credentials.delete',
  method: 'DELETE',
  summary: 'Revoke the credentials of a secondary',
  result: [204, nothing],
  run: ({ platform, params, act }) => revokeCredentials(platform, params.id, act),
})

/** The records of nodes, as nodes and as sites, and their credentials. */
export const nodeOperations = [
  ...onAll(nodes),
  ...onOne(nodes),
  ...onAll(sites),
  ...onOne(sites),
  credentialsCreate,
  credentialsDelete,
]
