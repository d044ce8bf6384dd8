import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import type { Measure, Sample } from '../module.ts'

/** The folders whose disks may become full, by the names that the metrics have for them. */
function foldersOf({ data, storages }: Config): (readonly [name: string, path: string])[] {
  const ofStorages = Object.entries(storages).map(([name, path]) => [`storage ${name}`, path] as const)
  return [['data', data], ...ofStorages]
}

/** One sample for each folder. One whose disk does not answer has none. */
async function samplesOf(config: Config, bytesOf: (disk: StatsFs) => number): Promise<Sample[]> {
  const samples = await Promise.all(
    foldersOf(config).map(([folder, path]) =>
      statfs(path).then(
        (disk) => [{ labels: { folder }, value: bytesOf(disk) }],
        () => [],
      ),
    ),
  )
  return samples.flat()
}

/** How full the disks are that have the data and the repositories. */
export const diskMeasures: readonly Measure[] = [
  {
    name: 'fennec_disk_size_bytes',
    help: 'Size of the file system of a folder.',
    type: 'gauge',
    labels: ['folder'],
    value: ({ config }) => samplesOf(config, ({ blocks, bsize }) => blocks * bsize),
  },
  {
    name: 'fennec_disk_free_bytes',
    help: 'What the user of the server may still use of the file system of a folder.',
    type: 'gauge',
    labels: ['folder'],
    value: ({ config }) => samplesOf(config, ({ bavail, bsize }) => bavail * bsize),
  },
]
