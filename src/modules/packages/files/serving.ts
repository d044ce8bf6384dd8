import { contentDisposition, type Raw, type RequestInfo } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { parseStorageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { serveBytes } from '../../uploads/index.ts'
import { noteDownload } from '../core/store.ts'
import type { PackageRow } from '../tables.ts'
import type { StoredFile } from './store.ts'

/** The request, and the status of its answer. */
export type Answering = { request: Pick<RequestInfo, 'method' | 'headers'>; setStatus(status: number): void }

/** The statuses besides 200 that operations declare which serve files of packages. */
export const packageFileAnswers = {
  206: 'The bytes that the header `Range` selects.',
  302: 'The address of the file in the object store, where the server is configured so.',
} as const

/** The bytes of a file of a package. */
export const packageFileBytes = { raw: true, mediaType: 'application/octet-stream' } as const

/** How long an address of the object store is valid to which a client is redirected (contract 23 R7). */
const redirectSeconds = 600
const minuteMs = 60_000

/** The last component of the name of a file with directories. */
const baseName = (fileName: string) =>
  decodeURIComponent(
    fileName
      .slice(fileName.lastIndexOf('/') + 1)
      .split(/%2F/i)
      .at(-1) ?? '',
  )

/** Records a download, at most once a minute: each would be a write otherwise. */
async function recordDownload({ database, clock }: Platform, found: PackageRow): Promise<void> {
  const last = found.last_downloaded_at
  if (last !== null && Math.abs(clock.now().getTime() - Date.parse(last)) < minuteMs) return
  await database.write((tx) => noteDownload(tx, found.id, now(clock)))
}

/** Redirects to the object store; null where it has no addresses, or clients are not to use them. */
async function redirection(
  { config, objects }: Platform,
  { request, setStatus }: Answering,
  {
    key,
    disposition,
  }: {
    key: ReturnType<typeof parseStorageKey>
    disposition: string
  },
): Promise<Raw | null> {
  if (!config.packagesRedirect || request.method !== 'GET') return null
  const contentType = packageFileBytes.mediaType
  const url = await objects.urlOf(key, {
    expiresSeconds: redirectSeconds,
    contentType,
    contentDisposition: disposition,
  })
  if (url === null) return null
  setStatus(302)
  // The address is a secret, and expires.
  return { headers: { Location: url, 'Cache-Control': 'no-store' }, body: '' }
}

/**
 * A file of a package as the body of an answer; HEAD, ranges and conditional requests work (contract 23 R7). A GET is recorded as a
 * download of the package.
 * @param options.headers further headers
 * @param options.isRedirected whether clients of the format follow redirections to the object store. Default: true
 * @throws ApiError 404 when the bytes are missing, 416
 */
export async function servePackageFile(
  platform: Platform,
  answering: Answering,
  { found, file }: { found: PackageRow; file: StoredFile },
  { headers = {}, isRedirected = true }: { headers?: Readonly<Record<string, string>>; isRedirected?: boolean } = {},
): Promise<Raw> {
  const key = parseStorageKey(file.storage_key)
  const disposition = contentDisposition('attachment', baseName(file.file_name), 'both')
  if (answering.request.method === 'GET') await recordDownload(platform, found)
  const redirected = isRedirected ? await redirection(platform, answering, { key, disposition }) : null
  if (redirected) return redirected
  return serveBytes(
    platform,
    answering,
    { sizeBytes: file.size_bytes, sha256: file.sha256, key },
    {
      'Content-Type': packageFileBytes.mediaType,
      'Content-Disposition': disposition,
      'X-Content-Type-Options': 'nosniff',
      'X-Checksum-SHA256': file.sha256,
      ...headers,
    },
  )
}
