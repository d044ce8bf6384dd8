import { statfs } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type PageRequest, pageOfRows } from '../../api/index.ts'
import type { Config } from '../../config.ts'
import type { Platform } from '../../platform/index.ts'
import { selectBackups } from '../../platform/instance/index.ts'
import { within } from '../../platform/monitoring/index.ts'
import { Backup } from './present.ts'

/** What keeps the server from working now (contract 20, x.server_readiness). */
export async function readiness({ monitored }: Platform) {
  const failing = await monitored.failing()
  return {
    ready: failing.every(({ isBearable }) => isBearable),
    failing: failing.map(({ check, message, shard }) => ({ check, message, storage: shard ?? null })),
  }
}

type Folder = { name: string; kind: 'repositories' | 'objects' | 'data'; path: string }

/** The folders in which the server stores. Objects in a bucket have none. */
function foldersOf({ storages, objectsUrl, data }: Config): Folder[] {
  const repositories = Object.entries(storages).map(([name, path]) => ({ name, kind: 'repositories' as const, path }))
  const objects = objectsUrl.startsWith('file:') ? [fileURLToPath(objectsUrl)] : []
  return [
    ...repositories,
    ...objects.map((path) => ({ name: 'objects', kind: 'objects' as const, path })),
    { name: 'data', kind: 'data', path: data },
  ]
}

/** Less than this part is free where a folder is nearly full. */
const littlePart = 0.1

async function spaceOf({ name, kind, path }: Folder) {
  const asked = statfs(path).catch(() => null)
  const found = await within(asked, null)
  if (!found) return { name, kind, total_bytes: null, free_bytes: null, nearly_full: false }
  const { blocks, bavail, bsize } = found
  const nearly_full = bavail < blocks * littlePart
  return { name, kind, total_bytes: blocks * bsize, free_bytes: bavail * bsize, nearly_full }
}

/** The space of the folders in which the server stores (contract 20, x.server_space). */
export async function spaces({ config }: Platform) {
  return Promise.all(foldersOf(config).map(spaceOf))
}

/** The backups that were completed, the latest first (contract 20, x.server_backups). */
export async function listBackups({ database }: Platform, page: PageRequest) {
  const found = await pageOfRows(database.read, selectBackups(database.read), page)
  return { ...found, items: found.items.map((row) => Backup.present(row)) }
}
