import { ApiError } from '../../../api/index.ts'
import type { ExportedFiles, Platform } from '../../../platform/index.ts'
import { bundleOf, type OpenedRepository, openRepository } from '../../../platform/repositories/index.ts'

/** The repository of a project; null when there is none. */
async function repositoryOf(platform: Platform, id: number): Promise<OpenedRepository | null> {
  try {
    return await openRepository(platform, { id })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/** The repository of a project as a bundle (contract 14, Files). */
export const exportedRepository: ExportedFiles = async function* (platform, { id }) {
  const opened = await repositoryOf(platform, id)
  if (opened) yield bundleOf(platform, 'project.bundle', opened)
}
