/**
 * Container repositories with their manifests, tags and blobs (contract 02). A blob is stored once for all repositories and
 * read through the link of a repository. A repository outlives its project until its contents are deleted.
 */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** State of a deletion (contract 02 R8); null: none was requested. */
export type DeletionStatus = 'delete_scheduled' | 'delete_ongoing' | 'delete_failed'

/** Container repositories. Their contents refer to the id, so they follow a renamed project. */
export const registryRepositories = table(
  'registry_repositories',
  {
    id: t.id(),
    /** Null after the project was deleted, while the contents are being deleted. */
    project_id: t.refers('projects', 'set null').nullable(),
    /** What follows the path of the project; empty for the repository of the project itself. */
    name: t.name(),
    /** The full path when the record was made, for logs; the current one is derived from the project. */
    path: t.name(),
    status: t.text<DeletionStatus>().nullable(),
    failures: t.integer().default(0),
    retry_at: t.time().nullable(),
    /** The last sign of life of the worker that deletes. */
    claimed_at: t.time().nullable(),
    cleanup_policy_started_at: t.time().nullable(),
    /** When the last bulk deletion was accepted. */
    bulk_deletion_at: t.time().nullable(),
    created_at: t.time(),
    /** The process that deletes, as `presence` names it. */
    claimed_by: t.text().nullable(),
  },
  {
    unique: { name: ['project_id', 'name'] },
    indexes: { order: ['project_id', 'id'], deletion: { on: ['id'], where: 'status is not null' } },
  },
)

/** What every rule of protection has after its pattern. */
const ofRule = {
  /** 40, 50 or 60; null: no rule. */
  push_level: t.integer().nullable(),
  delete_level: t.integer().nullable(),
  created_at: t.time(),
  updated_at: t.time(),
}

const rulesOfProject = {
  unique: { pattern: ['project_id', 'pattern'] },
  indexes: { order: ['project_id', 'id'] },
} as const

export const registryProtectionRules = table(
  'registry_protection_rules',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** What follows the path of the project in the pattern, so that rules follow a renamed project. */
    pattern: t.name(),
    ...ofRule,
  },
  rulesOfProject,
)

/** Rules that protect tags in all repositories of a project (contract 26.17). */
export const registryTagRules = table(
  'registry_tag_rules',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** RE2, found anywhere in names. */
    pattern: t.name(),
    ...ofRule,
  },
  rulesOfProject,
)

/** Keys that sign registry tokens, sealed. All nodes use the newest, and accept all. */
export const registrySigningKeys = table('registry_signing_keys', {
  kid: t.text().primaryKey(),
  sealed_key: t.text(),
  created_at: t.time(),
})

/** Blobs by digest, stored once for all repositories. */
export const registryBlobs = table(
  'registry_blobs',
  {
    id: t.id(),
    /** `sha256:…` or `sha512:…`. */
    digest: t.name(),
    size_bytes: t.bigint(),
    /** When it was last stored or lost a link; the grace period begins here. */
    used_at: t.time(),
    /** Set when garbage collection found a link; cleared with each link that is removed. */
    is_referenced: t.boolean().default(false),
    created_at: t.time(),
  },
  {
    unique: { digest: ['digest'] },
    indexes: { unreferenced: { on: ['used_at', 'id'], where: 'is_referenced = false' } },
  },
)

/** Repositories in which a blob can be read. */
export const registryBlobLinks = table(
  'registry_blob_links',
  {
    repository_id: t.refers('registry_repositories', 'refuse'),
    blob_id: t.refers('registry_blobs', 'refuse'),
    /** When it was last uploaded, mounted or asked for with a token that pushes; the grace period begins here. */
    used_at: t.time(),
    /** When a user deleted a manifest that needs it; null when it was used since. */
    released_at: t.time().nullable(),
    /** Set when garbage collection found a manifest that needs it; cleared with each such manifest that is removed. */
    is_referenced: t.boolean().default(false),
  },
  {
    primaryKey: ['repository_id', 'blob_id'],
    indexes: {
      blob: ['blob_id'],
      unreferenced: { on: ['used_at', 'repository_id', 'blob_id'], where: 'is_referenced = false' },
    },
  },
)

/** Unfinished uploads; the bytes are with a writer of the object store. */
export const registryUploads = table(
  'registry_uploads',
  {
    /** UUID. */
    id: t.text().primaryKey(),
    project_id: t.refers('projects', 'cascade'),
    /** Name of the repository in the project, which may not exist yet. */
    name: t.name(),
    /** Null until the first chunk arrives. */
    writer_id: t.text().nullable(),
    /** Set before the bytes become a blob: its content must not be deleted from then on. */
    digest: t.name().nullable(),
    used_at: t.time(),
    created_at: t.time(),
  },
  {
    indexes: { used: ['used_at', 'id'], project: ['project_id', 'name'], digest: partial('digest') },
  },
)
export type RegistryUploadsTable = TableOf<typeof registryUploads>

export const registryManifests = table(
  'registry_manifests',
  {
    id: t.id(),
    repository_id: t.refers('registry_repositories', 'refuse'),
    digest: t.name(),
    media_type: t.text(),
    size_bytes: t.bigint(),
    /** Null for an index. */
    config_digest: t.text().nullable(),
    /** The type of an artifact among referrers: its own, else the media type of its config. */
    artifact_type: t.text().nullable(),
    subject_digest: t.name().nullable(),
    /** JSON object of strings; null: none. Text, because a JSON column cannot hold the character U+0000. */
    annotations: t.text().nullable(),
    /** `total_size` of contract 02 R9. */
    layers_size_bytes: t.bigint(),
    /** The date in the config, the annotations or the children, contract 02 R9; null: none, and `created_at` counts. */
    image_created_at: t.time().nullable(),
    /** When it was last pushed, asked for with a token that pushes, or lost a tag to another; the grace period begins here. */
    used_at: t.time(),
    /**
     * When a user deleted a tag on it, an index that lists it or its subject; null when it was used since. The grace period
     * begins again.
     */
    released_at: t.time().nullable(),
    /** Set when garbage collection found what refers to it; cleared with each such reference that is removed. */
    is_referenced: t.boolean().default(false),
    created_at: t.time(),
  },
  {
    unique: { digest: ['repository_id', 'digest'] },
    indexes: {
      subject: { on: ['repository_id', 'subject_digest', 'created_at', 'digest'], where: 'subject_digest is not null' },
      unreferenced: { on: ['used_at', 'id'], where: 'is_referenced = false' },
    },
  },
)
export type RegistryManifestsTable = TableOf<typeof registryManifests>

/** The bytes as they were pushed, which are valid UTF-8. */
export const registryManifestPayloads = table('registry_manifest_payloads', {
  manifest_id: t.refers('registry_manifests', 'cascade').primaryKey(),
  payload: t.text(),
})

/** The blobs that a manifest needs. Their links cannot be removed while they are listed here. */
export const registryManifestBlobs = table(
  'registry_manifest_blobs',
  {
    manifest_id: t.refers('registry_manifests', 'cascade'),
    repository_id: t.bigint(),
    blob_id: t.bigint(),
    is_layer: t.boolean(),
  },
  {
    primaryKey: ['manifest_id', 'blob_id'],
    constraints: ['foreign key (repository_id, blob_id) references registry_blob_links (repository_id, blob_id)'],
    indexes: { link: ['repository_id', 'blob_id'] },
  },
)

/** The manifests of an index, which cannot be removed before it. */
export const registryManifestChildren = table(
  'registry_manifest_children',
  {
    manifest_id: t.refers('registry_manifests', 'cascade'),
    child_id: t.refers('registry_manifests', 'refuse'),
  },
  {
    primaryKey: ['manifest_id', 'child_id'],
    indexes: { child: ['child_id'] },
  },
)

export const registryTags = table(
  'registry_tags',
  {
    repository_id: t.refers('registry_repositories', 'refuse'),
    name: t.name(),
    manifest_id: t.refers('registry_manifests', 'refuse'),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    primaryKey: ['repository_id', 'name'],
    indexes: { manifest: ['manifest_id'] },
  },
)

export type RegistryRepositoryRow = RowOf<typeof registryRepositories>
export type RegistryProtectionRuleRow = RowOf<typeof registryProtectionRules>
export type RegistryTagRuleRow = RowOf<typeof registryTagRules>
export type RegistryBlobRow = RowOf<typeof registryBlobs>
export type RegistryUploadRow = RowOf<typeof registryUploads>
export type RegistryTagRow = RowOf<typeof registryTags>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      | typeof registryRepositories
      | typeof registryProtectionRules
      | typeof registryTagRules
      | typeof registrySigningKeys
      | typeof registryBlobs
      | typeof registryBlobLinks
      | typeof registryUploads
      | typeof registryManifests
      | typeof registryManifestPayloads
      | typeof registryManifestBlobs
      | typeof registryManifestChildren
      | typeof registryTags
    > {}
}
