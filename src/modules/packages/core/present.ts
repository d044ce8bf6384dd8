import { computed, forms, from, nested, nullable, object, of, type Static, Type } from '../../../api/index.ts'
import { BasicPipeline, type PipelineRow } from '../../pipelines/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../../users/index.ts'
import type { PackageRow, PackageTagRow } from '../tables.ts'
import { isDisplayable, packageStatuses, packageTypes } from './words.ts'

/** What pipelines of packages are presented with: the paths of their projects, and their users. */
export type PackagePipelinesView = {
  externalUrl: string
  paths: ReadonlyMap<number, string>
  users: ReadonlyMap<number, UserRow>
  presenting: PresentingUsers
}

const text = Type.String()
const optionalText = Type.Optional(text)
const pipelines = of<PipelineRow, PackagePipelinesView>()

/** A pipeline whose job has published (contract 23, PackagePipeline). */
export const PackagePipeline = object('PackagePipeline', pipelines, {
  id: forms.id,
  iid: forms.id,
  project_id: forms.id,
  sha: text,
  ref: text,
  status: text,
  source: text,
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  web_url: computed(
    text,
    (row, { externalUrl, paths }) =>
      BasicPipeline.present(row, { externalUrl, fullPath: paths.get(row.project_id) ?? '' }).web_url,
  ),
  user: computed(nullable(UserBasic), ({ user_id: id }, { users, presenting }) => {
    const user = id === null ? undefined : users.get(id)
    return user ? presentUserBasic(user, presenting) : null
  }),
})

const tags = of<PackageTagRow>()
const PackageTag = object('PackageTag', tags, {
  id: forms.id,
  package_id: forms.id,
  name: text,
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
})

/** A package as a caller sees it. */
export type ShownPackage = {
  row: PackageRow
  fullPath: string
  mayDelete: boolean
  tags: readonly PackageTagRow[]
  /** The last one that published into it. */
  pipeline: PipelineRow | undefined
}
export type PackagesView = PackagePipelinesView & { isOfGroup: boolean }

const packages = of<ShownPackage, PackagesView>()
const presentTags = ({ tags: rows }: Pick<ShownPackage, 'tags'>) => rows.map((tag) => PackageTag.present(tag))
const ifPublishedByPipeline = ({ pipeline }: ShownPackage) => pipeline !== undefined

const pipelineOf = computed(Type.Optional(PackagePipeline), ({ pipeline }: ShownPackage, view: PackagesView) =>
  pipeline ? PackagePipeline.present(pipeline, view) : undefined,
)

/** A package (contract 23, Package). */
export const Package = object('Package', packages, {
  id: from(forms.id, 'row', 'id'),
  name: from(text, 'row', 'name'),
  version: computed(nullable(text), ({ row }) => row.version || null),
  package_type: from(
    Type.Unsafe<(typeof packageTypes)[number]>({ type: 'string', enum: [...packageTypes] }),
    'row',
    'package_type',
  ),
  status: from(
    Type.Unsafe<(typeof packageStatuses)[number]>({ type: 'string', enum: [...packageStatuses] }),
    'row',
    'status',
  ),
  _links: nested({
    web_path: computed(optionalText, ({ row, fullPath }: ShownPackage) =>
      isDisplayable(row) ? `/${fullPath}/-/packages/${row.id}` : undefined,
    ),
    delete_api_path: computed(optionalText, ({ row, mayDelete }: ShownPackage, { externalUrl }: PackagesView) =>
      mayDelete ? `${externalUrl}/api/v4/projects/${row.project_id}/packages/${row.id}` : undefined,
    ),
  }),
  created_at: from(forms.timestamp, 'row', 'created_at'),
  last_downloaded_at: from(forms.nullableTimestamp, 'row', 'last_downloaded_at'),
  ...packages.ifView(({ isOfGroup }) => isOfGroup, {
    project_id: from(forms.id, 'row', 'project_id'),
    project_path: from(text, 'fullPath'),
  }),
  tags: computed(Type.Array(PackageTag), presentTags),
  pipeline: pipelineOf,
  ...packages.ifRow(ifPublishedByPipeline, {
    pipelines: computed(Type.Array(PackagePipeline), () => []),
  }),
})
export type PresentedPackage = Static<typeof Package>

const versions = of<ShownPackage, PackagesView>()
/** Another version of the name of a package. */
export const PackageVersion = object('PackageVersion', versions, {
  id: from(forms.id, 'row', 'id'),
  version: computed(nullable(text), ({ row }) => row.version || null),
  created_at: from(forms.timestamp, 'row', 'created_at'),
  tags: computed(Type.Array(PackageTag), presentTags),
  pipeline: pipelineOf,
})

/** A package by itself, with the other versions of its name. */
export const SinglePackage = object('SinglePackage', packages.ofRows<{ versions: readonly ShownPackage[] }>(), {
  ...Package.fields,
  versions: computed(Type.Array(PackageVersion), ({ versions: rows }, view) =>
    rows.map((row) => PackageVersion.present(row, view)),
  ),
})
export type PresentedSinglePackage = Static<typeof SinglePackage>
