import { type Actor, type Page, type PageRequest, pageOfList, type Static, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { requireReader } from '../core/pipelines.ts'
import { requireJob } from '../jobs/jobs.ts'
import { requireArchive, withDirectory } from './downloads.ts'
import { type ListedEntry, readEntries } from './zip.ts'

/** An entry of a folder of an archive (contract 04, x.job_artifacts_tree). */
export const ArtifactEntry = Type.Object(
  {
    name: Type.String(),
    path: Type.String(),
    type: Type.String(),
    size: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  },
  { title: 'ArtifactEntry' },
)
type Entry = Static<typeof ArtifactEntry>

/** A folder shows no more entries. */
const mostEntries = 10_000

/** The entry of a folder to which a file belongs; null for a file outside it, and for names that no path may have. */
function entryIn(folder: Buffer, listed: ListedEntry): Entry | null {
  const bytes = listed.name
  if (bytes.length <= folder.length || !bytes.subarray(0, folder.length).equals(folder)) return null
  const path = bytes.toString()
  const segments = path.replace(/\/$/, '').split('/')
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) return null
  const depth = folder.toString().split('/').length
  const name = segments[depth - 1] ?? ''
  const isFile = segments.length === depth && !path.endsWith('/')
  return {
    name,
    path: segments.slice(0, depth).join('/'),
    type: isFile ? 'file' : 'directory',
    size: isFile ? listed.sizeBytes : null,
  }
}

/** Directories first, then by name. */
const byKindAndName = (one: Entry, other: Entry) =>
  one.type.localeCompare(other.type) || (one.name < other.name ? -1 : Number(one.name > other.name))

/** A page of the entries of a folder of the archive of a job (contract 04, x.job_artifacts_tree). @throws ApiError 403, 404 */
export async function listEntries(
  platform: Platform,
  project: Project,
  actor: Actor,
  { jobId, path }: { jobId: number; path: string },
  page: PageRequest,
): Promise<Page<Entry>> {
  requireReader(actor, project)
  const job = await requireJob(platform, project, jobId)
  const archive = await requireArchive(platform, project, actor, job.id)
  const folder = Buffer.from(path === '' ? '' : `${path.replace(/\/+$/, '')}/`)
  const entries = new Map<string, Entry>()
  await withDirectory(platform, archive, (open, directory) =>
    readEntries(open, directory, (listed) => {
      const entry = entryIn(folder, listed)
      if (entry && !entries.has(entry.name)) entries.set(entry.name, entry)
      return entries.size >= mostEntries ? true : undefined
    }),
  )
  return pageOfList([...entries.values()].sort(byKindAndName), page)
}
