import { forms, nullable, oneOf, type Static, Type } from '../../../api/index.ts'
import type { TagDetail as TagDetailRow } from '../tags/store.ts'
import type { PlacedRepository } from './store.ts'

const text = Type.String()

/** A tag in lists (contract 02, "Tag summary"). */
export const TagSummary = Type.Object({ name: text, path: text, location: text }, { title: 'ContainerTagSummary' })
export type PresentedTag = Static<typeof TagSummary>

/** A repository (contract 02, "Registry repository"). */
export const ContainerRepository = Type.Object(
  {
    id: forms.id,
    name: text,
    path: text,
    project_id: forms.id,
    location: text,
    created_at: forms.timestamp,
    cleanup_policy_started_at: forms.nullableTimestamp,
    tags_count: Type.Optional(Type.Integer()),
    tags: Type.Optional(Type.Array(TagSummary)),
    delete_api_path: Type.Optional(text),
    size: Type.Optional(Type.Integer()),
    status: nullable(oneOf(['delete_scheduled', 'delete_ongoing', 'delete_failed'])),
  },
  { title: 'ContainerRepository' },
)
export type PresentedRepository = Static<typeof ContainerRepository>

/** What an image runs on; of an index, one of its images (contract 02, "Contents of a tag"). */
export const ImagePlatform = Type.Object(
  {
    os: forms.nullableString,
    architecture: forms.nullableString,
    variant: forms.nullableString,
    digest: text,
    size: Type.Integer({ description: 'Bytes of the layers.' }),
  },
  { title: 'ContainerImagePlatform' },
)

export const ImageLayer = Type.Object(
  { digest: text, media_type: text, size: Type.Integer() },
  { title: 'ContainerImageLayer' },
)

/** What an image is made of: manifests for platforms, and the layers of an image for one platform. */
export type ImageContents = { platforms: Static<typeof ImagePlatform>[]; layers: Static<typeof ImageLayer>[] }

/** A tag by itself (contract 02, "Tag detail"). */
export const TagDetail = Type.Object(
  {
    ...TagSummary.properties,
    revision: forms.nullableString,
    short_revision: forms.nullableString,
    digest: text,
    created_at: forms.timestamp,
    total_size: Type.Integer(),
    media_type: Type.Optional(text),
    published_at: Type.Optional(forms.timestamp),
    platforms: Type.Optional(Type.Array(ImagePlatform)),
    layers: Type.Optional(Type.Array(ImageLayer)),
  },
  { title: 'ContainerTag' },
)

/** A tag in lists, with its details where they are asked for. */
export const ListedTag = Type.Object(
  {
    ...TagSummary.properties,
    revision: Type.Optional(forms.nullableString),
    short_revision: Type.Optional(forms.nullableString),
    digest: Type.Optional(text),
    created_at: Type.Optional(forms.timestamp),
    total_size: Type.Optional(Type.Integer()),
    media_type: Type.Optional(text),
    published_at: Type.Optional(forms.timestamp),
  },
  { title: 'ContainerListedTag' },
)

/** The full path of a repository: that of its project, and its name. */
export function pathOf({ project_path, name }: Pick<PlacedRepository, 'project_path' | 'name'>): string {
  return `${project_path}${name === '' ? '' : `/${name}`}`.toLowerCase()
}

/** What is shown on request. */
type Shown = { tagNames?: readonly string[]; tagsCount?: number; size?: number; deleteApiPath?: string | undefined }

export function presentTag(host: string, path: string, name: string): PresentedTag {
  return { name, path: `${path}:${name}`, location: `${host}/${path}:${name}` }
}

export function presentRepository(host: string, row: PlacedRepository, shown: Shown = {}): PresentedRepository {
  const path = pathOf(row)
  return {
    id: row.id,
    name: row.name,
    path,
    project_id: row.project_id,
    location: `${host}/${path}`,
    created_at: row.created_at,
    cleanup_policy_started_at: row.cleanup_policy_started_at,
    tags_count: shown.tagsCount,
    tags: shown.tagNames?.map((name) => presentTag(host, path, name)),
    delete_api_path: shown.deleteApiPath,
    size: shown.size,
    status: row.status,
  }
}

const shortLength = 9

/** @param path of the repository */
export function presentTagDetail(host: string, path: string, tag: TagDetailRow): Static<typeof TagDetail> {
  const revision = tag.config_digest === null ? null : tag.config_digest.slice(tag.config_digest.indexOf(':') + 1)
  return {
    ...presentTag(host, path, tag.name),
    revision,
    short_revision: revision === null ? null : revision.slice(0, shortLength),
    digest: tag.digest,
    created_at: tag.created_at,
    total_size: tag.total_size,
  }
}

/** A tag with what its list or its page shows on request. */
export function presentWholeTag(host: string, path: string, tag: TagDetailRow, contents?: ImageContents) {
  const { media_type, published_at } = tag
  return { ...presentTagDetail(host, path, tag), media_type, published_at, ...contents }
}
