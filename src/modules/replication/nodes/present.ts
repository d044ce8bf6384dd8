import { forms, nullable, oneOf, type Static, Type } from '../../../api/index.ts'
import type { NodeRow } from '../tables.ts'
import { sameName } from './rules.ts'

const capacities = {
  container_repositories_max_capacity: Type.Integer(),
  verification_max_capacity: Type.Integer(),
}

const before = {
  id: forms.id,
  name: Type.String(),
  url: Type.String({ description: 'Ends with a slash.' }),
  internal_url: Type.String({ description: 'Ends with a slash; `url` unless another one was given.' }),
  primary: Type.Boolean(),
  enabled: Type.Boolean(),
  current: Type.Boolean({ description: 'Whether it is the record of the server that answers.' }),
  files_max_capacity: Type.Integer(),
  repos_max_capacity: Type.Integer(),
}

const between = {
  selective_sync_type: nullable(oneOf(['namespaces', 'shards'])),
  selective_sync_shards: forms.strings,
  selective_sync_namespace_ids: Type.Array(Type.Integer()),
  minimum_reverification_interval: Type.Integer({ description: 'In days.' }),
  sync_object_storage: Type.Boolean(),
}

const after = {
  web_edit_url: Type.String(),
  web_geo_replication_details_url: Type.Optional(Type.String({ description: 'Only of secondaries.' })),
  _links: Type.Object({ self: Type.String(), status: Type.String(), repair: Type.String() }),
}

/** A node (contract 15, Node). */
export const ReplicationNode = Type.Object(
  { ...before, ...capacities, ...between, clone_protocol: Type.String({ examples: ['http'] }), ...after },
  { title: 'ReplicationNode' },
)

const { container_repositories_max_capacity: ofContainers, verification_max_capacity: ofVerification } = capacities

/** A site: the newer form of a node (contract 15, Site). */
export const ReplicationSite = Type.Object(
  {
    ...before,
    verification_max_capacity: ofVerification,
    container_repositories_max_capacity: ofContainers,
    ...between,
    ...after,
  },
  { title: 'ReplicationSite' },
)

/** Whether records are shown as nodes or as sites. */
export type Naming = 'geo_nodes' | 'geo_sites'

/** What the form of a record depends on besides its row. */
export type NodeContext = {
  naming: Naming
  /** Address of the primary, with a slash at the end. */
  primaryUrl: string
  ownName: string
  namespaceIds: readonly number[]
}

/** The address of a record in the API of the primary. */
export const recordUrl = ({ naming, primaryUrl }: Pick<NodeContext, 'naming' | 'primaryUrl'>, id: number) =>
  `${primaryUrl}api/v4/${naming}/${id}`

/** A record as a node, which has one member more than a site. */
export function presentNode(row: NodeRow, context: NodeContext): Static<typeof ReplicationNode> {
  const { name_key, is_primary, access_key, sealed_secret, created_at, updated_at, ...shown } = row
  const { primaryUrl, ownName, namespaceIds } = context
  const self = recordUrl(context, row.id)
  const details = `${row.url}admin/geo/sites/${row.id}/replication/project_repositories`
  return {
    ...shown,
    internal_url: row.internal_url ?? row.url,
    primary: is_primary,
    current: sameName(row.name, ownName),
    selective_sync_namespace_ids: [...namespaceIds],
    clone_protocol: 'http',
    web_edit_url: `${primaryUrl}admin/geo/sites/${row.id}/edit`,
    ...(is_primary ? {} : { web_geo_replication_details_url: details }),
    _links: { self, status: `${self}/status`, repair: `${self}/repair` },
  }
}

/** Credentials of a node; they are shown once (contract 15, Credentials). */
export const Credentials = Type.Object(
  { access_key: Type.String(), secret_access_key: Type.String() },
  { title: 'ReplicationCredentials' },
)
