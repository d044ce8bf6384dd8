import { notFound } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { readableProjects } from '../access/readable.ts'
import { packageById } from '../core/store.ts'
import { fileOfPackage } from '../files/store.ts'
import type { PypiPlace } from './pages.ts'
import { packagesWithFile } from './store.ts'

/** A file by its digest and its name, in a project that the caller may read (contract 23, x.pypi_file). @throws ApiError 404 */
export async function findDistribution(
  platform: Platform,
  place: PypiPlace,
  asked: { sha256: string; fileName: string },
) {
  const { read } = platform.database
  const isProject = 'project' in place
  const where = isProject ? { projectId: place.project.id } : { namespaceId: place.group.id }
  const candidates = await packagesWithFile(read, where, asked)
  const ids = [...new Set(candidates.map(({ project_id: id }) => id))]
  const readable = isProject
    ? ids
    : (await readableProjects(platform, place.caller, { namespaceId: place.group.id, ids })).map(({ id }) => id)
  const chosen = candidates.find(({ project_id: id }) => readable.includes(id))
  const found = chosen && (await packageById(read, chosen.package_id))
  const file = chosen && (await fileOfPackage(read, chosen.package_id, chosen.file_id))
  if (!found || !file) throw notFound('Package')
  return { found, file }
}
