import { computed, forms, from, nullable, object, of, type Static, Type } from '../../../api/index.ts'
import type { PipelineRow } from '../../pipelines/index.ts'
import { PackagePipeline, type PackagePipelinesView } from '../core/present.ts'
import type { StoredFile } from './store.ts'

/** How files of packages are shown. */
export type FilesView = PackagePipelinesView & {
  /** Without MD5, which FIPS does not allow. */
  fips: boolean
  pipelines: ReadonlyMap<number, PipelineRow>
}

const text = Type.String()
const files = of<StoredFile, FilesView>()

const plain = files.fields({
  id: forms.id,
  package_id: forms.id,
  created_at: forms.timestamp,
  file_name: text,
  size: from(Type.Integer(), 'size_bytes'),
  file_md5: computed(nullable(text), ({ md5 }: StoredFile, { fips }: FilesView) => (fips ? null : md5)),
  file_sha1: from(text, 'sha1'),
  file_sha256: from(text, 'sha256'),
  pipelines: computed(Type.Optional(Type.Array(PackagePipeline)), ({ id }: StoredFile, view: FilesView) => {
    const pipeline = view.pipelines.get(id)
    return pipeline && [PackagePipeline.present(pipeline, view)]
  }),
})

/** A file of a package (contract 23, PackageFile). */
export const PackageFile = object('PackageFile', files, plain)
export type PresentedFile = Static<typeof PackageFile>

/** A file as its publication answers it (`select=package_file`). */
export const PublishedPackageFile = object('PublishedPackageFile', files.ofRows<{ project_id: number }>(), {
  ...plain,
  updated_at: from(forms.timestamp, 'created_at'),
  file_store: computed(Type.Integer(), () => 1),
  status: computed(text, () => 'default'),
  file: computed(Type.Object({ url: text }), ({ id, package_id, project_id }, { externalUrl }) => ({
    url: `${externalUrl}/api/v4/projects/${project_id}/packages/${package_id}/package_files/${id}/download`,
  })),
})
