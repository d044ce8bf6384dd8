import { statfs } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config.ts'
import type { Measure, Sample } from '../module.ts'
import { within } from './readiness.ts'

/** A folder in which the server stores. */
export type Folder = { name: string; kind: 'repositories' | 'objects' | 'data'; path: string }

/** The folders in which the server stores, whose disks may become full. Objects in a bucket have none. */
export function foldersOf({ storages, objectsUrl, data }: Config): Folder[] {
  const repositories = Object.entries(storages).map(([name, path]) => ({ name, kind: 'repositories' as const, path }))
  const objects = objectsUrl.startsWith('file:') ? [fileURLToPath(objectsUrl)] : []
  return [
    ...repositories,
    ...objects.map((path) => ({ name: 'objects', kind: 'objects' as const, path })),
    { name: 'data', kind: 'data', path: data },
  ]
}

/** The size of the file system of a folder, and what the user of the server may still use of it. */
export type Space = { totalBytes: number; freeBytes: number }

/** The space of a folder; null while its disk does not answer. */
export async function spaceOf({ path }: Folder): Promise<Space | null> {
  const found = await within(
    statfs(path).catch(() => null),
    null,
  )
  return found && { totalBytes: found.blocks * found.bsize, freeBytes: found.bavail * found.bsize }
}

/** One sample for each folder that answers. */
async function samplesOf(config: Config, bytesOf: (space: Space) => number): Promise<Sample[]> {
  const samples = await Promise.all(
    foldersOf(config).map(async (folder) => {
      const space = await spaceOf(folder)
      const label = folder.kind === 'repositories' ? `storage ${folder.name}` : folder.name
      return space ? [{ labels: { folder: label }, value: bytesOf(space) }] : []
    }),
  )
  return samples.flat()
}

/** How full the disks are that have the data, the objects and the repositories. */
export const diskMeasures: readonly Measure[] = [
  {
    name: 'fennec_disk_size_bytes',
    help: 'Size of the file system of a folder.',
    type: 'gauge',
    labels: ['folder'],
    value: ({ config }) => samplesOf(config, ({ totalBytes }) => totalBytes),
  },
  {
    name: 'fennec_disk_free_bytes',
    help: 'What the user of the server may still use of the file system of a folder.',
    type: 'gauge',
    labels: ['folder'],
    value: ({ config }) => samplesOf(config, ({ freeBytes }) => freeBytes),
  },
]
