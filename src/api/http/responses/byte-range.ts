import { header, type RequestInfo } from '../../operation/request.ts'

/** Bytes from the first to the last, inclusive. */
export type RequestedRange = { firstByte: number; lastByte: number }

const form = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/

/**
 * The range that a request asks for: null for the whole content, also for several ranges and for an `If-Range` that names
 * other content; `unsatisfiable` for one without a byte of the content (contract 02, x.v2_blob_get; contract 08, Serving).
 */
export function requestedRange(
  request: Pick<RequestInfo, 'headers'>,
  { sizeBytes, etag }: { sizeBytes: number; etag: string },
): RequestedRange | 'unsatisfiable' | null {
  const [matched, first, last, suffix] = form.exec(header(request, 'range') ?? '') ?? []
  const condition = header(request, 'if-range')
  if (matched === undefined || (condition !== undefined && condition !== etag)) return null
  const firstByte = suffix === undefined ? Number(first) : Math.max(0, sizeBytes - Number(suffix))
  const lastByte = last ? Math.min(Number(last), sizeBytes - 1) : sizeBytes - 1
  return firstByte < sizeBytes && firstByte <= lastByte ? { firstByte, lastByte } : 'unsatisfiable'
}
