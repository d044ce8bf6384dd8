import { type ParamValues, t } from '../../../api/index.ts'

const others = {
  primary: t.boolean({ description: 'At most one node is the primary.' }),
  enabled: t.boolean({ description: 'A disabled secondary makes no copies.' }),
  internal_url: t.clearable(t.string({ description: 'Where the other nodes reach it. Default: `url`.' })),
  files_max_capacity: t.integer({ description: 'Files that a secondary copies at once; 0: none at all.' }),
  repos_max_capacity: t.integer({ description: 'Repositories that a secondary copies at once; 0: none at all.' }),
  verification_max_capacity: t.integer({ description: 'Copies that are verified at once; 0: none at all.' }),
  container_repositories_max_capacity: t.integer({
    description: 'Container repositories that a secondary copies at once; 0: none at all.',
  }),
  sync_object_storage: t.boolean({ description: 'Whether objects in an S3-compatible store are copied as well.' }),
  selective_sync_type: t.clearable(t.string({ description: '`namespaces` or `shards`; empty: everything is copied.' })),
  selective_sync_shards: t.array(t.string(), { commaSeparated: true, description: 'Names of repository storages.' }),
  selective_sync_namespace_ids: t.array(t.integer(), { commaSeparated: true, description: 'Ids of groups.' }),
  minimum_reverification_interval: t.integer({
    description: 'Days after which the primary computes a checksum again, and secondaries verify their copy again.',
  }),
}

/** Parameters of 3.40. */
export const newNode = { name: t.required(t.string()), url: t.required(t.string()), ...others }

/** Parameters of 3.42. */
export const nodeChanges = { name: t.string(), url: t.string(), ...others }
export type GivenNode = ParamValues<typeof nodeChanges>

export const nodePath = { id: t.id() }

export const refresh = { refresh: t.boolean({ description: 'Accepted, without effect.' }) }

/** Parameters of x.geo_failures. */
export const failureFilter = {
  type: t.oneOf(['repository', 'wiki'], { description: 'Default: both.' }),
  failure_type: t.string({ description: '`sync` (default), `verification` or `checksum_mismatch`.' }),
}
