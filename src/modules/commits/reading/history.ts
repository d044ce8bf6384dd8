import { type Actor, failure, type Page, type PageRequest, pageOfList } from '../../../api/index.ts'
import { type Commit, type Oid, type TreePath, treePath } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type OpenedRepository, openRepository } from '../../../platform/repositories/index.ts'
import type { Project } from '../../projects/index.ts'
import { type CommitPipeline, presentCommitDetail, presentListedCommit } from '../present.ts'
import { requireCommit, resolveRange } from '../revision.ts'
import { diffLimits } from './diff-limits.ts'
import { pageOfDiff } from './diff-pages.ts'
import { presentDiff } from './diffs.ts'
import type { HistoryFilter } from './params.ts'

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** The newest pipeline of each commit; commits without one, or without access to it, are left out. */
    'commits.pipelines'(project: Project, actor: Actor, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, CommitPipeline>>
    /** The merge requests that contain a commit, as the caller sees them. */
    'commits.merge_requests'(
      project: Project,
      actor: Actor,
      commit: { oid: Oid; state?: string },
      page: PageRequest,
    ): Promise<Page<unknown>>
  }
}

/** Git reads the number of skipped commits as 32 bits and wraps around beyond. */
const maximumOffset = 2_000_000_000

/** Up to this many refs, `all` names their commits, so that the answer is cacheable; above, git reads all refs. */
const fewRefs = 100

/** A path filter, which may end with slashes. Null for an invalid path, undefined for none. */
function pathOf(text: string | undefined): TreePath | null | undefined {
  const trimmed = text?.replace(/\/+$/, '')
  return trimmed ? treePath(trimmed) : text ? null : undefined
}

/** The commits of all branches and tags; none when they are too many to be named. */
function tipsOfAll({ snapshot }: OpenedRepository): Oid[] {
  const { branches, tags } = snapshot
  if (branches.length + tags.length > fewRefs) return []
  const tagged = tags.filter(({ peeledType }) => peeledType === 'commit').map(({ peeled }) => peeled)
  return [...new Set([...branches.map(({ oid }) => oid), ...tagged])]
}

/** The requested part of the history; null when it contains no commit. */
async function startOf(opened: OpenedRepository, filter: HistoryFilter) {
  if (opened.snapshot.branches.length + opened.snapshot.tags.length === 0) return null
  if (filter.all) return { tips: tipsOfAll(opened) }
  return resolveRange(opened, filter.ref_name?.trim() || 'HEAD')
}

/** A page of commit ids. */
async function idsOf(opened: OpenedRepository, filter: HistoryFilter, page: PageRequest) {
  const offset = page.kind === 'offset' ? page.offset : 0
  const path = pathOf(filter.path)
  const start = path === null || offset > maximumOffset ? null : await startOf(opened, filter)
  if (!start) return { oids: [], hasNext: false }
  const oids = await opened.repository.log({
    ...start,
    ...(path ? { path } : {}),
    author: filter.author,
    since: filter.since,
    until: filter.until,
    firstParent: filter.first_parent,
    order: filter.order,
    skip: offset,
    limit: page.limit + 1,
  })
  return { oids: oids.slice(0, page.limit), hasNext: oids.length > page.limit }
}

const urlOf = ({ externalUrl }: Platform, { full_path: path }: Project) => `${externalUrl}/${path}`

/** A commit with its numbers and its pipeline (contract 22, CommitDetail). */
export async function loadCommitDetail(
  platform: Platform,
  project: Project,
  actor: Actor,
  { repository }: OpenedRepository,
  commit: Commit,
  withStats: boolean,
) {
  const [stats, pipelines] = await Promise.all([
    withStats ? repository.stats([commit.oid]) : undefined,
    platform.ports['commits.pipelines'](platform, project, actor, [commit.oid]),
  ])
  return presentCommitDetail(commit, {
    stats: stats?.get(commit.oid),
    pipeline: pipelines.get(commit.oid),
    project: { id: project.id, url: urlOf(platform, project) },
  })
}

/** A page of a history, newest first, without a total (x.commits_list). */
export async function listCommits(platform: Platform, project: Project, filter: HistoryFilter, page: PageRequest) {
  if (filter.ref_name?.startsWith('-')) throw failure(400, 'ref_name is invalid')
  const opened = await openRepository(platform, project)
  const { oids, hasNext } = await idsOf(opened, filter, page)
  const [commits, stats] = await Promise.all([
    opened.repository.commits(oids),
    filter.with_stats ? opened.repository.stats(oids) : undefined,
  ])
  const url = urlOf(platform, project)
  const items = oids.flatMap((oid) => {
    const commit = commits.get(oid)
    const options = { stats: stats?.get(oid), withTrailers: filter.trailers ?? false }
    return commit ? [presentListedCommit(commit, url, options)] : []
  })
  return { items, hasNext }
}

/** @throws ApiError 404 Commit (x.commits_get) */
export async function getCommit(
  platform: Platform,
  project: Project,
  actor: Actor,
  revision: string,
  { stats = true }: { stats?: boolean },
) {
  const opened = await openRepository(platform, project)
  return loadCommitDetail(platform, project, actor, opened, await requireCommit(opened, revision), stats)
}

/** A page of the differences between a commit and its first parent (x.commits_diff). @throws ApiError 404 Commit */
export async function commitDiff(
  platform: Platform,
  project: Project,
  revision: string,
  { unidiff = false }: { unidiff?: boolean },
  page: PageRequest,
) {
  const opened = await openRepository(platform, project)
  const { oid, parentOids } = await requireCommit(opened, revision)
  const ends = {
    repository: opened.repository,
    from: parentOids[0] ?? null,
    to: oid,
    limits: await diffLimits(platform),
  }
  const { items, ...rest } = await pageOfDiff(ends, page)
  return { items: items.map((file) => presentDiff(file, unidiff)), ...rest }
}

/** The branches and tags that contain a commit (x.commits_refs). @throws ApiError 404 Commit */
export async function commitRefs(
  platform: Platform,
  project: Project,
  revision: string,
  type: 'all' | 'branch' | 'tag',
  page: PageRequest,
) {
  const opened = await openRepository(platform, project)
  const { oid } = await requireCommit(opened, revision)
  const { branches, tags } = opened.snapshot
  const refs = { branch: branches, tag: tags.map(({ name, peeled }) => ({ name, oid: peeled })) }
  const kinds = type === 'all' ? (['branch', 'tag'] as const) : ([type] as const)
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const names = await opened.repository.refsContaining(oid, refs[kind])
      return names.map((name) => ({ type: kind, name }))
    }),
  )
  const { items, hasNext } = pageOfList(lists.flat(), page)
  return { items, hasNext }
}

/** Number of commits from the first one to this one (x.commits_sequence). @throws ApiError 404 Commit */
export async function commitSequence(
  platform: Platform,
  project: Project,
  revision: string,
  { first_parent: firstParent = false }: { first_parent?: boolean },
) {
  const opened = await openRepository(platform, project)
  const { oid } = await requireCommit(opened, revision)
  return { count: await opened.repository.countCommits({ tips: [oid], firstParent }) }
}

/** A page of the merge requests that contain a commit (x.commits_merge_requests). @throws ApiError 404 Commit */
export async function commitMergeRequests(
  platform: Platform,
  project: Project,
  actor: Actor,
  { sha, state }: { sha: string; state?: string },
  page: PageRequest,
): Promise<Page<unknown>> {
  const { oid } = await requireCommit(await openRepository(platform, project), sha)
  return platform.ports['commits.merge_requests'](platform, project, actor, { oid, state }, page)
}
