import { recordNotFound } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { planLimits } from '../../plan-limits/index.ts'
import { duplicateRefused } from '../access/problems.ts'
import type { ServedProject } from '../access/subjects.ts'
import { packageOf } from '../core/store.ts'
import { hasFile, newestFile } from '../files/store.ts'
import { duplicatesAllowed } from '../publishing/duplicates.ts'
import { identityOf, type Published, publishFile, requirePublishable } from '../publishing/publish.ts'
import type { PackageRow } from '../tables.ts'
import type { GenericPath } from './names.ts'

/** What a publication says besides the file. */
export type GenericOptions = { status?: 'default' | 'hidden' | undefined }

/** @throws ApiError 400 when the group allows no second file of this name */
async function requireNoDuplicate(db: Reader, { project }: ServedProject, found: PackageRow, fileName: string) {
  if (!(await hasFile(db, found.id, fileName))) return
  if (!(await duplicatesAllowed(db, project, 'generic', found))) throw duplicateRefused()
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
  const { read } = platform.database
  const known = await packageOf(read, served.project.id, identityOf(target))
  if (known) await requireNoDuplicate(read, served, known, path.fileName)
  const { generic_packages_max_file_size: maximumBytes } = await planLimits(read)
  return publishFile(platform, served, target, content, {
    maximumBytes,
    async admit(tx, { found, isNew }) {
      if (!isNew) await requireNoDuplicate(tx, served, found, path.fileName)
    },
  })
}

/** The newest file of a name, in packages of any state (contract 23, x.generic_download). @throws ApiError 404 */
export async function findGeneric({ database }: Platform, { project }: ServedProject, path: GenericPath) {
  const found = await packageOf(database.read, project.id, identityOf({ type: 'generic', ...path }))
  const file = found && (await newestFile(database.read, found.id, path.fileName))
  if (!file) throw recordNotFound()
  return { found, file }
}
