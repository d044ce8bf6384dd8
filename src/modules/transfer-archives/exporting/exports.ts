import {
  type Actor,
  contentDisposition,
  failure,
  limitRequests,
  type Raw,
  requireSignedIn,
} from '../../../api/index.ts'
import { acquireLock, now, type Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { enqueue, type Platform } from '../../../platform/index.ts'
import { type Answering, serveBytes } from '../../uploads/index.ts'
import { columnsOf, keyOfArchive, lockOf, type Owner } from '../owner.ts'
import type { TransferExportRow } from '../tables.ts'
import { exportArchiveJob } from './job.ts'
import * as store from './store.ts'
import { sealedUpload, type Upload } from './upload.ts'

/** The states of an export (contract 25, States). */
export const exportStates = ['none', 'queued', 'started', 'finished', 'regeneration_in_progress'] as const
export type ExportState = (typeof exportStates)[number]

const dayMs = 24 * 3600 * 1000

/** Archives that were finished before it have expired (contract 25, States). */
export const expiredBefore = ({ clock }: Pick<Platform, 'clock'>): string =>
  new Date(clock.now().getTime() - dayMs).toISOString()

/** What of a row says where its archive is. */
type StoredArchive = { secret: string; file_name: string; size_bytes: number; sha256: string }

/** The archive that can be downloaded; null when there is none, or it has expired. */
function archiveOf(platform: Platform, row: TransferExportRow | null): StoredArchive | null {
  if (!row?.secret || row.finished_at === null || row.finished_at < expiredBefore(platform)) return null
  return row as StoredArchive
}

/** The state of the export of a project or group (contract 25, ExportStatus). */
export async function exportState(platform: Platform, owner: Owner): Promise<ExportState> {
  const row = await store.exportOf(platform.database.read, owner)
  const isStored = archiveOf(platform, row) !== null
  if (!row || row.ticket === null) return isStored ? 'finished' : 'none'
  if (isStored) return 'regeneration_in_progress'
  return row.is_started ? 'started' : 'queued'
}

/** What a request for an export says. */
export type ExportRequest = { description?: string | null | undefined; upload?: Upload | undefined }

/** Stores a request, unless another one is being carried out. */
async function request(
  platform: Platform,
  tx: Tx,
  owner: Owner,
  requested: { user_id: number; description: string | null; upload: string | null },
): Promise<void> {
  await acquireLock(tx, lockOf(owner))
  const former = await store.exportOf(tx, owner)
  if (former && former.ticket !== null) return
  const at = now(platform.clock)
  const ticket = randomHex(16)
  const values = { ...requested, ticket, is_started: false, updated_at: at }
  const { id } = former ?? (await store.insertExport(tx, { ...columnsOf(owner), ...values, created_at: at }))
  if (former) await store.updateExport(tx, former.id, values)
  await enqueue(platform, tx, exportArchiveJob, { exportId: id, ticket })
}

/** Starts an export; one that is under way goes on (contract 25, States). */
export async function startExport(
  platform: Platform,
  owner: Owner,
  actor: Actor,
  { description, upload }: ExportRequest = {},
): Promise<{ message: string }> {
  const { userId } = requireSignedIn(actor)
  const sealed = upload ? await sealedUpload(platform, owner, upload) : null
  const requested = { user_id: userId, description: description ?? null, upload: sealed }
  await platform.database.write((tx) => request(platform, tx, owner, requested))
  return { message: '202 Accepted' }
}

/**
 * Counts a request of a user against a limit of the instance in a minute (contract 25, Archives: rates).
 * @param name that of the setting @param about what is counted apart, such as a project
 * @throws ApiError 429
 */
export async function limitTransfers(
  platform: Platform,
  actor: Actor,
  name: TransferLimit,
  about?: number,
): Promise<void> {
  const requests = (await platform.settings.current())[name]
  const { userId } = requireSignedIn(actor)
  const caller = about === undefined ? userId : `${userId}:${about}`
  await limitRequests(platform, caller, { name, requests, periodSeconds: 60 })
}

type TransferLimit =
  | 'project_export_limit'
  | 'project_import_limit'
  | 'project_download_export_limit'
  | 'group_export_limit'
  | 'group_import_limit'
  | 'group_download_export_limit'

/**
 * The archive of a project or group as the body of an answer; HEAD and ranges work.
 * @throws ApiError 404 when there is none, 416
 */
export async function downloadArchive(platform: Platform, answering: Answering, owner: Owner): Promise<Raw> {
  const row = await store.exportOf(platform.database.read, owner)
  const archive = archiveOf(platform, row)
  if (!archive) {
    const isFirst = owner.kind === 'group' && row !== null && row.ticket !== null
    throw failure(404, isFirst ? 'The group export file is not available yet' : '404 Not found or has expired')
  }
  const { secret, file_name, size_bytes: sizeBytes, sha256 } = archive
  return serveBytes(
    platform,
    answering,
    { sizeBytes, sha256, key: keyOfArchive(secret) },
    {
      'Content-Type': 'application/gzip',
      'Content-Disposition': contentDisposition('attachment', file_name),
      'X-Content-Type-Options': 'nosniff',
    },
  )
}
