import type { Platform } from '../../../platform/index.ts'
import { pipelinesByIds } from '../../pipelines/index.ts'
import type { PackageRow } from '../tables.ts'
import { pipelinesView } from './pipelines.ts'
import type { PackagesView, ShownPackage } from './present.ts'
import { lastPipelineIds, tagsOfPackages } from './store.ts'

/** How the projects of packages are shown: their paths, and whether the caller may delete their packages. */
export type ProjectsOfPackages = ReadonlyMap<number, { fullPath: string; mayDelete: boolean }>

/** Loads what packages are presented with, in a constant number of queries. */
export async function loadPackages(
  platform: Platform,
  rows: readonly PackageRow[],
  projects: ProjectsOfPackages,
  { isOfGroup = false }: { isOfGroup?: boolean } = {},
): Promise<{ shown: ShownPackage[]; view: PackagesView }> {
  const { read } = platform.database
  const ids = rows.map(({ id }) => id)
  const [tags, lastIds] = await Promise.all([tagsOfPackages(read, ids), lastPipelineIds(read, ids)])
  const pipelines = await pipelinesByIds(read, [...new Set(lastIds.values())])
  const paths = new Map([...projects].map(([id, { fullPath }]) => [id, fullPath]))
  const view = { ...(await pipelinesView(platform, pipelines.values(), paths)), isOfGroup }
  const shown = rows.map((row) => {
    const { fullPath = '', mayDelete = false } = projects.get(row.project_id) ?? {}
    return { row, fullPath, mayDelete, tags: tags.get(row.id) ?? [], pipeline: pipelines.get(lastIds.get(row.id) ?? 0) }
  })
  return { shown, view }
}
