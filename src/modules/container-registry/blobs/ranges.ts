import { header } from '../../../api/index.ts'

/** Bytes from the first to the last, inclusive. */
export type BlobRange = { firstByte: number; lastByte: number }

const form = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/

/**
 * The range that a request asks for (contract 02, x.v2_blob_get): null for the whole blob, also for several ranges and for
 * an `If-Range` that names other content; `unsatisfiable` for one without a byte of the blob.
 */
export function blobRange(
  request: { headers: Record<string, string | string[] | undefined> },
  { sizeBytes, etag }: { sizeBytes: number; etag: string },
): BlobRange | 'unsatisfiable' | null {
  const [matched, first, last, suffix] = form.exec(header(request, 'range') ?? '') ?? []
  const condition = header(request, 'if-range')
  if (matched === undefined || (condition !== undefined && condition !== etag)) return null
  const firstByte = suffix === undefined ? Number(first) : Math.max(0, sizeBytes - Number(suffix))
  const lastByte = last ? Math.min(Number(last), sizeBytes - 1) : sizeBytes - 1
  return firstByte < sizeBytes && firstByte <= lastByte ? { firstByte, lastByte } : 'unsatisfiable'
}
