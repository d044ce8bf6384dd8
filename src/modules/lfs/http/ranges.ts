import type { ByteRange } from '../../../infra/objects/index.ts'

/** Headers that select bytes. */
type RangeHeaders = { range?: string | undefined; 'if-range'?: string | string[] | undefined }

const form = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/

/**
 * The requested range of a download; undefined for the whole content, also for several ranges, which a server may ignore.
 * @param etag of the content; with another one in `If-Range` the whole content is sent
 */
export function rangeOf(
  headers: RangeHeaders,
  { sizeBytes, etag }: { sizeBytes: number; etag: string },
): ByteRange | undefined {
  const [matched, first, last, ending] = form.exec(headers.range ?? '') ?? []
  if (matched === undefined) return undefined
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return undefined
  if (ending !== undefined) {
    const length = Number(ending)
    // A suffix of zero bytes is not satisfiable; a range behind the end expresses that.
    return { firstByte: length === 0 ? sizeBytes : Math.max(0, sizeBytes - length) }
  }
  const range = { firstByte: Number(first), lastByte: last === undefined ? undefined : Number(last) }
  return range.lastByte !== undefined && range.lastByte < range.firstByte ? undefined : range
}
