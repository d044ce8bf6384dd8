import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  contentDisposition,
  failure,
  invalid,
  lengthProblems,
  notFound,
  type PageRequest,
  type Raw,
  recordNotFound,
  refuse,
  type Unmodified,
  type UploadedFile,
} from '../../api/index.ts'
import {
  acquireLock,
  claim,
  DatabaseUnavailable,
  isUniqueViolation,
  now,
  type Reader,
  type Tx,
} from '../../infra/database/index.ts'
import { ObjectError } from '../../infra/objects/index.ts'
import { randomHex, SealError } from '../../infra/secrets/index.ts'
import { handled } from '../../infra/streams/index.ts'
import { type Platform, react } from '../../platform/index.ts'
import { fixedLimits } from '../plan-limits/index.ts'
import type { Project } from '../projects/index.ts'
import { keyOfFile } from './keys.ts'
import { SecureFile } from './present.ts'
import * as store from './store.ts'
import type { SecureFileRow } from './tables.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    'secure_file.created': { fileId: number }
    'secure_file.removed': { fileId: number }
  }
}

const longestName = 255
// biome-ignore lint/suspicious/noControlCharactersInRegex: names have none
const notInNames = /[/\\\u0000-\u001f\u007f-\u009f]/

/** A sealed content opens only as that of its file. */
const contextOf = ({ project_id, secret }: Pick<SecureFileRow, 'project_id' | 'secret'>) =>
  `ci_secure_files:${project_id}:${secret}:content`

/** A file of a project. @throws ApiError 404 */
async function requireFile(db: Reader, project: Project, id: number): Promise<SecureFileRow> {
  const row = await store.fileById(db, id)
  if (row?.project_id !== project.id) throw recordNotFound()
  return row
}

/** A page of the files of a project (contract 24, x.secure_files_list). */
export async function listFiles({ database }: Platform, project: Project, page: PageRequest) {
  const found = await store.pageOfFiles(database.read, project.id, page)
  return { ...found, items: found.items.map((row) => SecureFile.present(row)) }
}

/** One file, without its content (contract 24, x.secure_files_get). @throws ApiError 404 */
export async function getFile({ database }: Platform, project: Project, id: number) {
  return SecureFile.present(await requireFile(database.read, project, id))
}

/** @throws ApiError 400, form C, with all problems together */
function requireValid(name: string, { sizeBytes }: UploadedFile): void {
  const isName = name.trim() !== '' && name !== '.' && name !== '..' && !notInNames.test(name)
  refuse({
    name: [...(isName ? [] : ['is invalid']), ...lengthProblems(name, longestName)],
    file: sizeBytes === 0 ? ["can't be blank"] : [],
  })
}

/** @throws ApiError 400 */
async function requireRoom(tx: Tx, project: Project): Promise<void> {
  await acquireLock(tx, `ci_secure_files:${project.id}`)
  const limit = fixedLimits.project_ci_secure_files
  if ((await store.countFiles(tx, project.id)) >= limit) {
    throw invalid({ base: [`Maximum number of project ci secure files (${limit}) exceeded`] })
  }
}

const taken = (error: unknown) => (isUniqueViolation(error) ? invalid({ name: ['has already been taken'] }) : error)

/**
 * Stores a file: first its sealed content, then its record. Without a record no content remains (contract 24,
 * x.secure_files_create).
 * @throws ApiError 400; ObjectError
 */
export async function createFile(
  platform: Platform,
  project: Project,
  { name, file }: { name: string; file: UploadedFile },
) {
  requireValid(name, file)
  const content = await readFile(file.path)
  const place = { project_id: project.id, secret: randomHex(16) }
  const sealer = await platform.secrets.sealer()
  const sealed = Buffer.from(sealer.seal(content.toString('base64'), contextOf(place)))
  const key = keyOfFile(place)
  await platform.objects.put(key, handled(Readable.from([sealed])))
  try {
    const row = await platform.database.write(async (tx) => {
      await requireRoom(tx, project)
      const stored = await store.insertFile(tx, {
        ...{ ...place, name, sha256: createHash('sha256').update(content).digest('hex') },
        ...{ size_bytes: content.length, sealed_bytes: sealed.length, created_at: now(platform.clock) },
      })
      await react(platform, tx, 'secure_file.created', { fileId: stored.id })
      return stored
    })
    return SecureFile.present(row)
  } catch (error) {
    // Without an answer of the database the record may exist; contents without one are swept.
    if (!(error instanceof DatabaseUnavailable)) await platform.objects.delete(key)
    throw taken(error)
  }
}

async function openContent({ secrets, objects, log }: Platform, row: SecureFileRow): Promise<Buffer> {
  const opened = await objects.get(keyOfFile(row))
  if (!opened) throw notFound()
  const sealed = await buffer(opened.stream)
  try {
    return Buffer.from((await secrets.sealer()).open(sealed.toString('latin1'), contextOf(row)), 'base64')
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    log.error({ secureFile: row.id, err: error }, 'a secure file cannot be opened')
    throw failure(422, '422 Unprocessable Entity - The file was encrypted with another key')
  }
}

/** The content of a file (contract 24, x.secure_files_download). @throws ApiError 404, 422; ObjectError */
export async function downloadFile(platform: Platform, project: Project, id: number): Promise<Raw> {
  const row = await requireFile(platform.database.read, project, id)
  return {
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': contentDisposition('attachment', row.name),
      'Content-Length': String(row.size_bytes),
      'Cache-Control': 'no-store',
    },
    body: await openContent(platform, row),
  }
}

/**
 * Deletes a file: first its record, then its content; where that fails, the sweep removes it (contract 24,
 * x.secure_files_delete).
 * @throws ApiError 404, 412
 */
export async function removeFile(platform: Platform, project: Project, id: number, unmodified: Unmodified) {
  const { database, objects, log } = platform
  const row = await database.write(async (tx) => {
    const found = await claim(tx, 'ci_secure_files', () => requireFile(tx, project, id))
    unmodified(found.created_at)
    await store.deleteFile(tx, id)
    await react(platform, tx, 'secure_file.removed', { fileId: id })
    return found
  })
  try {
    await objects.delete(keyOfFile(row))
  } catch (error) {
    if (!(error instanceof ObjectError)) throw error
    log.warn({ secureFile: id, err: error }, 'the content of a deleted secure file is removed later')
  }
}
