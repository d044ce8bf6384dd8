import { type Actor, failure, type Page, type PageRequest, pageOfList } from '../../../api/index.ts'
import { type Commit, type LogQuery, type Oid, type TreePath, treePath } from '../../../infra/git/index.ts'
import type { Project } from '../../projects/index.ts'
import { type OpenedRepository, type OpeningNeeds, openRepository } from '../../repositories/index.ts'
import { type CommitPipeline, presentCommitDetail, presentListedCommit } from '../present.ts'
import { type Range, requireCommit, resolveRange } from '../revision.ts'
import { pageOfDiff } from './diff-pages.ts'
import { presentDiff } from './diffs.ts'

/** What is asked of a project here. */
export type HistoryProject = { id: number; full_path: string }

export type HistoryNeeds = OpeningNeeds & {
  externalUrl: string
  /**
   * The newest pipeline of each of these commits, as far as the caller may know of pipelines; commits without one may be
   * left out. Without pipelines there are none.
   */
  pipelineOf?(project: Project, actor: Actor, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, CommitPipeline>>
}

/** Parameters of x.commits_list. */
export type HistoryFilter = {
  ref_name?: string
  since?: string
  until?: string
  path?: string
  author?: string
  all?: boolean
  with_stats?: boolean
  first_parent?: boolean
  trailers?: boolean
  order?: 'default' | 'topo'
}

/** The histories of projects (contract 22, x.commits_*). */
export type History = ReturnType<typeof createHistory>

/** Git counts what it skips with 32 bits, and would begin anew beyond. No history is as long. */
const farthestOffset = 2_000_000_000

/** Above so many refs "all of them" is left to git; below, their ids are named, so that the answer can be remembered. */
const fewRefs = 100

/** A directory may be written with slashes behind it. Null for what can be no path. */
function pathOf(text: string | undefined): TreePath | null | undefined {
  const trimmed = text?.replace(/\/+$/, '')
  return trimmed ? treePath(trimmed) : text ? null : undefined
}

/** The commits that the refs of a repository point at; none where they are too many to be named. */
function tipsOfAll({ snapshot }: OpenedRepository): Oid[] {
  const { branches, tags } = snapshot
  if (branches.length + tags.length > fewRefs) return []
  const tagged = tags.filter(({ peeledType }) => peeledType === 'commit').map(({ peeled }) => peeled)
  return [...new Set([...branches.map(({ oid }) => oid), ...tagged])]
}

function rangeOf(range: Range): Pick<LogQuery, 'tips' | 'excluded'> {
  return { tips: [range.tip], ...(range.excluded ? { excluded: [range.excluded] } : {}) }
}

/** Which part of the history is asked for; null when there can be no commit in it. */
async function startOf(opened: OpenedRepository, filter: HistoryFilter) {
  if (opened.snapshot.branches.length + opened.snapshot.tags.length === 0) return null
  if (filter.all) return { tips: tipsOfAll(opened) }
  const range = await resolveRange(opened, filter.ref_name?.trim() || 'HEAD')
  return range && rangeOf(range)
}

export function createHistory(needs: HistoryNeeds) {
  const { externalUrl, pipelineOf = async () => new Map<Oid, CommitPipeline>() } = needs
  const urlOf = ({ full_path }: HistoryProject) => `${externalUrl}/${full_path}`

  /** A page of ids, and whether more follow. */
  async function idsOf(opened: OpenedRepository, filter: HistoryFilter, page: PageRequest) {
    const offset = page.kind === 'offset' ? page.offset : 0
    const path = pathOf(filter.path)
    const start = path === null || offset > farthestOffset ? null : await startOf(opened, filter)
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

  /** A commit with its numbers and its pipeline. */
  async function presentDetail(
    project: Project,
    actor: Actor,
    opened: OpenedRepository,
    commit: Commit,
    withStats: boolean,
  ) {
    const [stats, pipelines] = await Promise.all([
      withStats ? opened.repository.stats([commit.oid]) : undefined,
      pipelineOf(project, actor, [commit.oid]),
    ])
    return presentCommitDetail(commit, {
      stats: stats?.get(commit.oid),
      pipeline: pipelines.get(commit.oid) ?? null,
      project: { id: project.id, url: urlOf(project) },
    })
  }

  return {
    presentDetail,

    /** A page of a history, newest first; never tells how long it is (x.commits_list). */
    async list(project: HistoryProject, filter: HistoryFilter, page: PageRequest) {
      if (filter.ref_name?.startsWith('-')) throw failure(400, 'ref_name is invalid')
      const opened = await openRepository(needs, project)
      const { oids, hasNext } = await idsOf(opened, filter, page)
      const [commits, stats] = await Promise.all([
        opened.repository.commits(oids),
        filter.with_stats ? opened.repository.stats(oids) : undefined,
      ])
      const url = urlOf(project)
      const items = oids.flatMap((oid) => {
        const commit = commits.get(oid)
        const options = { stats: stats?.get(oid), withTrailers: filter.trailers ?? false }
        return commit ? [presentListedCommit(commit, url, options)] : []
      })
      return { items, hasNext }
    },

    /** @throws ApiError 404 Commit (x.commits_get) */
    async get(project: Project, actor: Actor, revision: string, { stats = true }: { stats?: boolean }) {
      const opened = await openRepository(needs, project)
      return presentDetail(project, actor, opened, await requireCommit(opened, revision), stats)
    },

    /** @throws ApiError 404 Commit */
    async require(project: HistoryProject, revision: string): Promise<Commit> {
      return requireCommit(await openRepository(needs, project), revision)
    },

    /** A page of what a commit changes against its first parent (x.commits_diff). @throws ApiError 404 Commit */
    async diff(
      project: HistoryProject,
      revision: string,
      { unidiff = false }: { unidiff?: boolean },
      page: PageRequest,
    ) {
      const opened = await openRepository(needs, project)
      const { oid, parentOids } = await requireCommit(opened, revision)
      const ends = { repository: opened.repository, from: parentOids[0] ?? null, to: oid }
      const { items, ...rest } = await pageOfDiff(ends, page)
      return { items: items.map((file) => presentDiff(file, unidiff)), ...rest }
    },

    /** The branches and tags that have a commit (x.commits_refs). @throws ApiError 404 Commit */
    async refs(
      project: HistoryProject,
      revision: string,
      type: 'all' | 'branch' | 'tag',
      page: PageRequest,
    ): Promise<Page<{ type: string; name: string }>> {
      const opened = await openRepository(needs, project)
      const { oid } = await requireCommit(opened, revision)
      const kinds = type === 'all' ? (['branch', 'tag'] as const) : ([type] as const)
      const lists = await Promise.all(
        kinds.map(async (kind) => {
          const names = await opened.repository.refsContaining(oid, kind)
          return names.map((name) => ({ type: kind, name }))
        }),
      )
      const { items, hasNext } = pageOfList(lists.flat(), page)
      return { items, hasNext }
    },

    /** How many commits a commit has behind it, itself among them (x.commits_sequence). @throws ApiError 404 Commit */
    async sequence(project: HistoryProject, revision: string, { firstParent = false }: { firstParent?: boolean }) {
      const opened = await openRepository(needs, project)
      const { oid } = await requireCommit(opened, revision)
      return { count: await opened.repository.countCommits({ tips: [oid], firstParent }) }
    },
  }
}
