import type { ByteRange } from '../../infra/objects/index.ts'

/** What of a request says which bytes are wanted. */
type Asking = { range?: string | undefined; 'if-range'?: string | string[] | undefined }

const form = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/

/**
 * The range of bytes that a download is asked for; undefined for all of them, also where several ranges are asked for, which
 * nobody has to give.
 * @param etag of what is there: another one is wanted whole
 */
export function rangeOf(
  headers: Asking,
  { sizeBytes, etag }: { sizeBytes: number; etag: string },
): ByteRange | undefined {
  const [matched, first, last, ending] = form.exec(headers.range ?? '') ?? []
  if (matched === undefined) return undefined
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return undefined
  if (ending !== undefined) {
    const length = Number(ending)
    // The last no bytes are not to be had; a range behind the end says so.
    return { firstByte: length === 0 ? sizeBytes : Math.max(0, sizeBytes - length) }
  }
  const range = { firstByte: Number(first), lastByte: last === undefined ? undefined : Number(last) }
  return range.lastByte !== undefined && range.lastByte < range.firstByte ? undefined : range
}
