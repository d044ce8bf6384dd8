import { type Actor, maximumTotal, notFound, type Page, type PageRequest, recordNotFound } from '../../../api/index.ts'
import { type Oid, parseOid, type Repository } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { diffLimits, hasOverflowed, pageOfDiff, presentCommit, presentDiff } from '../../commits/index.ts'
import { presentSingle, upToDate } from '../core/single.ts'
import { refresh } from '../heads/refresh.ts'
import { latestVersion } from '../heads/store.ts'
import { mostCommits } from '../heads/version.ts'
import type { ProjectMergeRequest } from '../subject.ts'
import type { VersionRow } from '../tables.ts'
import { presentVersion } from './present.ts'
import { pageOfVersions, versionOf } from './store.ts'

type Shown = { unidiff?: boolean; version_id?: number }

/** A version with the repository that has its commits. */
type OpenedVersion = { repository: Repository; version: VersionRow; from: Oid | null; to: Oid; start: Oid }

async function open(platform: Platform, { project }: ProjectMergeRequest, version: VersionRow): Promise<OpenedVersion> {
  const { repository } = await openRepository(platform, project)
  const [to, start] = [parseOid(version.head_sha), parseOid(version.start_sha)]
  if (!to || !start) throw new Error(`version ${version.id} names no commits`)
  return { repository, version, from: version.base_sha === null ? null : parseOid(version.base_sha), to, start }
}

/** The newest version, after the branches were looked at. */
async function openLatest(platform: Platform, found: ProjectMergeRequest): Promise<OpenedVersion> {
  const row = await refresh(platform, found.project, found.row)
  const version = await latestVersion(platform.database.read, row.id)
  if (!version) throw notFound()
  return open(platform, found, version)
}

/** A version by its id, else the newest one. @throws ApiError 404 */
async function openVersion(platform: Platform, found: ProjectMergeRequest, id: number | undefined) {
  if (id === undefined) return openLatest(platform, found)
  const version = await versionOf(platform.database.read, found.row.id, id)
  if (!version) throw recordNotFound()
  return open(platform, found, version)
}

/** The files of a version with their patches, within the limits of diffs (contract 19, Diff). */
async function filesOf(platform: Platform, { repository, from, to }: OpenedVersion, { unidiff = false }: Shown) {
  const limits = await diffLimits(platform)
  const files = await repository.diff(from, to, { ...limits, maxFiles: limits.maxFiles + 1 })
  const shown = files.slice(0, limits.maxFiles)
  const overflow = files.length > shown.length || (await hasOverflowed({ repository, from, to, limits }, shown))
  return { files: shown.map((file) => presentDiff(file, unidiff)), overflow }
}

/** A page of the differences between a version and its base (contract 19, x.mr_diffs). @throws ApiError 404 */
export async function listDiffs(
  platform: Platform,
  found: ProjectMergeRequest,
  { unidiff = false, version_id: id }: Shown,
  page: PageRequest,
) {
  const { repository, from, to } = await openVersion(platform, found, id)
  const { items, ...rest } = await pageOfDiff({ repository, from, to, limits: await diffLimits(platform) }, page)
  return { items: items.map((file) => presentDiff(file, unidiff)), ...rest }
}

/** The changed files of a version with the numbers of their lines (contract 19, x.mr_diff_files). @throws ApiError 404 */
export async function listDiffFiles(platform: Platform, found: ProjectMergeRequest, { version_id: id }: Shown) {
  const { repository, from, to } = await openVersion(platform, found, id)
  const files = await repository.fileStats(from, to, maximumTotal + 1)
  return {
    files: files.slice(0, maximumTotal).map(({ oldPath, newPath, status, additions, deletions }) => ({
      ...{ old_path: oldPath, new_path: newPath, additions, deletions },
      new_file: status === 'added',
      renamed_file: status === 'renamed',
      deleted_file: status === 'deleted',
    })),
    overflow: files.length > maximumTotal,
  }
}

/** A merge request with all its differences (contract 19, x.mr_changes). */
export async function getChanges(platform: Platform, found: ProjectMergeRequest, actor: Actor, shown: Shown) {
  const row = await upToDate(platform, found)
  const [single, opened] = await Promise.all([
    presentSingle(platform, { ...found, row }, actor),
    openLatest(platform, { ...found, row }),
  ])
  const { files: changes, overflow } = await filesOf(platform, opened, shown)
  return { ...single, changes, overflow }
}

/** The differences as git prints them, as a stream (contract 19, x.mr_raw_diffs). */
export async function rawDiffs(platform: Platform, found: ProjectMergeRequest) {
  const { repository, from, to } = await openLatest(platform, found)
  return {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
    body: () => repository.patchText(from, to),
  }
}

async function commitsOf({ repository, to, start }: OpenedVersion, url: string, skip: number, limit: number) {
  const oids = await repository.log({ tips: [to], excluded: [start], skip, limit })
  const commits = await repository.commits(oids)
  return oids.flatMap((oid) => {
    const commit = commits.get(oid)
    return commit ? [presentCommit(commit, url)] : []
  })
}

const urlOf = ({ externalUrl }: Platform, { project }: ProjectMergeRequest) => `${externalUrl}/${project.full_path}`

/** A page of the commits of the newest version, newest first (contract 19, x.mr_commits). */
export async function listCommits(
  platform: Platform,
  found: ProjectMergeRequest,
  page: PageRequest,
): Promise<Page<ReturnType<typeof presentCommit>>> {
  const opened = await openLatest(platform, found)
  const total = Math.min(opened.version.commit_count, mostCommits)
  const offset = page.kind === 'offset' ? page.offset : 0
  const limit = Math.max(0, Math.min(page.limit, total - offset))
  const items = limit === 0 ? [] : await commitsOf(opened, urlOf(platform, found), offset, limit)
  return { items, total, hasNext: offset + limit < total }
}

/** A page of the versions, newest first (contract 19, x.mr_versions). */
export async function listVersions(platform: Platform, found: ProjectMergeRequest, page: PageRequest) {
  const row = await refresh(platform, found.project, found.row)
  const versions = await pageOfVersions(platform.database.read, row.id, page)
  const { maxFiles } = await diffLimits(platform)
  return { ...versions, items: versions.items.map((version) => presentVersion(version, maxFiles)) }
}

/** @throws ApiError 404 (contract 19, x.mr_version) */
export async function getVersion(platform: Platform, found: ProjectMergeRequest, id: number, shown: Shown) {
  const opened = await openVersion(platform, found, id)
  const [commits, { files: diffs }, { maxFiles }] = await Promise.all([
    commitsOf(opened, urlOf(platform, found), 0, mostCommits),
    filesOf(platform, opened, shown),
    diffLimits(platform),
  ])
  return { ...presentVersion(opened.version, maxFiles), commits, diffs }
}
