import { forbidden, notFound, parameterError, type Raw } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { projectNamed } from '../../projects/index.ts'
import { hiddenGroup, type ServedGroup, type ServedPlace, type ServedServer } from '../access/places.ts'
import { readableProjects } from '../access/readable.ts'
import type { ServedProject } from '../access/subjects.ts'
import { type Answering, servePackageFile } from '../files/serving.ts'
import { newestFile, type StoredFile } from '../files/store.ts'
import { forwardAddress, redirectTo } from '../reading/forwarding.ts'
import { namespaceOf, projectsWithName } from '../reading/projects.ts'
import { lastOfName } from '../reading/store.ts'
import { digestOf, folderOf, isMavenFileName, type MavenPath, mavenPath, problemOf } from './names.ts'
import { lastPackage, packageOfNewestFile } from './store.ts'

type Asked = { path: string; file_name: string }

/**
 * The project of the server whose path is that of the package (contract 23, x.maven_instance_download).
 * @throws ApiError 403 when there is none, or the caller may not read it
 */
async function projectOfPath(platform: Platform, { caller }: ServedServer, path: string): Promise<number[]> {
  const folder = folderOf(path)
  const { row, moved } = folder.includes('/')
    ? await projectNamed(platform.database.read, folder)
    : { row: null, moved: false }
  const isThere = row && !moved && !row.pending_delete
  const place = isThere ? { namespaceId: row.namespace_id, ids: [row.id] } : { namespaceId: 0, ids: [] }
  const [readable] = await readableProjects(platform, caller, place)
  // A hidden project is answered as one that does not exist.
  if (!readable) throw forbidden()
  return [readable.id]
}

/** Requires a path that a file can have. Callers who do not see a group learn only that. @throws ApiError 400, 401, 403, 404 */
function requireValid(place: ServedPlace, asked: Asked, path: MavenPath): void {
  const isFileName = isMavenFileName(asked.file_name)
  if (isFileName && problemOf(path) === null) return
  if ('group' in place && !place.isSeen) throw hiddenGroup(place.caller)
  if (!isFileName) throw parameterError('file_name', 'is invalid')
  throw 'project' in place || 'group' in place ? notFound('Package') : forbidden()
}

/** The projects in which a place looks for a package. @throws ApiError 401, 403, 404 */
function projectsOf(platform: Platform, place: ServedPlace, path: string, { name }: MavenPath): Promise<number[]> {
  if ('project' in place || 'group' in place) return projectsWithName(platform, place, { type: 'maven', nameKey: name })
  return projectOfPath(platform, place, path)
}

/** Where clients are sent for a package of which a project or group has no version; null: nowhere. */
async function forwarded(
  platform: Platform,
  place: ServedProject | ServedGroup,
  projectIds: readonly number[],
  { path, file_name: fileName, name }: Asked & { name: string },
): Promise<Raw | null> {
  if (await lastOfName(platform.database.read, projectIds, { type: 'maven', nameKey: name })) return null
  const address = await forwardAddress(platform, 'maven', namespaceOf(place))
  return address === null ? null : redirectTo(`${address}/${path}/${fileName}`)
}

/** The newest file of a path in some projects. */
async function findFile({ database: { read } }: Platform, projectIds: readonly number[], path: MavenPath) {
  const find = path.version === '' ? packageOfNewestFile : lastPackage
  const found = await find(read, projectIds, path)
  const file = found && (await newestFile(read, found.id, path.fileName))
  return file && { found, file }
}

/** @throws ApiError 404: there is no MD5 under FIPS */
function digestText({ config }: Platform, file: StoredFile, digest: 'sha1' | 'md5'): Raw {
  if (digest === 'md5' && config.edition.fips) throw notFound('Package')
  return { headers: { 'Content-Type': 'text/plain' }, body: file[digest] }
}

/**
 * A file of a Maven package, or the SHA-1 or MD5 of one (contract 23, x.maven_download).
 * @throws ApiError 400, 401, 403, 404, 416
 */
export async function downloadMaven(
  platform: Platform,
  place: ServedPlace,
  asked: Asked,
  answering: Answering,
): Promise<Raw> {
  const digest = digestOf(asked.file_name)
  const path = mavenPath(asked.path, digest?.of ?? asked.file_name)
  requireValid(place, asked, path)
  const projectIds = await projectsOf(platform, place, asked.path, path)
  const served = await findFile(platform, projectIds, path)
  if (!served) {
    const isForwarded = 'project' in place || 'group' in place
    const answer = isForwarded && (await forwarded(platform, place, projectIds, { ...asked, name: path.name }))
    if (!answer) throw notFound('Package')
    answering.setStatus(302)
    return answer
  }
  if (digest) return digestText(platform, served.file, digest.digest)
  const { sha1, md5 } = served.file
  const headers = { 'X-Checksum-Sha1': sha1, ...(!platform.config.edition.fips && { 'X-Checksum-Md5': md5 }) }
  return servePackageFile(platform, answering, served, { headers, isRedirected: false })
}
