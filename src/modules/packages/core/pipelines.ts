import { type Actor, cursorFor, forbidden, type Page, type PageRequest, recordNotFound } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { mayReadBuilds, type PipelineRow, pipelinesByIds } from '../../pipelines/index.ts'
import { presentingUsers, usersByIds } from '../../users/index.ts'
import type { PackageProject } from '../access/rights.ts'
import { PackagePipeline, type PackagePipelinesView } from './present.ts'
import { packageOfProject, pageOfPipelineIds } from './store.ts'
import { isDisplayable } from './words.ts'

/** What pipelines of packages are presented with. */
export async function pipelinesView(
  platform: Platform,
  rows: Iterable<PipelineRow>,
  paths: ReadonlyMap<number, string>,
): Promise<PackagePipelinesView> {
  const ids = [...rows].flatMap(({ user_id: id }) => id ?? [])
  const users = await usersByIds(platform.database.read, [...new Set(ids)])
  return { externalUrl: platform.externalUrl, paths, users, presenting: await presentingUsers(platform) }
}

/**
 * The pipelines whose jobs published into a package, the newest first (contract 23, x.packages_pipelines).
 * @throws ApiError 403 for callers who may not read pipelines, 404
 */
export async function listPipelines(
  platform: Platform,
  { project, actor }: { project: PackageProject; actor: Actor },
  id: number,
  page: PageRequest,
): Promise<Page<ReturnType<typeof PackagePipeline.present>>> {
  const { read } = platform.database
  if (!mayReadBuilds(actor, project)) throw forbidden()
  const found = await packageOfProject(read, project.id, id)
  if (!found || !isDisplayable(found)) throw recordNotFound()
  const after = page.kind === 'keyset' ? page.after?.[0] : undefined
  const listed = await pageOfPipelineIds(read, id, {
    limit: page.limit + 1,
    before: typeof after === 'number' ? after : null,
  })
  const [ids, hasNext] = [listed.slice(0, page.limit), listed.length > page.limit]
  const byId = await pipelinesByIds(read, ids)
  const rows = ids.flatMap((one) => byId.get(one) ?? [])
  const view = await pipelinesView(platform, rows, new Map([[project.id, project.full_path]]))
  const last = ids.at(-1)
  return {
    items: rows.map((row) => PackagePipeline.present(row, view)),
    hasNext,
    ...(hasNext && last !== undefined && { next: { cursor: cursorFor([last]) } }),
  }
}

/** The pipelines that published files, by file. */
export async function pipelinesOfFiles(
  db: Reader,
  files: readonly { id: number; pipeline_id: number | null }[],
): Promise<Map<number, PipelineRow>> {
  const ids = files.flatMap(({ pipeline_id: id }) => id ?? [])
  const byId = await pipelinesByIds(db, [...new Set(ids)])
  return new Map(
    files.flatMap(({ id, pipeline_id: pipelineId }) => {
      const row = pipelineId === null ? undefined : byId.get(pipelineId)
      return row ? [[id, row] as const] : []
    }),
  )
}
