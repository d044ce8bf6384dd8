import { failure, type PageRequest, parameterError, recordNotFound } from '../../api/index.ts'
import { type Commit, parseOid } from '../../infra/git/index.ts'
import type { Platform } from '../../platform/index.ts'
import {
  type OpenedRepository,
  openRepository,
  openRepositoryForWriting,
  outsideGate,
} from '../../platform/repositories/index.ts'
import { presentCommit } from '../commits/index.ts'
import { holdMergeRequest, keepCommits, type ProjectMergeRequest } from '../merge-requests/index.ts'
import * as store from './store.ts'

/** One request names at most so many commits. */
const mostCommits = 20

const urlOf = ({ externalUrl }: Platform, { project }: ProjectMergeRequest) => `${externalUrl}/${project.full_path}`

/** A page of the context commits of a merge request, newest first (contract 26.4, x.mr_context_commits). */
export async function listContextCommits(platform: Platform, found: ProjectMergeRequest, page: PageRequest) {
  const { items, ...rest } = await store.pageOfContextCommits(platform.database.read, found.row.id, page)
  if (items.length === 0) return { ...rest, items: [] }
  const { repository } = await openRepository(platform, found.project)
  const commits = await repository.commits(items.flatMap(({ sha }) => parseOid(sha) ?? []))
  const byId = new Map<string, Commit>(commits)
  const shown = items.flatMap(({ sha }) => byId.get(sha) ?? [])
  return { ...rest, items: shown.map((commit) => presentCommit(commit, urlOf(platform, found))) }
}

const notValid = () => failure(400, "One or more context commits' sha is not valid.")

/** The commit of a full or short hash; null for anything else, also for the name of a branch or a tag. */
async function commitOf({ repository, snapshot }: OpenedRepository, text: string): Promise<Commit | null> {
  if (!/^[0-9a-f]{7,64}$/i.test(text)) return null
  const digits = text.toLowerCase()
  const oid = parseOid(digits) ?? (await repository.resolveCommit(digits, snapshot))
  const commit = oid && (await repository.commits([oid])).get(oid)
  return commit?.oid.startsWith(digits) ? commit : null
}

/** The commits that a request names, in its order. @throws ApiError 400 for too many, none, unknown ones, and one twice */
async function namedCommits(opened: OpenedRepository, names: readonly string[]): Promise<Commit[]> {
  if (names.every((name) => name.trim() === '')) throw parameterError('commits', 'is empty')
  if (names.length > mostCommits) {
    throw failure(400, `Context commits array size should not be more than ${mostCommits}`)
  }
  const commits: Commit[] = []
  for (const name of names) {
    const commit = await commitOf(opened, name.trim())
    if (!commit || commits.some(({ oid }) => oid === commit.oid)) throw notValid()
    commits.push(commit)
  }
  return commits
}

/** Adds context commits to a merge request (contract 26.4, x.mr_context_commits_add). @throws ApiError 400 */
export async function addContextCommits(platform: Platform, found: ProjectMergeRequest, names: readonly string[]) {
  const opened = await openRepositoryForWriting(platform, found.project)
  const commits = await namedCommits(opened, names)
  const shas = commits.map(({ oid }) => oid)
  await outsideGate(platform, opened.row, () => keepCommits(opened.repository, shas))
  const mergeRequestId = found.row.id
  await platform.database.write(async (tx) => {
    // Of two that add at once, the second finds what the first has added.
    if (!(await holdMergeRequest(tx, mergeRequestId))) throw recordNotFound()
    const there = await store.contextAmong(tx, mergeRequestId, shas)
    const known = shas.filter((sha) => there.has(sha))
    if (known.length > 0) throw failure(400, `Context commits: [${known.join(', ')}] are already created`)
    const rows = commits.map(({ oid, committer }) => ({
      ...{ merge_request_id: mergeRequestId, sha: oid, committed_at: new Date(committer.date).toISOString() },
    }))
    await store.insertContextCommits(tx, rows)
  })
  return commits.map((commit) => presentCommit(commit, urlOf(platform, found)))
}

/**
 * Removes context commits from a merge request; other commits are none of it already (contract 26.4, x.mr_context_commits_remove).
 * @throws ApiError 400 for unknown commits; nothing is removed then
 */
export async function removeContextCommits(platform: Platform, found: ProjectMergeRequest, names: readonly string[]) {
  const commits = await namedCommits(await openRepository(platform, found.project), names)
  const shas = commits.map(({ oid }) => oid)
  await platform.database.write((tx) => store.deleteContextCommits(tx, found.row.id, shas))
}
