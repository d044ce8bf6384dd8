import { type Actor, forbidden, type PageRequest } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { BasicPipeline, mayReadBuilds, pageOfCommits, requestRef, trainRef } from '../../pipelines/index.ts'
import { refresh } from '../heads/refresh.ts'
import { commitsOfLatest } from '../heads/store.ts'
import type { ProjectMergeRequest } from '../subject.ts'

/** A page of the pipelines of the commits of the newest version, newest first (contract 19, x.mr_pipelines). @throws ApiError 403 */
export async function listPipelines(
  platform: Platform,
  { project, row: asked }: ProjectMergeRequest,
  actor: Actor,
  page: PageRequest,
) {
  if (!mayReadBuilds(actor, project)) throw forbidden()
  const row = await refresh(platform, project, asked)
  const db = platform.database.read
  const shas = await commitsOfLatest(db, row.id)
  const refs = [requestRef(row.iid), trainRef(row.iid)]
  const found = await pageOfCommits(db, { projectId: project.id, shas: [row.sha, ...shas], refs }, page)
  const place = { externalUrl: platform.externalUrl, fullPath: project.full_path }
  return { ...found, items: found.items.map((pipeline) => BasicPipeline.present(pipeline, place)) }
}
