import {
  contentDisposition,
  hasCurrent,
  notFound,
  type Raw,
  type RequestInfo,
  rangeNotSatisfiable,
  raw,
  requestedRange,
} from '../../../api/index.ts'
import type { StorageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { isShownInPlace, mediaTypeOf, safetyHeaders } from './media-types.ts'

/** A stored file as its record describes it. */
export type ServedFile = { name: string; sizeBytes: number; sha256: string; key: StorageKey }

/** The request, and the status of its answer. */
export type Answering = { request: Pick<RequestInfo, 'method' | 'headers'>; setStatus(status: number): void }

/** The statuses besides 200 that operations declare which serve files. */
export const fileAnswers = {
  206: 'The bytes that the header `Range` selects.',
  302: 'The address of the file in the object store, where the server is configured so.',
} as const

/** The bytes of a stored file; its name decides about the type (`mediaTypeOf`). */
export const servedFile = {
  ...raw,
  mediaType: ['application/octet-stream', 'application/pdf', 'audio/*', 'image/*', 'video/*'],
} as const

/** How long an address of the object store is valid to which a client is redirected (contract 08, "Storage"). */
const redirectSeconds = 600

/** Redirects to the object store; null where it has no addresses, or clients are not to use them. */
async function redirection(
  { config, objects }: Platform,
  { request, setStatus }: Answering,
  key: StorageKey,
  described: { contentType: string; contentDisposition: string },
): Promise<Raw | null> {
  if (!config.uploadsRedirect || request.method !== 'GET') return null
  const url = await objects.urlOf(key, { expiresSeconds: redirectSeconds, ...described })
  if (url === null) return null
  setStatus(302)
  // The address is a secret, and expires.
  return { headers: { Location: url, 'Cache-Control': 'no-store' }, body: '' }
}

/**
 * A file as the body of an answer, sent so that browsers neither show it as a page nor run it (contract 08, Serving).
 * @param form `web`: images, videos, sounds and PDF are shown in place; `api`: every file is to be saved
 * @throws ApiError 404 when the bytes are missing, 416
 */
export async function serveFile(
  platform: Platform,
  answering: Answering,
  { name, sizeBytes, sha256, key }: ServedFile,
  form: 'api' | 'web',
): Promise<Raw> {
  const kind = form === 'web' && isShownInPlace(name) ? 'inline' : 'attachment'
  const [contentType, disposition] = [mediaTypeOf(name), contentDisposition(kind, name, 'both')]
  const redirected = await redirection(platform, answering, key, { contentType, contentDisposition: disposition })
  if (redirected) return redirected
  const described = { 'Content-Type': contentType, 'Content-Disposition': disposition, ...safetyHeaders(name, kind) }
  return serveBytes(platform, answering, { sizeBytes, sha256, key }, described)
}

/**
 * Stored bytes as the body of an answer; HEAD, ranges and conditional requests work.
 * @param described headers that say what they are
 * @throws ApiError 404 when the bytes are missing, 416
 */
export function serveBytes(
  platform: Platform,
  { request, setStatus }: Answering,
  { sizeBytes, sha256, key }: Omit<ServedFile, 'name'>,
  described: Readonly<Record<string, string>>,
): Raw {
  const etag = `"${sha256}"`
  // RFC 9110: a range counts for GET only, and after If-None-Match.
  const isWhole = request.method !== 'GET' || hasCurrent(request, etag)
  const range = isWhole ? null : requestedRange(request, { sizeBytes, etag })
  if (range === 'unsatisfiable') throw rangeNotSatisfiable(sizeBytes)
  if (range) setStatus(206)
  const lengthBytes = range ? range.lastByte - range.firstByte + 1 : sizeBytes
  return {
    headers: {
      ...described,
      'Content-Length': String(lengthBytes),
      ...(range ? { 'Content-Range': `bytes ${range.firstByte}-${range.lastByte}/${sizeBytes}` } : {}),
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, max-age=0, must-revalidate',
      ETag: etag,
    },
    async body() {
      const opened = await platform.objects.get(key, range ? { range } : {})
      if (!opened) throw notFound()
      return opened.stream
    },
  }
}
