import { header } from '../../../api/index.ts'
import { registryProblem } from '../http/problems.ts'

type Headers = { headers: Record<string, string | string[] | undefined> }

const form = /^(?:bytes )?(\d+)-(\d+)(?:\/.*)?$/

/** Whether a request carries a body, by its headers. */
export function hasContent({ headers }: Headers): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Checks the `Content-Range` of a chunk; without one the chunk continues the upload (contract 02, x.v2_upload_patch).
 * @param offsetBytes the number of bytes that were received before
 * @param refused called for the error of a chunk that does not continue the upload
 * @returns whether the client named a range
 * @throws RegistryProblem 400, and 416 from `refused`
 */
export function checkContentRange(request: Headers, offsetBytes: number, refused: () => Error): boolean {
  const sent = header(request, 'content-range')
  if (sent === undefined) return false
  const [matched, first, last] = form.exec(sent) ?? []
  if (matched === undefined) throw registryProblem('BLOB_UPLOAD_INVALID', { detail: { 'Content-Range': sent } })
  const [firstByte, lastByte] = [Number(first), Number(last)]
  if (firstByte !== offsetBytes || firstByte > lastByte) throw refused()
  if (lastByte - firstByte + 1 !== Number(header(request, 'content-length'))) throw registryProblem('SIZE_INVALID')
  return true
}
