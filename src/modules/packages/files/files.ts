import { type Actor, type Page, type PageRequest, pageOfRows, recordNotFound } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { PackageProject } from '../access/rights.ts'
import { requireDeletable, requirePackage } from '../core/packages.ts'
import { pipelinesOfFiles, pipelinesView } from '../core/pipelines.ts'
import { addSize, lockPackage, renewGeneration } from '../core/store.ts'
import type { PackageRow } from '../tables.ts'
import { type FilesView, PackageFile, type PresentedFile } from './present.ts'
import { deleteFiles, fileOfPackage, type StoredFile, storedFiles } from './store.ts'

/** How lists of files are ordered. */
export type FileOrder = { order_by?: 'id' | 'created_at' | 'file_name' | undefined; sort?: 'asc' | 'desc' | undefined }

/** What files are presented with, in a constant number of queries. */
export async function filesView(
  platform: Platform,
  files: readonly StoredFile[],
  project: { id: number; full_path: string },
): Promise<FilesView> {
  const pipelines = await pipelinesOfFiles(platform.database.read, files)
  const view = await pipelinesView(platform, pipelines.values(), new Map([[project.id, project.full_path]]))
  return { ...view, pipelines, fips: platform.config.edition.fips }
}

/** The files of a package (contract 23, x.package_files_list). @throws ApiError 404 */
export async function listFiles(
  platform: Platform,
  project: PackageProject,
  { packageId, order_by: order = 'id', sort = 'asc' }: FileOrder & { packageId: number },
  page: PageRequest,
): Promise<Page<PresentedFile>> {
  const { read } = platform.database
  await requirePackage(platform, project, packageId)
  const query = storedFiles(read).where('f.package_id', '=', packageId)
  const ordered = order === 'id' ? query : query.orderBy(`f.${order}`, sort)
  const found = await pageOfRows(read, ordered.orderBy('f.id', sort), page)
  const view = await filesView(platform, found.items, project)
  return { ...found, items: found.items.map((file) => PackageFile.present(file, view)) }
}

/** A file of a package of a project. @throws ApiError 404 */
export async function requireFile(
  platform: Platform,
  project: PackageProject,
  { packageId, fileId }: { packageId: number; fileId: number },
): Promise<{ found: PackageRow; file: StoredFile }> {
  const found = await requirePackage(platform, project, packageId)
  const file = await fileOfPackage(platform.database.read, found.id, fileId)
  if (!file) throw recordNotFound()
  return { found, file }
}

/** Deletes a file; an older one of the same name is served then (contract 23, x.package_files_delete). @throws ApiError 403, 404, 412 */
export async function deleteFile(
  platform: Platform,
  project: PackageProject,
  actor: Actor,
  named: { packageId: number; fileId: number; unmodified: (at: string) => void },
): Promise<void> {
  const { found } = await requireFile(platform, project, named)
  await requireDeletable(platform, project, actor, found)
  await platform.database.write(async (tx) => {
    const held = await lockPackage(tx, found.id)
    const file = held && (await fileOfPackage(tx, held.id, named.fileId))
    if (!held || !file) throw recordNotFound()
    named.unmodified(file.created_at)
    await deleteFiles(tx, [file], now(platform.clock))
    await addSize(tx, held.id, -file.size_bytes, now(platform.clock))
    await renewGeneration(tx, held)
  })
}
