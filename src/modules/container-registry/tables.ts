import type { Generated, Selectable } from 'kysely'

/** State of a deletion (contract 02 R8); null: none was requested. */
export type DeletionStatus = 'delete_scheduled' | 'delete_ongoing' | 'delete_failed'

/** Container repositories. Their contents refer to the id, so they follow a renamed project. */
export type RegistryRepositoriesTable = {
  id: Generated<number>
  /** Null after the project was deleted, while the contents are being deleted. */
  project_id: number | null
  /** What follows the path of the project; empty for the repository of the project itself. */
  name: string
  /** The full path when the record was made, for logs; the current one is derived from the project. */
  path: string
  status: Generated<DeletionStatus | null>
  failures: Generated<number>
  retry_at: Generated<string | null>
  /** The last sign of life of the worker that deletes. */
  claimed_at: Generated<string | null>
  /** The process that deletes, as `presence` names it. */
  claimed_by: Generated<string | null>
  cleanup_policy_started_at: Generated<string | null>
  /** When the last bulk deletion was accepted. */
  bulk_deletion_at: Generated<string | null>
  created_at: string
}

type RegistryProtectionRulesTable = {
  id: Generated<number>
  project_id: number
  /** What follows the path of the project in the pattern, so that rules follow a renamed project. */
  pattern: string
  /** 40, 50 or 60; null: no rule. */
  push_level: number | null
  delete_level: number | null
  created_at: string
  updated_at: string
}

/** Keys that sign registry tokens, sealed. All nodes use the newest, and accept all. */
type RegistrySigningKeysTable = { kid: string; sealed_key: string; created_at: string }

/** Blobs by digest, stored once for all repositories. */
type RegistryBlobsTable = {
  id: Generated<number>
  /** `sha256:…` or `sha512:…`. */
  digest: string
  size_bytes: number
  /** When it was last stored or lost a link; the grace period begins here. */
  used_at: string
  /** Set when garbage collection found a link; cleared with each link that is removed. */
  is_referenced: Generated<boolean>
  created_at: string
}

/** Repositories in which a blob can be read. */
type RegistryBlobLinksTable = {
  repository_id: number
  blob_id: number
  /** When it was last uploaded, mounted or asked for with a token that pushes; the grace period begins here. */
  used_at: string
  /** When a user deleted a manifest that needs it; null when it was used since. */
  released_at: Generated<string | null>
  /** Set when garbage collection found a manifest that needs it; cleared with each such manifest that is removed. */
  is_referenced: Generated<boolean>
}

/** Unfinished uploads; the bytes are with a writer of the object store. */
export type RegistryUploadsTable = {
  /** UUID. */
  id: string
  project_id: number
  /** Name of the repository in the project, which may not exist yet. */
  name: string
  /** Null until the first chunk arrives. */
  writer_id: Generated<string | null>
  /** Set before the bytes become a blob: its content must not be deleted from then on. */
  digest: Generated<string | null>
  used_at: string
  created_at: string
}

export type RegistryManifestsTable = {
  id: Generated<number>
  repository_id: number
  digest: string
  media_type: string
  size_bytes: number
  /** Null for an index. */
  config_digest: string | null
  /** The type of an artifact among referrers: its own, else the media type of its config. */
  artifact_type: string | null
  subject_digest: string | null
  /** JSON object of strings; null: none. Text, because a JSON column cannot hold the character U+0000. */
  annotations: string | null
  /** `total_size` of contract 02 R9. */
  layers_size_bytes: number
  /** The date in the config, the annotations or the children, contract 02 R9; null: none, and `created_at` counts. */
  image_created_at: string | null
  /** When it was last pushed, asked for with a token that pushes, or lost a tag to another; the grace period begins here. */
  used_at: string
  /**
   * When a user deleted a tag on it, an index that lists it or its subject; null when it was used since. The grace period
   * begins again.
   */
  released_at: Generated<string | null>
  /** Set when garbage collection found what refers to it; cleared with each such reference that is removed. */
  is_referenced: Generated<boolean>
  created_at: string
}

/** The bytes as they were pushed, which are valid UTF-8. */
type RegistryManifestPayloadsTable = { manifest_id: number; payload: string }

/** The blobs that a manifest needs. Their links cannot be removed while they are listed here. */
type RegistryManifestBlobsTable = { manifest_id: number; repository_id: number; blob_id: number; is_layer: boolean }

/** The manifests of an index, which cannot be removed before it. */
type RegistryManifestChildrenTable = { manifest_id: number; child_id: number }

type RegistryTagsTable = {
  repository_id: number
  name: string
  manifest_id: number
  created_at: string
  updated_at: string
}

export type RegistryRepositoryRow = Selectable<RegistryRepositoriesTable>
export type RegistryProtectionRuleRow = Selectable<RegistryProtectionRulesTable>
export type RegistryBlobRow = Selectable<RegistryBlobsTable>
export type RegistryUploadRow = Selectable<RegistryUploadsTable>
export type RegistryManifestRow = Selectable<RegistryManifestsTable>
export type RegistryTagRow = Selectable<RegistryTagsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    registry_repositories: RegistryRepositoriesTable
    registry_protection_rules: RegistryProtectionRulesTable
    registry_signing_keys: RegistrySigningKeysTable
    registry_blobs: RegistryBlobsTable
    registry_blob_links: RegistryBlobLinksTable
    registry_uploads: RegistryUploadsTable
    registry_manifests: RegistryManifestsTable
    registry_manifest_payloads: RegistryManifestPayloadsTable
    registry_manifest_blobs: RegistryManifestBlobsTable
    registry_manifest_children: RegistryManifestChildrenTable
    registry_tags: RegistryTagsTable
  }
}
