import { recordNotFound } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { planLimits } from '../../plan-limits/index.ts'
import { duplicateRefused } from '../access/problems.ts'
import type { ServedProject } from '../access/subjects.ts'
import { packageOf } from '../core/store.ts'
import { hasFile, newestFile } from '../files/store.ts'
import { duplicatesAllowed } from '../publishing/duplicates.ts'
import { identityOf, type Published, publishFile, requirePublishable } from '../publishing/publish.ts'
import type { GenericPath } from './names.ts'

/** What a publication says besides the file. */
export type GenericOptions = { status?: 'default' | 'hidden' | undefined }

/** @throws ApiError 400 when the group allows no second file of this name */
async function requireNoDuplicate(platform: Platform, { project }: ServedProject, path: GenericPath): Promise<void> {
  const { read } = platform.database
  const found = await packageOf(read, project.id, identityOf({ type: 'generic', ...path }))
  if (!found || !(await hasFile(read, found.id, path.fileName))) return
  if (!(await duplicatesAllowed(read, project, 'generic', path))) throw duplicateRefused()
}

/**
 * Publishes a generic file (contract 23, x.generic_publish).
 * @throws ApiError 400, 403, 507
 */
export async function publishGeneric(
  platform: Platform,
  served: ServedProject,
  path: GenericPath,
  { status, content }: GenericOptions & { content: AsyncIterable<Uint8Array> },
): Promise<Published> {
  const target = { type: 'generic' as const, ...path, status }
  await requirePublishable(platform, served, target)
  await requireNoDuplicate(platform, served, path)
  const { generic_packages_max_file_size: maximumBytes } = await planLimits(platform.database.read)
  return publishFile(platform, served, target, content, {
    maximumBytes,
    allowsDuplicate: (tx, found) => duplicatesAllowed(tx, served.project, 'generic', found),
  })
}

/** The newest file of a name, in packages of any state (contract 23, x.generic_download). @throws ApiError 404 */
export async function findGeneric({ database }: Platform, { project }: ServedProject, path: GenericPath) {
  const found = await packageOf(database.read, project.id, identityOf({ type: 'generic', ...path }))
  const file = found && (await newestFile(database.read, found.id, path.fileName))
  if (!file) throw recordNotFound()
  return { found, file }
}
