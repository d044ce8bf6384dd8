import { acquireLock, DatabaseUnavailable, now, type Tx } from '../../../infra/database/index.ts'
import { parseDuration } from '../../../infra/durations/index.ts'
import { expandText } from '../../../infra/expansion/index.ts'
import { parseStorageKey, type StorageKey } from '../../../infra/objects/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { ConfigPages } from '../../ci-config/index.ts'
import { ancestorsOf } from '../../namespaces/index.ts'
import {
  type CiJobArtifactRow,
  type CiJobRow,
  findArtifact,
  openArtifact,
  withDirectory,
} from '../../pipelines/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { keyOfDeployment } from '../keys.ts'
import type { PagesDeploymentRow } from '../tables.ts'
import { siteBytes, type WrittenSite } from './contents.ts'
import { type ListedFile, listFiles } from './listing.ts'
import { prefixOf } from './prefix.ts'
import { PublishProblem } from './problem.ts'
import { removeLater } from './removal.ts'
import { countPrefixed, deleteDeployment, deploymentAt, insertDeployment } from './store.ts'

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** The variables of a job that has ended, with those of its reports, by key; null when what they are made of is gone. */
    'pages.variables_of_job'(jobId: number): Promise<ReadonlyMap<string, string> | null>
  }
}

const megabyte = 1024 * 1024
/** Files and folders of an archive (contract 24, Limits). */
const mostEntries = 200_000
/** Sites with a prefix below one root namespace (contract 24, Limits). */
export const mostPrefixed = 100
const defaultExpirySeconds = 24 * 3600
/** Far enough for a timestamp of both engines. */
const longestExpirySeconds = 1000 * 31_557_600

/** How a site is published, with the references to variables replaced. */
type Plan = { folder: string; prefix: string; expiresAt: string | null }

const folderOf = (text: string) => text.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '')

/** When a site with a prefix ends. @throws PublishProblem */
function expiryOf({ clock }: Platform, text: string | null): string | null {
  if (text === 'never') return null
  const seconds = text === null ? defaultExpirySeconds : parseDuration(text)
  if (seconds === null) throw new PublishProblem('expire_in is no duration')
  return new Date(clock.now().getTime() + Math.min(seconds, longestExpirySeconds) * 1000).toISOString()
}

/** @throws PublishProblem */
async function planOf(platform: Platform, job: CiJobRow, given: ConfigPages): Promise<Plan> {
  const texts = [given.publish, given.pathPrefix, given.expireIn]
  const refers = texts.some((text) => text?.includes('$'))
  const values = refers ? await platform.ports['pages.variables_of_job'](platform, job.id) : null
  const expand = (text: string) => expandText(text, (key) => values?.get(key))
  const folder = folderOf(expand(given.publish))
  if (folder === '' || folder.split('/').includes('..')) throw new PublishProblem('publish names no folder')
  const wanted = prefixOf(platform, given, expand)
  if (wanted === '') throw new PublishProblem('path_prefix is empty')
  const prefix = wanted ?? ''
  const expireIn = given.expireIn === null ? null : expand(given.expireIn)
  const isLasting = prefix === '' && expireIn === null
  return { folder, prefix, expiresAt: isLasting ? null : expiryOf(platform, expireIn) }
}

/** The files that an archive has in a folder. @throws PublishProblem */
async function filesOf(platform: Platform, archive: CiJobArtifactRow, folder: string): Promise<ListedFile[]> {
  const { max_pages_size: megabytes } = await platform.settings.current()
  const limits = { sizeBytes: megabytes * megabyte, entries: mostEntries }
  const files = await withDirectory(platform, archive, (open, directory) => listFiles(open, directory, folder, limits))
  if (!files) throw new PublishProblem('the artifacts are no archive that can be read')
  return files
}

/** Stores the object of a site. @throws PublishProblem, after which there is none; ObjectError */
async function storeSite(
  platform: Platform,
  key: StorageKey,
  archive: CiJobArtifactRow,
  files: readonly ListedFile[],
): Promise<WrittenSite & { objectBytes: number; sha256: string }> {
  const opened = await openArtifact(platform, archive)
  if (!opened) throw new PublishProblem('the archive is missing')
  let written: WrittenSite | undefined
  const bytes = siteBytes(opened.stream, files, (result) => {
    written = result
  })
  const { sizeBytes, sha256 } = await platform.objects.put(key, bytes)
  if (!written) throw new Error('the object of a site ends before its index')
  return { ...written, objectBytes: sizeBytes, sha256 }
}

/** @throws PublishProblem for one site more than allowed */
async function requireRoom(tx: Tx, { namespace_id }: ProjectRow): Promise<void> {
  const root = (await ancestorsOf(tx, namespace_id)).at(-1)
  if (!root) return
  await acquireLock(tx, `pages_prefixes:${root.id}`)
  if ((await countPrefixed(tx, root.id, mostPrefixed)) >= mostPrefixed) {
    throw new PublishProblem(`there are ${mostPrefixed} sites with a prefix already`)
  }
}

type NewDeployment = Omit<PagesDeploymentRow, 'id'>

/** Puts a deployment in the place of the former one of its prefix, whose object goes later. @throws PublishProblem */
async function replace(platform: Platform, tx: Tx, project: ProjectRow, row: NewDeployment): Promise<void> {
  await acquireLock(tx, `pages_deployments:${project.id}`)
  const former = await deploymentAt(tx, project.id, row.path_prefix)
  if (former && former.ref === row.ref && former.pipeline_id > row.pipeline_id) {
    throw new PublishProblem('build SHA is outdated for this ref')
  }
  if (former) {
    await deleteDeployment(tx, former.id)
    await removeLater(platform, tx, [former])
  } else if (row.path_prefix !== '') await requireRoom(tx, project)
  const { id } = await insertDeployment(tx, row)
  await react(platform, tx, 'site.published', { deploymentId: id })
}

/**
 * Publishes what a successful job has made, as the site of its project or as one with a prefix (contract 24, Pages: what is published).
 * @param record what else is written in the transaction in which the site is replaced
 * @throws PublishProblem for what is refused, after which the site is as before; ObjectError
 */
export async function publish(
  platform: Platform,
  project: ProjectRow,
  job: CiJobRow,
  given: ConfigPages,
  record: (tx: Tx) => Promise<void>,
): Promise<void> {
  const archive = await findArtifact(platform, job.id)
  if (!archive) throw new PublishProblem('the job has no artifacts')
  const { folder, prefix, expiresAt } = await planOf(platform, job, given)
  const files = await filesOf(platform, archive, folder)
  const place = { project_id: project.id, secret: randomHex(16) }
  const key = keyOfDeployment(place)
  const stored = await storeSite(platform, key, archive, files)
  const row: NewDeployment = {
    ...{ ...place, path_prefix: prefix, root_directory: folder, job_id: job.id, pipeline_id: job.pipeline_id },
    ...{ ref: job.ref, file_count: stored.fileCount, size_bytes: stored.sizeBytes, sha256: stored.sha256 },
    ...{ object_bytes: stored.objectBytes, root_offset: stored.rootOffset },
    ...{ created_at: now(platform.clock), expires_at: expiresAt },
  }
  try {
    await platform.database.write(async (tx) => {
      await replace(platform, tx, project, row)
      await record(tx)
    })
  } catch (error) {
    // Without an answer of the database the record may exist; objects without one are swept.
    if (!(error instanceof DatabaseUnavailable)) await platform.objects.delete(parseStorageKey(key))
    throw error
  }
}
