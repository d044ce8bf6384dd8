import { type Actor, notFound } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { renderMarkdown } from '../../../infra/markdown/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { diffLimits } from '../../commits/index.ts'
import { isSubscribed } from '../../notes/index.ts'
import { BasicPipeline, mayReadBuilds, presentPipeline } from '../../pipelines/index.ts'
import type { Project } from '../../projects/index.ts'
import { mayMerge } from '../../protected-branches/index.ts'
import { renderMarkdownOf } from '../../uploads/index.ts'
import { headsIn } from '../heads/heads.ts'
import { refresh } from '../heads/refresh.ts'
import { latestVersion } from '../heads/store.ts'
import { ensureChecked } from '../mergeability/check.ts'
import { issuableOf, type ProjectMergeRequest } from '../subject.ts'
import type { MergeRequestRow } from '../tables.ts'
import { load } from './loading.ts'
import { presentBasic } from './present.ts'
import type { PresentedMergeRequest } from './schema.ts'
import { hasMerged, mergeRequestById } from './store.ts'

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** When each of these merge requests was first deployed to a production environment (contract 24, Deployments). */
    'merge_requests.first_in_production'(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>>
  }
}

/** Parts that are only shown on request. */
export type Extras = {
  render_html?: boolean
  include_diverged_commits_count?: boolean
  include_rebase_in_progress?: boolean
  with_labels_details?: boolean
}

/** The row as it is now. @throws ApiError 404 when it was deleted meanwhile */
export async function currentRow({ database }: Platform, id: number): Promise<MergeRequestRow> {
  const row = await mergeRequestById(database.read, id)
  if (!row) throw notFound()
  return row
}

/** Brings a merge request up to date with its branches, and knows whether it can be merged. */
export async function upToDate(platform: Platform, { project, row }: ProjectMergeRequest): Promise<MergeRequestRow> {
  const current = await refresh(platform, project, row)
  await ensureChecked(platform, current)
  return currentRow(platform, current.id)
}

async function pipelineOf(
  platform: Platform,
  { project, row }: ProjectMergeRequest,
  actor: Actor,
  { with_labels_details: withLabelDetails = false }: Extras,
) {
  const none = { pipeline: null, head_pipeline: null, latest_build_started_at: null, latest_build_finished_at: null }
  const loaded = await load(platform, [row], { withLabelDetails })
  const { pipeline } = loaded.facts(row)
  if (!pipeline || !mayReadBuilds(actor, project)) return { loaded, shown: none }
  const place = { externalUrl: platform.externalUrl, fullPath: project.full_path }
  const shown = {
    pipeline: BasicPipeline.present(pipeline, place),
    head_pipeline: await presentPipeline(platform, project, pipeline),
    latest_build_started_at: pipeline.started_at,
    latest_build_finished_at: pipeline.finished_at,
  }
  return { loaded, shown }
}

async function diffOf(platform: Platform, { id }: MergeRequestRow) {
  const [version, { maxFiles }] = await Promise.all([latestVersion(platform.database.read, id), diffLimits(platform)])
  if (!version || version.base_sha === null) return { changes_count: null, diff_refs: null }
  const { file_count: count, base_sha, head_sha, start_sha } = version
  const changes_count = count === 0 ? null : count > maxFiles ? `${maxFiles}+` : String(count)
  return { changes_count, diff_refs: { base_sha, head_sha, start_sha } }
}

async function divergedCount(platform: Platform, project: Project, row: MergeRequestRow): Promise<number> {
  const { repository, snapshot } = await openRepository(platform, project)
  const { source, target } = headsIn(snapshot, row)
  return source && target ? repository.countCommits({ tips: [target], excluded: [source] }) : 0
}

async function extrasOf(platform: Platform, project: Project, row: MergeRequestRow, extras: Extras) {
  return {
    ...(extras.render_html && {
      title_html: renderMarkdown(row.title),
      description_html: row.description
        ? renderMarkdownOf({ kind: 'project', id: row.project_id }, row.description)
        : '',
    }),
    ...(extras.include_rebase_in_progress && { rebase_in_progress: isRebasing(platform, row) }),
    ...(extras.include_diverged_commits_count && {
      diverged_commits_count: await divergedCount(platform, project, row),
    }),
  }
}

/** Presents a merge request alone, as its row is (contract 19, MergeRequest). */
export async function presentSingle(
  platform: Platform,
  { project, row }: ProjectMergeRequest,
  actor: Actor,
  extras: Extras = {},
): Promise<PresentedMergeRequest> {
  const db = platform.database.read
  const { loaded, shown } = await pipelineOf(platform, { project, row }, actor, extras)
  const [diff, subscribed, hasOther, can_merge, more, inProduction] = await Promise.all([
    diffOf(platform, row),
    actor.kind === 'user' && isSubscribed(db, issuableOf(row), actor.userId),
    hasMerged(db, row.project_id, row.author_id),
    mayMerge(platform, project, actor, row.target_branch),
    extrasOf(platform, project, row, extras),
    platform.ports['merge_requests.first_in_production'](platform, db, [row.id]),
  ])
  return {
    ...presentBasic(platform, loaded, row, { kind: 'project' }),
    ...more,
    ...{ subscribed, ...diff, ...shown, first_deployed_to_production_at: inProduction.get(row.id) ?? null },
    ...{ merge_error: row.merge_error, first_contribution: !hasOther, user: { can_merge } },
  }
}

/** A merge request as its branches are now, with a fresh check (contract 19, x.mr_get). */
export async function getMergeRequest(
  platform: Platform,
  found: ProjectMergeRequest,
  actor: Actor,
  extras: Extras,
): Promise<PresentedMergeRequest> {
  const row = await upToDate(platform, found)
  return presentSingle(platform, { ...found, row }, actor, extras)
}

/** A rebase that takes longer has failed (contract 19, "Background"). */
export const longestRebaseMs = 5 * 60_000

/** Whether a rebase of the source branch is under way. */
export function isRebasing(
  { clock }: Pick<Platform, 'clock'>,
  row: Pick<MergeRequestRow, 'rebase_started_at'>,
): boolean {
  const { rebase_started_at: start } = row
  return start !== null && Date.parse(start) + longestRebaseMs > clock.now().getTime()
}
