import { type PageRequest, pageOfRows } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { selectBackups } from '../../platform/instance/index.ts'
import { foldersOf, spaceOf } from '../../platform/monitoring/index.ts'
import { Backup } from './present.ts'

/** What keeps the server from working now (contract 20, x.server_readiness). */
export async function readiness({ monitored }: Platform) {
  const failing = await monitored.failing()
  return {
    ready: failing.every(({ isBearable }) => isBearable),
    failing: failing.map(({ check, message, shard }) => ({ check, message, storage: shard ?? null })),
  }
}

/** Less than this part is free where a folder is nearly full. */
const littlePart = 0.1

/** The space of the folders in which the server stores (contract 20, x.server_space). */
export async function spaces({ config }: Platform) {
  return Promise.all(
    foldersOf(config).map(async (folder) => {
      const { name, kind } = folder
      const space = await spaceOf(folder)
      if (!space) return { name, kind, total_bytes: null, free_bytes: null, nearly_full: false }
      const { totalBytes, freeBytes } = space
      const nearly_full = freeBytes < totalBytes * littlePart
      return { name, kind, total_bytes: totalBytes, free_bytes: freeBytes, nearly_full }
    }),
  )
}

/** The backups that were completed, the latest first (contract 20, x.server_backups). */
export async function listBackups({ database }: Platform, page: PageRequest) {
  const found = await pageOfRows(database.read, selectBackups(database.read), page)
  return { ...found, items: found.items.map((row) => Backup.present(row)) }
}
