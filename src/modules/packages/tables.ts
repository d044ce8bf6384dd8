/**
 * Packages of projects in the formats that the server has, their files and what protects them (contract 23). The bytes of a file are
 * stored once for the whole instance, by their SHA-256; each file refers to them.
 */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { PackageType, RuleType, StoredStatus } from './core/words.ts'

/** Packages. The name and the version of a package whose deletion has begun are free at once. */
export const packages = table(
  'packages',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    package_type: t.text<PackageType>(),
    /** As it was published first. */
    name: t.name(),
    /** By which names are compared: of PyPI the normalised one, else the name. */
    name_key: t.name(),
    /** Empty for a package without a version: the list of versions that Maven keeps. */
    version: t.name(),
    status: t.text<StoredStatus>().default('default'),
    /** The sum of the sizes of its files. */
    size_bytes: t.bigint().default(0),
    /** Who published it first, while the account exists; null for deploy tokens too. */
    creator_id: t.refers('users', 'set null').nullable(),
    last_downloaded_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: {
      identity: {
        on: ['project_id', 'package_type', 'name_key', 'version'],
        where: "status <> 'pending_destruction'",
      },
    },
    indexes: {
      creator: partial('creator_id'),
      // What a list tests of each package stands behind what finds it, so that many are counted by the index.
      project: ['project_id', 'id', 'status', 'version'],
      project_created_at: ['project_id', 'created_at', 'id', 'status', 'version'],
      project_name: ['project_id', 'name', 'id', 'status', 'version'],
      project_version: ['project_id', 'version', 'id', 'status'],
      project_type: ['project_id', 'package_type', 'id', 'status', 'version'],
      project_status: ['project_id', 'status', 'id', 'version'],
      created_at: ['created_at', 'id'],
      name: ['name', 'id'],
      version: ['version', 'id'],
      type: ['package_type', 'id'],
      /** The versions of a name in a project, as they were published. */
      lookup: ['package_type', 'name_key', 'project_id', 'id'],
      /** The packages whose deletion has begun. */
      removed: { on: ['id'], where: "status = 'pending_destruction'" },
    },
    text: ['name'],
  },
)
export type PackagesTable = TableOf<typeof packages>

/** Bytes of files by SHA-256, stored once for all projects. They cannot be deleted while a file refers to them. */
export const packageBlobs = table(
  'package_blobs',
  {
    id: t.id(),
    /** SHA-256, 64 lower-case hex digits; the other digests likewise. */
    sha256: t.text(),
    sha1: t.text(),
    md5: t.text(),
    sha512: t.text(),
    size_bytes: t.bigint(),
    /** Never used again after the row is deleted. */
    storage_key: t.text(),
    /** When it was first found without a file. */
    orphaned_at: t.time().nullable(),
    created_at: t.time(),
  },
  {
    unique: { sha256: ['sha256'], storage_key: ['storage_key'] },
    indexes: { orphaned: partial('orphaned_at', 'id') },
  },
)

/** Files of packages. Several of one package may have one name: the newest is served. */
export const packageFiles = table(
  'package_files',
  {
    id: t.id(),
    package_id: t.refers('packages', 'cascade'),
    blob_id: t.refers('package_blobs', 'refuse'),
    file_name: t.name(),
    /** The pipeline whose job published it. */
    pipeline_id: t.refers('pipelines', 'set null').nullable(),
    created_at: t.time(),
  },
  {
    indexes: {
      order: ['package_id', 'id'],
      created_at: ['package_id', 'created_at', 'id'],
      file_name: ['package_id', 'file_name', 'id'],
      blob: ['blob_id', 'package_id'],
      pipeline: partial('pipeline_id'),
    },
  },
)

/** The pipelines whose jobs published files of a package. */
export const packagePipelines = table(
  'package_pipelines',
  {
    package_id: t.refers('packages', 'cascade'),
    pipeline_id: t.refers('pipelines', 'cascade'),
    /** When a job of it published last. */
    published_at: t.time(),
  },
  {
    primaryKey: ['package_id', 'pipeline_id'],
    indexes: { pipeline: ['pipeline_id'], newest: ['package_id', 'published_at', 'pipeline_id'] },
  },
)

/** Names of packages, each with a number that every change of what it shows replaces: caches are keyed by it. */
export const packageNames = table(
  'package_names',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    package_type: t.text<PackageType>(),
    name_key: t.name(),
    generation: t.bigint(),
  },
  {
    unique: { name: ['project_id', 'package_type', 'name_key'] },
    indexes: {
      /** The projects that have a name. */
      lookup: ['package_type', 'name_key', 'project_id'],
    },
  },
)

/** Dist-tags of npm. A tag points at one version of a name in a project. */
export const packageTags = table(
  'package_tags',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    package_id: t.refers('packages', 'cascade'),
    /** The name of the package. */
    package_name: t.name(),
    name: t.name(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { tag: ['project_id', 'package_name', 'name'] },
    indexes: { package: ['package_id', 'id'] },
  },
)

/** The manifest of a version of an npm package: what clients need to install it, as JSON text. */
export const packageNpmManifests = table('package_npm_manifests', {
  package_id: t.refers('packages', 'cascade').primaryKey(),
  manifest: t.text(),
  /** Why it should not be installed; null: it may be. */
  deprecated: t.text().nullable(),
})

/** What a PyPI upload says about a version. */
export const packagePypiMetadata = table('package_pypi_metadata', {
  package_id: t.refers('packages', 'cascade').primaryKey(),
  requires_python: t.text().nullable(),
  metadata_version: t.text().nullable(),
  author_email: t.text().nullable(),
  summary: t.text().nullable(),
  description: t.text().nullable(),
  description_content_type: t.text().nullable(),
  keywords: t.text().nullable(),
})

export const packageProtectionRules = table(
  'package_protection_rules',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    package_type: t.text<RuleType>(),
    /** A name in which `*` is any text. */
    pattern: t.name(),
    /** 40, 50 or 60; null: no rule. */
    push_level: t.integer().nullable(),
    delete_level: t.integer().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { pattern: ['project_id', 'package_type', 'pattern'] },
    indexes: { order: ['project_id', 'id'] },
  },
)

export type PackageRow = RowOf<typeof packages>
export type PackageBlobRow = RowOf<typeof packageBlobs>
export type PackageFileRow = RowOf<typeof packageFiles>
export type PackageTagRow = RowOf<typeof packageTags>
export type PackageProtectionRuleRow = RowOf<typeof packageProtectionRules>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      | typeof packages
      | typeof packageBlobs
      | typeof packageFiles
      | typeof packagePipelines
      | typeof packageNames
      | typeof packageTags
      | typeof packageNpmManifests
      | typeof packagePypiMetadata
      | typeof packageProtectionRules
    > {}
}
