import { type Actor, dayOf, failure, notFound, type Page, type PageRequest, pageOfList } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import { type Commit, type Contributor, type Oid, type Repository, readingTogether } from '../../../infra/git/index.ts'
import { inOneForkNetwork, may, type Project, visibleProject } from '../../projects/index.ts'
import { type OpenedRepository, type OpeningNeeds, openRepository } from '../../repositories/index.ts'
import { presentCommit } from '../present.ts'
import { hasOverflowed } from '../reading/diff-pages.ts'
import { presentDiff } from '../reading/diffs.ts'
import { resolveRevision } from '../revision.ts'

export type ComparisonNeeds = OpeningNeeds & { clock: Clock; externalUrl: string }

/** Parameters of x.repo_compare. */
export type ComparisonParams = {
  from: string
  to: string
  straight?: boolean
  from_project_id?: number
  unidiff?: boolean
}

export type ContributorOrder = { order_by?: 'commits' | 'name' | 'email'; sort?: 'asc' | 'desc' }

/** What a repository says when its histories are held against each other (contract 22, x.repo_*). */
export type Comparison = ReturnType<typeof createComparison>

/** Commits and files above these are left out of a comparison, and it says so. */
const mostCommits = 1_000
const mostFiles = 1_000
/** Messages may be long; so much of them is shown in one comparison, in characters. */
const mostMessageLength = 8 * 1024 * 1024

type Side = { project: Project; opened: OpenedRepository }
type Ends = { repository: Repository; from: Oid; to: Oid; reading: ReturnType<typeof readingTogether> | undefined }

/** The newest of these commits that there is room for. @param commits newest first */
function thatFit(commits: readonly Commit[]): Commit[] {
  let room = mostMessageLength
  const end = commits.slice(0, mostCommits).findIndex(({ message }) => {
    room -= message.length
    return room < 0
  })
  return commits.slice(0, end < 0 ? mostCommits : Math.max(end, 1))
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** By what is asked for, and where that is equal, by name and e-mail. */
function sortedContributors(people: readonly Contributor[], { order_by = 'commits', sort }: ContributorOrder) {
  const direction = sort === 'desc' ? -1 : 1
  const keyed = (a: Contributor, b: Contributor) =>
    order_by === 'commits' ? a.commits - b.commits : compareText(a[order_by], b[order_by])
  return [...people].sort(
    (a, b) => direction * keyed(a, b) || compareText(a.name, b.name) || compareText(a.email, b.email),
  )
}

export function createComparison(needs: ComparisonNeeds) {
  const { database, clock, externalUrl } = needs

  /** The other project of a comparison. @throws ApiError 400 when it is no relative, or none that the actor may read */
  async function otherSide(project: Project, id: number, actor: Actor): Promise<Side> {
    const other = await visibleProject(database.read, String(id), actor, dayOf(clock.now()))
    const isRelated =
      other && may(actor, other, 'read_code') && (await inOneForkNetwork(database.read, project.id, other.id))
    if (!isRelated) throw failure(400, `Target project id:${id} is not a fork of project id:${project.id}`)
    return { project: other, opened: await openRepository(needs, other) }
  }

  /** @throws ApiError 404 Ref */
  async function endsOf(project: Project, params: ComparisonParams, actor: Actor): Promise<Ends> {
    const isOther = params.from_project_id !== undefined && params.from_project_id !== project.id
    const other = isOther ? await otherSide(project, params.from_project_id ?? 0, actor) : null
    const opened = await openRepository(needs, project)
    const base = other?.opened ?? opened
    const [from, to] = await Promise.all([resolveRevision(base, params.from), resolveRevision(opened, params.to)])
    if (!from || !to) throw notFound('Ref')
    const reading = other ? readingTogether(opened.repository, base.repository) : undefined
    return { repository: opened.repository, from, to, reading }
  }

  /** What one has and the other has not. @returns newest first */
  async function commitsBetween({ repository, from, to, reading }: Ends): Promise<{ commits: Commit[]; all: boolean }> {
    const oids = await repository.log({ tips: [to], excluded: [from], limit: mostCommits + 1 }, reading)
    const read = await repository.commits(oids, reading)
    const commits = thatFit(oids.flatMap((oid) => read.get(oid) ?? []))
    return { commits, all: commits.length === oids.length }
  }

  return {
    /**
     * Holds two revisions against each other (x.repo_compare): the commits that `to` has and `from` has not, and what
     * they change since the last common commit, or since `from` when straight. What has nothing in common is all new.
     * @throws ApiError 404 Ref; 400 when the other project is no relative
     */
    async compare(project: Project, params: ComparisonParams, actor: Actor) {
      const ends = await endsOf(project, params, actor)
      const { repository, from, to, reading } = ends
      const base = params.straight ? from : await repository.mergeBase([from, to], reading)
      const [{ commits, all }, files] = await Promise.all([
        commitsBetween(ends),
        repository.diff(base, to, { ...reading, maxFiles: mostFiles + 1 }),
      ])
      const url = `${externalUrl}/${project.full_path}`
      const presented = commits.map((commit) => presentCommit(commit, url)).reverse()
      const shown = files.slice(0, mostFiles)
      const isCut = !all || files.length > mostFiles || (await hasOverflowed({ ...ends, from: base }, shown))
      return {
        commit: presented.at(-1) ?? null,
        commits: presented,
        diffs: shown.map((file) => presentDiff(file, params.unidiff ?? false)),
        compare_timeout: isCut,
        compare_same_ref: from === to,
        web_url: `${url}/-/compare/${base ?? from}...${to}`,
      }
    },

    /** The last commit that all of these have in common (x.repo_merge_base). @throws ApiError 400 and 404 as there */
    async mergeBase(project: Project, refs: readonly string[]) {
      if (refs.length < 2) throw failure(400, 'Provide at least 2 refs')
      const opened = await openRepository(needs, project)
      const oids = await Promise.all(refs.map((ref) => resolveRevision(opened, ref)))
      const unknown = refs.filter((_, index) => oids[index] === null)
      if (unknown.length > 0) {
        throw failure(400, `Could not find ${unknown.length > 1 ? 'refs' : 'ref'}: ${unknown.join(', ')}`)
      }
      const different = [...new Set(oids.flatMap((oid) => oid ?? []))]
      const base = different.length === 1 ? different[0] : await opened.repository.mergeBase(different)
      const commit = base ? (await opened.repository.commits([base])).get(base) : undefined
      if (!commit) throw notFound('Merge Base')
      return presentCommit(commit, `${externalUrl}/${project.full_path}`)
    },

    /** Who wrote the history of a revision (x.repo_contributors). @throws ApiError 404 when there is no history */
    async contributors(
      project: Project,
      { ref, ...order }: ContributorOrder & { ref?: string },
      page: PageRequest,
    ): Promise<Page<Contributor & { additions: number; deletions: number }>> {
      const opened = await openRepository(needs, project)
      const oid = await resolveRevision(opened, ref?.trim() || 'HEAD')
      if (!oid) throw notFound()
      const people = sortedContributors(await opened.repository.contributors(oid), order)
      const { items, ...rest } = pageOfList(people, page)
      // Lines are counted for nobody: it would take a difference for each commit of the history (contract 22).
      return { items: items.map((person) => ({ ...person, additions: 0, deletions: 0 })), ...rest }
    },
  }
}
