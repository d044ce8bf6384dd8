import { conflict, failure, notFound, parameterError } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { limited } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { planLimits } from '../../plan-limits/index.ts'
import { duplicateRefused, fileTooLarge } from '../access/problems.ts'
import type { ServedProject } from '../access/subjects.ts'
import { packageOf } from '../core/store.ts'
import { hasFile, newestFile } from '../files/store.ts'
import { duplicatesAllowed } from '../publishing/duplicates.ts'
import { identityOf, publishFile, requirePublishable } from '../publishing/publish.ts'
import { portionsBehind, rowsAtOnce } from '../reading/portions.ts'
import type { PackageRow } from '../tables.ts'
import {
  aroundBuild,
  digestOf,
  isMavenFileName,
  isMetadata,
  isSnapshot,
  type MavenPath,
  mavenPath,
  problemOf,
  withoutBuild,
} from './names.ts'
import { fileNamesOf } from './store.ts'

/** What is read of a digest, in bytes. */
const largestDigest = 1024

/** @throws ApiError 400 */
function readPath(path: string, fileName: string): MavenPath {
  if (!isMavenFileName(fileName)) throw parameterError('file_name', 'is invalid')
  const found = mavenPath(path, fileName)
  const problem = problemOf(found)
  if (problem !== null) throw failure(400, `Validation failed: ${problem} is invalid`)
  return found
}

/** Whether a package has a file of a name; the builds of a snapshot have the same names (contract 23 R5). */
async function hasSuchFile(db: Reader, { id, version }: PackageRow, fileName: string): Promise<boolean> {
  const around = isSnapshot(version) ? aroundBuild(fileName) : null
  if (!around) return hasFile(db, id, fileName)
  const name = withoutBuild(fileName)
  const behind = (last: { file_name: string } | undefined) =>
    fileNamesOf(db, id, around, { after: last?.file_name, limit: rowsAtOnce })
  for await (const known of portionsBehind(behind)) {
    if (known.some((one) => withoutBuild(one.file_name) === name)) return true
  }
  return false
}

/** @throws ApiError 400 when the group allows no second file of this name */
async function requireNoDuplicate(db: Reader, { project }: ServedProject, found: PackageRow, fileName: string) {
  if (found.version === '' || isMetadata(fileName)) return
  if (await duplicatesAllowed(db, project, 'maven', found)) return
  if (await hasSuchFile(db, found, fileName)) throw duplicateRefused()
}

/** The text of a small body. @throws ApiError 400 */
async function smallText(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks = await Array.fromAsync(limited(content, largestDigest, fileTooLarge))
  return Buffer.concat(chunks).toString('latin1').trim()
}

/** Compares the SHA-1 that a client has computed with that of the stored file. @throws ApiError 404, 409 */
async function verifySha1(
  { database }: Platform,
  { project }: ServedProject,
  { name, version, fileName }: MavenPath,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const found = await packageOf(database.read, project.id, { type: 'maven', nameKey: name, version })
  const file = found && (await newestFile(database.read, found.id, fileName))
  if (!file) throw notFound()
  if ((await smallText(content)).toLowerCase() !== file.sha1) throw conflict()
}

/**
 * Takes a file of a Maven package (contract 23, x.maven_publish). SHA-1 is compared with that of the stored file, MD5 is ignored.
 * @returns whether the file was a digest that was compared
 * @throws ApiError 400, 403, 404, 409, 507
 */
export async function publishMaven(
  platform: Platform,
  served: ServedProject,
  asked: { path: string; file_name: string },
  content: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const path = readPath(asked.path, asked.file_name)
  const target = { type: 'maven' as const, ...path }
  await requirePublishable(platform, served, target)
  const digest = digestOf(path.fileName)
  if (digest?.digest === 'sha1') {
    await verifySha1(platform, served, { ...path, fileName: digest.of }, content)
    return true
  }
  if (digest) {
    await smallText(content)
    return false
  }
  const { read } = platform.database
  const known = await packageOf(read, served.project.id, identityOf(target))
  if (known) await requireNoDuplicate(read, served, known, path.fileName)
  const { maven_max_file_size: maximumBytes } = await planLimits(read)
  await publishFile(platform, served, target, content, {
    maximumBytes,
    async admit(tx, { found, isNew }) {
      if (!isNew) await requireNoDuplicate(tx, served, found, path.fileName)
    },
  })
  return false
}
