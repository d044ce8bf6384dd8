import {
  type Actor,
  type Page,
  type PageRequest,
  pageOfList,
  recordNotFound,
  type Static,
  Type,
} from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { requireReader } from '../core/pipelines.ts'
import { requireJob } from '../jobs/jobs.ts'
import { requireArchive, withDirectory } from './downloads.ts'
import { type ListedEntry, readEntries } from './zip.ts'

/** An entry of an archive (contract 26.6, x.job_artifacts_tree). */
export const ArtifactEntry = Type.Object(
  {
    name: Type.String(),
    path: Type.String(),
    type: Type.String(),
    size: Type.Optional(Type.Integer()),
    mode: Type.String(),
  },
  { title: 'ArtifactEntry' },
)
type Entry = Static<typeof ArtifactEntry>

/** So many entries are listed at most. */
const mostEntries = 10_000

const directoryOf = (path: string): Entry => ({
  ...{ name: path.slice(path.lastIndexOf('/') + 1), path: `${path}/`, type: 'directory', mode: '040755' },
})

/**
 * The entries of a folder that a name in the archive is, or lies below; none for a name outside it, and for names that no path may have.
 * @param isWhole with the folders and the file below the first step
 */
function entriesIn(folder: Buffer, listed: ListedEntry, isWhole: boolean): Entry[] {
  const bytes = listed.name
  if (bytes.length <= folder.length || !bytes.subarray(0, folder.length).equals(folder)) return []
  const path = bytes.toString()
  const steps = path.replace(/\/$/, '').split('/')
  if (steps.some((step) => step === '' || step === '.' || step === '..')) return []
  const first = folder.toString().split('/').length
  const last = isWhole ? steps.length : first
  const folders = steps.map((_, index) => index + 1).filter((depth) => depth >= first && depth <= last)
  return folders.map((depth) => {
    const isFile = depth === steps.length && !path.endsWith('/')
    if (!isFile) return directoryOf(steps.slice(0, depth).join('/'))
    const name = steps[depth - 1] ?? ''
    const mode = `100${(listed.permissions || 0o644).toString(8).padStart(3, '0')}`
    return { name, path, type: 'file', size: listed.sizeBytes, mode }
  })
}

/** Directories first, then by path. */
const byKindAndPath = (one: Entry, other: Entry) =>
  one.type.localeCompare(other.type) || (one.path < other.path ? -1 : Number(one.path > other.path))

/** A page of the entries of a folder of the archive of a job (contract 26.6, x.job_artifacts_tree). @throws ApiError 403, 404 */
export async function listEntries(
  platform: Platform,
  project: Project,
  actor: Actor,
  { jobId, path, isWhole }: { jobId: number; path: string; isWhole: boolean },
  page: PageRequest,
): Promise<Page<Entry>> {
  requireReader(actor, project)
  const job = await requireJob(platform, project, jobId)
  const archive = await requireArchive(platform, project, actor, job.id)
  const folder = Buffer.from(path === '' ? '' : `${path.replace(/\/+$/, '')}/`)
  const entries = new Map<string, Entry>()
  let isThere = folder.length === 0
  await withDirectory(platform, archive, (open, directory) =>
    readEntries(open, directory, (listed) => {
      // Also of an empty folder, which the archive names.
      isThere ||= listed.name.equals(folder)
      for (const entry of entriesIn(folder, listed, isWhole)) {
        if (!entries.has(entry.path)) entries.set(entry.path, entry)
      }
      return entries.size >= mostEntries ? true : undefined
    }),
  )
  if (entries.size === 0 && !isThere) throw recordNotFound()
  return pageOfList([...entries.values()].slice(0, mostEntries).sort(byKindAndPath), page)
}
