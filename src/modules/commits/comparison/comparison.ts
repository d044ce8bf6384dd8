import { type Actor, dayOf, failure, notFound } from '../../../api/index.ts'
import { type Commit, type Oid, type Repository, readingBoth } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type OpenedRepository, openRepository } from '../../../platform/repositories/index.ts'
import { inOneForkNetwork, may, type Project, visibleProject } from '../../projects/index.ts'
import { presentCommit } from '../present.ts'
import { diffLimits } from '../reading/diff-limits.ts'
import { hasOverflowed } from '../reading/diff-pages.ts'
import { presentDiff } from '../reading/diffs.ts'
import { resolveRevision } from '../revision.ts'
import type { ComparisonParams } from './params.ts'

/** Longer comparisons are cut and say so in `compare_timeout`. */
const maximumCommits = 1_000
/** Limit of all messages of a comparison, in characters. */
const maximumMessageLength = 8 * 1024 * 1024

type Side = { project: Project; opened: OpenedRepository }
type Ends = { repository: Repository; from: Oid; to: Oid; reading: ReturnType<typeof readingBoth> | undefined }

/** The newest commits within the limits. @param commits newest first */
function withinLimits(commits: readonly Commit[]): Commit[] {
  let room = maximumMessageLength
  const end = commits.slice(0, maximumCommits).findIndex(({ message }) => {
    room -= message.length
    return room < 0
  })
  return commits.slice(0, end < 0 ? maximumCommits : Math.max(end, 1))
}

/** The other project of a comparison. @throws ApiError 400 outside the fork network, or without access to its code */
async function otherSide(platform: Platform, project: Project, id: number, actor: Actor): Promise<Side> {
  const { read } = platform.database
  const other = await visibleProject(read, String(id), actor, dayOf(platform.clock.now()))
  const isRelated = other && may(actor, other, 'read_code') && (await inOneForkNetwork(read, project.id, other.id))
  if (!isRelated) throw failure(400, `Target project id:${id} is not a fork of project id:${project.id}`)
  return { project: other, opened: await openRepository(platform, other) }
}

/** @throws ApiError 404 Ref */
async function endsOf(platform: Platform, project: Project, params: ComparisonParams, actor: Actor): Promise<Ends> {
  const { from_project_id: id } = params
  const other = id === undefined || id === project.id ? null : await otherSide(platform, project, id, actor)
  const opened = await openRepository(platform, project)
  const base = other?.opened ?? opened
  const [from, to] = await Promise.all([resolveRevision(base, params.from), resolveRevision(opened, params.to)])
  if (!from || !to) throw notFound('Ref')
  const reading = other ? readingBoth(opened.repository, base.repository) : undefined
  return { repository: opened.repository, from, to, reading }
}

/** The commits that `to` has and `from` has not. @returns newest first */
async function commitsBetween({ repository, from, to, reading }: Ends): Promise<{ commits: Commit[]; all: boolean }> {
  const oids = await repository.log({ tips: [to], excluded: [from], limit: maximumCommits + 1 }, reading)
  const read = await repository.commits(oids, reading)
  const commits = withinLimits(oids.flatMap((oid) => read.get(oid) ?? []))
  return { commits, all: commits.length === oids.length }
}

/**
 * Compares two revisions (x.repo_compare): the commits that `to` has and `from` has not, and the differences since the last
 * common commit, or since `from` when straight. Without a common commit every file counts as added.
 * @throws ApiError 404 Ref; 400 when the other project is outside the fork network
 */
export async function compareRevisions(platform: Platform, project: Project, params: ComparisonParams, actor: Actor) {
  const ends = await endsOf(platform, project, params, actor)
  const { repository, from, to, reading } = ends
  const limits = await diffLimits(platform)
  const { maxFiles } = limits
  const base = params.straight ? from : await repository.mergeBase([from, to], reading)
  const [{ commits, all }, files] = await Promise.all([
    commitsBetween(ends),
    repository.diff(base, to, { ...reading, ...limits, maxFiles: maxFiles + 1 }),
  ])
  const url = `${platform.externalUrl}/${project.full_path}`
  const presented = commits.map((commit) => presentCommit(commit, url)).reverse()
  const shown = files.slice(0, maxFiles)
  const isCut = !all || files.length > maxFiles || (await hasOverflowed({ ...ends, from: base, limits }, shown))
  return {
    commit: presented.at(-1) ?? null,
    commits: presented,
    diffs: shown.map((file) => presentDiff(file, params.unidiff ?? false)),
    compare_timeout: isCut,
    compare_same_ref: from === to,
    web_url: `${url}/-/compare/${base ?? from}...${to}`,
  }
}

/** The last common commit of several revisions (x.repo_merge_base). @throws ApiError 400, 404 */
export async function mergeBase(platform: Platform, project: Project, refs: readonly string[]) {
  if (refs.length < 2) throw failure(400, 'Provide at least 2 refs')
  const opened = await openRepository(platform, project)
  const oids = await Promise.all(refs.map((ref) => resolveRevision(opened, ref)))
  const unknown = refs.filter((_, index) => oids[index] === null)
  if (unknown.length > 0) {
    throw failure(400, `Could not find ${unknown.length > 1 ? 'refs' : 'ref'}: ${unknown.join(', ')}`)
  }
  const different = [...new Set(oids.flatMap((oid) => oid ?? []))]
  const base = different.length === 1 ? different[0] : await opened.repository.mergeBase(different)
  const commit = base ? (await opened.repository.commits([base])).get(base) : undefined
  if (!commit) throw notFound('Merge Base')
  return presentCommit(commit, `${platform.externalUrl}/${project.full_path}`)
}
