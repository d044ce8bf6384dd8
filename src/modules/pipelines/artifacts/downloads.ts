import { Readable } from 'node:stream'
import {
  type Actor,
  contentDisposition,
  failure,
  forbidden,
  isAdministrator,
  notFound,
  type Raw,
} from '../../../api/index.ts'
import { parseStorageKey } from '../../../infra/objects/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import { limited } from '../../../infra/threads/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { role } from '../../access/index.ts'
import { callerIn, type Project } from '../../projects/index.ts'
import { requireReader } from '../core/pipelines.ts'
import { findTarget } from '../creation/target.ts'
import { requireJob } from '../jobs/jobs.ts'
import type { CiJobArtifactRow } from '../tables.ts'
import { findArtifact, openArtifact } from './artifacts.ts'
import { jobOfLatest } from './store.ts'
import { contentOffset, type Directory, findDirectory, findZipEntry, inflated, type OpenPart } from './zip.ts'

/** @throws ApiError 403 unless the artifact may be read by the caller (`artifacts:access`) */
function requireAccess(actor: Actor, project: Project, { access_level: level }: CiJobArtifactRow): void {
  if (level === 'all') return
  const isDeveloper = isAdministrator(callerIn(actor, project)) || project.role.level >= role.developer
  if (level === 'none' || !isDeveloper) throw forbidden()
}

/** The archive of a job that the caller may read. @throws ApiError 403, 404 */
export async function requireArchive(platform: Platform, project: Project, actor: Actor, jobId: number) {
  const archive = await findArtifact(platform, jobId)
  if (!archive) throw notFound()
  requireAccess(actor, project, archive)
  return archive
}

async function bytesOf(platform: Platform, archive: CiJobArtifactRow): Promise<Readable> {
  return (await openArtifact(platform, archive))?.stream ?? handled(Readable.from([]))
}

function wholeArchive(platform: Platform, archive: CiJobArtifactRow): Raw {
  const headers = {
    'Content-Type': 'application/zip',
    'Content-Disposition': contentDisposition('attachment', 'artifacts.zip'),
    'Content-Length': String(archive.size_bytes),
  }
  return { headers, body: () => bytesOf(platform, archive) }
}

const textName = /\.(txt|log|md|csv)$/i

/** @throws ApiError 400 for a path that leaves the archive */
function checkPath(path: string): void {
  const segments = path.split('/')
  if (path === '' || path.startsWith('/') || segments.includes('..')) throw failure(400, '400 Bad request')
}

/** Longer lists of files are searched a few at a time; the others wait for these only. */
const shortDirectoryBytes = 1024 * 1024
const mostSearches = 2

const searches = perPlatform(() => limited(mostSearches))

/** Reads the list of files of an archive; null where it is none that can be read. */
export async function withDirectory<T>(
  platform: Platform,
  { storage_key: storageKey, size_bytes: sizeBytes }: CiJobArtifactRow,
  read: (open: OpenPart, directory: Directory) => Promise<T>,
): Promise<T | null> {
  const open = openerOf(platform, storageKey)
  const directory = await findDirectory(open, sizeBytes)
  if (!directory) return null
  const search = () => read(open, directory)
  return directory.length <= shortDirectoryBytes ? search() : searches(platform)(search)
}

function openerOf({ objects }: Platform, storageKey: string): OpenPart {
  const key = parseStorageKey(storageKey)
  return async (firstByte, length) => {
    const opened = await objects.get(key, { range: { firstByte, lastByte: firstByte + length - 1 } })
    return opened?.stream ?? null
  }
}

/** One file of an archive. @throws ApiError 400, 404 */
async function oneFile(platform: Platform, archive: CiJobArtifactRow, path: string): Promise<Raw> {
  const open = openerOf(platform, archive.storage_key)
  const entry = await withDirectory(platform, archive, (_, directory) => findZipEntry(open, directory, path))
  const offset = entry && (await contentOffset(open, entry, archive.size_bytes))
  if (!entry || offset === null) throw notFound()
  const headers = {
    'Content-Type': textName.test(path) ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    'Content-Disposition': contentDisposition('attachment', path.slice(path.lastIndexOf('/') + 1)),
  }
  async function body(): Promise<Readable> {
    const { compressedBytes, isCompressed } = entry as NonNullable<typeof entry>
    const opened = compressedBytes > 0 ? await open(offset as number, compressedBytes) : null
    if (!opened) return handled(Readable.from([]))
    return isCompressed ? inflated(opened) : opened
  }
  return { headers, body }
}

/** The archive of a job (contract 04, x.job_artifacts_get). @throws ApiError 403, 404 */
export async function downloadArchive(platform: Platform, project: Project, actor: Actor, jobId: number): Promise<Raw> {
  requireReader(actor, project)
  const job = await requireJob(platform, project, jobId)
  return wholeArchive(platform, await requireArchive(platform, project, actor, job.id))
}

/** One file of the archive of a job (contract 04, x.job_artifacts_file). @throws ApiError 400, 403, 404 */
export async function downloadFile(
  platform: Platform,
  project: Project,
  actor: Actor,
  jobId: number,
  path: string,
): Promise<Raw> {
  requireReader(actor, project)
  checkPath(path)
  const job = await requireJob(platform, project, jobId)
  return oneFile(platform, await requireArchive(platform, project, actor, job.id), path)
}

/** The archive of a job of the newest successful pipeline of a ref that has the job. @throws ApiError 403, 404 */
async function archiveOfRef(platform: Platform, project: Project, actor: Actor, ref: string, job: string) {
  const target = await findTarget(await openRepository(platform, project), ref)
  if (typeof target === 'string') throw notFound()
  const place = { projectId: project.id, ref: target.ref, tag: target.tag }
  const jobId = await jobOfLatest(platform.database.read, place, job)
  if (jobId === null) throw notFound()
  return requireArchive(platform, project, actor, jobId)
}

/** The archive of the newest successful job of a ref (contract 04, x.job_artifacts_by_ref). @throws ApiError 403, 404 */
export async function downloadArchiveOfRef(
  platform: Platform,
  project: Project,
  actor: Actor,
  { ref, job }: { ref: string; job: string },
): Promise<Raw> {
  requireReader(actor, project)
  return wholeArchive(platform, await archiveOfRef(platform, project, actor, ref, job))
}

/** One file of it (contract 04, x.job_artifacts_file_by_ref). @throws ApiError 400, 403, 404 */
export async function downloadFileOfRef(
  platform: Platform,
  project: Project,
  actor: Actor,
  { ref, job, path }: { ref: string; job: string; path: string },
): Promise<Raw> {
  requireReader(actor, project)
  checkPath(path)
  return oneFile(platform, await archiveOfRef(platform, project, actor, ref, job), path)
}
