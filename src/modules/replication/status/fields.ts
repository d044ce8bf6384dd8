import { forms, nullable, type TSchema, Type } from '../../../api/index.ts'
import { namespaceMembers } from '../../namespaces/index.ts'
import type { Naming } from '../nodes/present.ts'

/** The types of a status, in its order; those that are not replicated count 0 (contract 15, Status). */
export const statusTypes = [
  'ci_secure_files',
  'container_repositories',
  'dependency_proxy_blobs',
  'dependency_proxy_manifests',
  'design_management_repositories',
  'group_wiki_repositories',
  'job_artifacts',
  'lfs_objects',
  'merge_request_diffs',
  'package_files',
  'pages_deployments',
  'pipeline_artifacts',
  'project_repositories',
  'project_wiki_repositories',
  'snippet_repositories',
  'terraform_state_versions',
  'uploads',
] as const

/** What a primary counts of each type. */
export const primaryCounts = ['checksum_total_count', 'checksummed_count', 'checksum_failed_count'] as const

/** What a secondary counts of each type. */
export const secondaryCounts = [
  'synced_count',
  'failed_count',
  'registry_count',
  'verification_total_count',
  'verified_count',
  'verification_failed_count',
] as const

/** Older names of the counts of a type; they follow it where the new names have it (contract 15, "Legacy names"). */
const elevenSuffixes = [
  'synced_count',
  'failed_count',
  'synced_in_percentage',
  'checksummed_count',
  'checksum_failed_count',
  'checksummed_in_percentage',
  'verified_count',
  'verification_failed_count',
  'verified_in_percentage',
  'checksum_mismatch_count',
  'retrying_verification_count',
] as const

export type LegacyName = { name: string; type: (typeof statusTypes)[number]; suffix: string }

const legacyOf = (prefix: string, type: LegacyName['type'], suffixes: readonly string[]): LegacyName[] =>
  suffixes.map((suffix) => ({ name: `${prefix}_${suffix}`, type, suffix }))

const threeSuffixes = ['synced_count', 'failed_count', 'synced_in_percentage']

/** The older names with what they show, in order. */
export const legacyNames: readonly LegacyName[] = [
  ...legacyOf('repositories', 'project_repositories', elevenSuffixes),
  ...legacyOf('wikis', 'project_wiki_repositories', elevenSuffixes),
  ...legacyOf('attachments', 'uploads', ['count', ...threeSuffixes, 'synced_missing_on_primary_count']),
  ...legacyOf('design_repositories', 'design_management_repositories', ['count', ...threeSuffixes]),
  ...legacyOf('lfs_objects', 'lfs_objects', ['synced_missing_on_primary_count']),
  ...legacyOf('job_artifacts', 'job_artifacts', ['synced_missing_on_primary_count']),
]

const count = forms.nullableInteger
const percentage = Type.String({ examples: ['98.50%'] })

const record = (names: readonly string[], schema: TSchema): Record<string, TSchema> =>
  Object.fromEntries(names.map((name) => [name, schema]))

const legacySchema = (suffix: string) => (suffix.endsWith('percentage') ? percentage : count)

const members: Record<string, TSchema> = {
  geo_node_id: forms.id,
  projects_count: count,
  container_repositories_replication_enabled: nullable(Type.Boolean()),
  ...record(
    statusTypes.flatMap((type) => ['count', ...primaryCounts, ...secondaryCounts].map((name) => `${type}_${name}`)),
    count,
  ),
  git_fetch_event_count_weekly: count,
  git_push_event_count_weekly: count,
  proxy_remote_requests_event_count_weekly: count,
  proxy_local_requests_event_count_weekly: count,
  repositories_checked_in_percentage: percentage,
  replication_slots_used_in_percentage: percentage,
  ...record(
    statusTypes.flatMap((type) => [`${type}_synced_in_percentage`, `${type}_verified_in_percentage`]),
    percentage,
  ),
  repositories_count: count,
  replication_slots_count: count,
  replication_slots_used_count: count,
  healthy: Type.Boolean(),
  health: Type.String({ description: '`Healthy`, or what is wrong; empty before the first report.' }),
  health_status: Type.String({ examples: ['Healthy', 'Unhealthy'] }),
  missing_oauth_application: Type.Boolean({ description: 'Whether a secondary has no credentials.' }),
  db_replication_lag_seconds: count,
  replication_slots_max_retained_wal_bytes: count,
  repositories_checked_count: count,
  repositories_checked_failed_count: count,
  last_event_id: count,
  last_event_timestamp: count,
  cursor_last_event_id: count,
  cursor_last_event_timestamp: count,
  last_successful_status_check_timestamp: count,
  version: Type.String(),
  revision: Type.String(),
  selective_sync_type: forms.nullableString,
  namespaces: Type.Array(Type.Object(namespaceMembers)),
  updated_at: forms.timestamp,
  storage_shards_match: Type.Boolean(),
  ...Object.fromEntries(legacyNames.map(({ name, suffix }) => [name, legacySchema(suffix)])),
  repository_verification_enabled: Type.Boolean(),
}

/** The names of the members, but the links. */
export const memberNames: readonly string[] = Object.keys(members)

const linkOf: Record<Naming, 'node' | 'site'> = { geo_nodes: 'node', geo_sites: 'site' }

function statusSchema(naming: Naming, title: string) {
  const links = Type.Object({ self: Type.String(), [linkOf[naming]]: Type.String() })
  // The members are made by rules, so their types are not known here.
  return Type.Unsafe<Record<string, unknown>>(Type.Object({ ...members, _links: links }, { title }))
}

/** How far a node has come (contract 15, Status). */
export const ReplicationNodeStatus = statusSchema('geo_nodes', 'ReplicationNodeStatus')
export const ReplicationSiteStatus = statusSchema('geo_sites', 'ReplicationSiteStatus')

/** The links of a status. @param record address of the record of the node */
export const linksOf = (naming: Naming, record: string) => ({ self: `${record}/status`, [linkOf[naming]]: record })
