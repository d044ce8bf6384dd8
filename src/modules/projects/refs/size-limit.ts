import { humanSize } from '../../../api/index.ts'
import { incomingBytes, isZeroOid } from '../../../infra/git/index.ts'
import type { RefRule } from '../../../platform/index.ts'
import { sizesOf } from '../present/store.ts'

const bytesPerMegabyte = 1024 * 1024
const askAdministrator = 'Please contact your GitLab administrator for more information.'

/**
 * Why a repository takes no more objects, as a message for pushes; null when it does (contract 22 R4).
 * @param bytes.stored of the repository and its large files
 * @param bytes.incoming of the objects of the push
 */
export function sizeProblem(bytes: { limit: number; stored: number; incoming: number }): string | null {
  const { limit, stored, incoming } = bytes
  if (stored > limit) {
    const excess = humanSize(stored - limit)
    return `Your push has been rejected, because this repository has exceeded its size limit of ${humanSize(limit)} by ${excess}. ${askAdministrator}`
  }
  if (stored + incoming <= limit) return null
  return `Your push to this repository would cause it to exceed the size limit of ${humanSize(limit)} so it has been rejected. ${askAdministrator}`
}

/** Limits the repositories of projects by the setting of the instance. Refs are deleted in any case. */
export const repositorySizeRule: RefRule = async ({ settings, database }, { row, changes, quarantine }) => {
  const { repository_size_limit: megabytes } = await settings.current()
  if (megabytes === 0 || row.kind !== 'project' || row.project_id === null) return null
  if (changes.every(({ new: next }) => isZeroOid(next))) return null
  const sizes = (await sizesOf(database.read, [row.project_id])).get(row.project_id)
  const problem = sizeProblem({
    limit: megabytes * bytesPerMegabyte,
    stored: (sizes?.repository_bytes ?? 0) + (sizes?.lfs_bytes ?? 0),
    incoming: quarantine ? await incomingBytes(quarantine) : 0,
  })
  return problem === null ? null : [problem]
}
