import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { anonymous } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { handled, limited, through } from '../../../infra/streams/index.ts'
import type { ExportedFile, Job, Platform, Portable } from '../../../platform/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { projectById } from '../../projects/index.ts'
import { archive } from '../../relation-exports/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { keyOfArchive, type Owner, ownerOf } from '../owner.ts'
import { removeArchivesLater } from '../removal.ts'
import type { TransferExportRow } from '../tables.ts'
import * as store from './store.ts'
import { openedUpload, sendArchive } from './upload.ts'

type Payload = { exportId: number; ticket: string }

/** What an archive is made of. */
export type Exporting = {
  portable: Portable
  /** Replaces the description of a project. */
  description: string | null
  signal: AbortSignal
}

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** The files of the archive of a project or group, in their order. */
    'transfer_archives.files'(exporting: Exporting): AsyncIterable<readonly ExportedFile[]>
  }
}

/** The first attempt and three more; an upload is tried three times (contract 25, States). */
const attempts = 4
const uploadAttempts = 3

const bytesPerMegabyte = 1024 * 1024

/** The archive is larger than the instance allows. It is not tried again. */
class ArchiveTooLarge extends Error {
  override name = 'ArchiveTooLarge'
}

type Found = { fullPath: string; namespaceId: number }

async function foundOwner({ database: { read } }: Platform, { kind, id }: Owner): Promise<Found | null> {
  const row = kind === 'project' ? await projectById(read, id) : await namespaceById(read, id)
  if (!row || row.pending_delete) return null
  return { fullPath: row.full_path, namespaceId: 'namespace_id' in row ? row.namespace_id : row.id }
}

/** `2026-01-02_03-04-678_g_p_export.tar.gz`: with the milliseconds in place of the seconds, as other servers name it. */
function fileNameAt(moment: string, fullPath: string): string {
  const [date = '', time = ''] = moment.split('T')
  const at = `${date}_${time.slice(0, 2)}-${time.slice(3, 5)}-${time.slice(9, 12)}`
  return `${at}_${fullPath.replaceAll('/', '_')}_export.tar.gz`
}

/** Stores an archive of files. @throws ArchiveTooLarge, ObjectError */
async function storeArchive(platform: Platform, secret: string, exporting: Exporting) {
  const { objects, ports, settings } = platform
  const { max_export_size: megabytes } = await settings.current()
  const portions = ports['transfer_archives.files'](platform, exporting)
  const bytes = archive(portions, undefined, { objects: 0, users: new Set() })
  const gzip = through(handled(Readable.from(bytes, { objectMode: false })), handled(createGzip()))
  const tooLarge = () => new ArchiveTooLarge(`The archive is larger than ${megabytes} MB`)
  try {
    const content: AsyncIterable<Uint8Array> = gzip
    return await objects.put(keyOfArchive(secret), limited(content, megabytes * bytesPerMegabyte, tooLarge))
  } finally {
    gzip.destroy()
  }
}

/** Makes a stored archive the one of its export; the former one is removed. @returns whether the request was the current one */
async function publish(platform: Platform, tx: Tx, payload: Payload, stored: Partial<TransferExportRow>) {
  const { exportId: id, ticket } = payload
  const former = await store.exportById(tx, id)
  const at = now(platform.clock)
  const changes = { ...stored, ticket: null, is_started: false, finished_at: at, updated_at: at }
  if (!(await store.updateRequested(tx, { id, ticket }, changes))) return false
  if (former?.secret) await removeArchivesLater(platform, tx, [former.secret])
  return true
}

/** Ends a request without a new archive. */
function end({ database, clock }: Platform, { exportId: id, ticket }: Payload): Promise<boolean> {
  const changes = { ticket: null, is_started: false, upload: null, updated_at: now(clock) }
  return database.write((tx) => store.updateRequested(tx, { id, ticket }, changes))
}

/** Writes the archive, and stores or sends it. */
async function carryOut(
  platform: Platform,
  payload: Payload,
  row: TransferExportRow,
  exporting: Exporting,
  fileName: string,
): Promise<void> {
  const { database, objects } = platform
  const secret = randomHex(16)
  let isKept = false
  try {
    const { sizeBytes, sha256 } = await storeArchive(platform, secret, exporting)
    if (row.upload !== null) {
      await sendArchive(platform, secret, await openedUpload(platform, ownerOf(row), row.upload), exporting.signal)
      await end(platform, payload)
      return
    }
    const stored = { secret, file_name: fileName, size_bytes: sizeBytes, sha256 }
    isKept = await database.write((tx) => publish(platform, tx, payload, stored))
  } finally {
    // Without an answer of the database the row may name it: a sweep finds out.
    if (!isKept) await objects.delete(keyOfArchive(secret)).catch(() => {})
  }
}

/** Begins a request. @returns null when it is not the current one any more */
async function begin({ database, clock }: Platform, { exportId: id, ticket }: Payload) {
  return database.write(async (tx) => {
    const changes = { is_started: true, updated_at: now(clock) }
    return (await store.updateRequested(tx, { id, ticket }, changes)) ? store.exportById(tx, id) : null
  })
}

/** Writes the archive of a project or group. After a failure for good, the export is as it was before the request. */
export const exportArchiveJob: Job<Payload> = {
  kind: 'transfer_archives.export',
  queue: 'exports',
  // The run after the last attempt ends requests whose process has died in all of them.
  maxAttempts: attempts + 1,
  async run(platform, payload, { attempt, signal }) {
    if (attempt > attempts) {
      await end(platform, payload)
      throw new Error('the archive could not be written in any attempt')
    }
    const row = await begin(platform, payload)
    const owner = row && ownerOf(row)
    const found = owner && (await foundOwner(platform, owner))
    if (!row || !owner || !found) return
    const user = row.user_id === null ? null : await userById(platform.database.read, row.user_id)
    const portable = { ...owner, namespaceId: found.namespaceId, actor: user ? actingUser(platform, user) : anonymous }
    const fileName = fileNameAt(now(platform.clock), found.fullPath)
    try {
      await carryOut(platform, payload, row, { portable, description: row.description, signal }, fileName)
    } catch (error) {
      const isLast = attempt >= (row.upload === null ? attempts : uploadAttempts)
      if (!signal.aborted && (isLast || error instanceof ArchiveTooLarge)) {
        await end(platform, payload)
        platform.log.error({ err: error, ...owner }, 'an archive could not be exported')
      }
      throw error
    }
  },
}
