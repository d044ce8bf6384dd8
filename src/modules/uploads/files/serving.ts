import {
  contentDisposition,
  hasCurrent,
  notFound,
  type Raw,
  type RequestInfo,
  rangeNotSatisfiable,
  requestedRange,
} from '../../../api/index.ts'
import type { StorageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { isShownInPlace, mediaTypeOf, safetyHeaders } from './media-types.ts'

/** A stored file as its record describes it. */
export type ServedFile = { name: string; sizeBytes: number; sha256: string; key: StorageKey }

/** The request, and the status of its answer. */
type Answering = { request: RequestInfo; setStatus(status: number): void }

/** The statuses besides 200 that operations declare which serve files. */
export const fileAnswers = { 206: 'The bytes that the header `Range` selects.' } as const

/**
 * A file as the body of an answer, sent so that browsers neither show it as a page nor run it (contract 08, Serving).
 * @param form `web`: images, videos, sounds and PDF are shown in place; `api`: every file is to be saved
 * @throws ApiError 404 when the bytes are missing, 416
 */
export async function serveFile(
  { objects }: Platform,
  { request, setStatus }: Answering,
  { name, sizeBytes, sha256, key }: ServedFile,
  form: 'api' | 'web',
): Promise<Raw> {
  const kind = form === 'web' && isShownInPlace(name) ? 'inline' : 'attachment'
  const etag = `"${sha256}"`
  // RFC 9110: a range counts for GET only, and after If-None-Match.
  const isWhole = request.method !== 'GET' || hasCurrent(request, etag)
  const range = isWhole ? null : requestedRange(request, { sizeBytes, etag })
  if (range === 'unsatisfiable') throw rangeNotSatisfiable(sizeBytes)
  if (range) setStatus(206)
  const lengthBytes = range ? range.lastByte - range.firstByte + 1 : sizeBytes
  return {
    headers: {
      'Content-Type': mediaTypeOf(name),
      'Content-Disposition': contentDisposition(kind, name, 'both'),
      ...safetyHeaders(name, kind),
      'Content-Length': String(lengthBytes),
      ...(range ? { 'Content-Range': `bytes ${range.firstByte}-${range.lastByte}/${sizeBytes}` } : {}),
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, max-age=0, must-revalidate',
      ETag: etag,
    },
    async body() {
      const opened = await objects.get(key, range ? { range } : {})
      if (!opened) throw notFound()
      return opened.stream
    },
  }
}
