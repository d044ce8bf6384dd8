import { isUtf8 } from 'node:buffer'
import type { Raw } from '../../../../api/index.ts'
import { filesRaw } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import type { Place } from '../places.ts'

/** A file is shown up to so many bytes and lines. */
const mostBytes = 1024 * 1024
const mostLines = 20_000

/** What a page shows of a file. */
export type Contents = {
  sizeBytes: number
  lastCommitId: string
  /** The beginning of the text; null for what is no text. */
  text: string | null
  lines: number
  isCut: boolean
  isExecutable: boolean
  /** Whether the bytes are text that a form gives back unchanged. */
  isEditable: boolean
  /** What a pointer of git LFS stands for. */
  lfs: { oid: string; sizeBytes: number } | null
}

/** The first bytes of a body. The rest is not read. */
async function beginningOf({ body }: Raw): Promise<Buffer> {
  if (typeof body === 'string') return Buffer.from(body)
  if (Buffer.isBuffer(body)) return body
  const stream = typeof body === 'function' ? await body() : body
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= mostBytes) break
  }
  return Buffer.concat(chunks).subarray(0, mostBytes)
}

/** The first lines of a text that begins with these bytes. */
function linesWithin(bytes: Buffer, isWhole: boolean): { text: string; lines: number; isCut: boolean } {
  const all = bytes.toString('utf8')
  let end = 0
  let lines = 0
  while (lines < mostLines && end < all.length) {
    const next = all.indexOf('\n', end)
    // A line that goes on behind the bytes is left out, unless it is the only one.
    if (next < 0 && !isWhole && lines > 0) break
    end = next < 0 ? all.length : next + 1
    lines += 1
  }
  return { text: all.slice(0, end), lines, isCut: !isWhole || end < all.length }
}

function pointerOf(text: string): Contents['lfs'] {
  if (text.length > 1_024 || !text.startsWith('version https://git-lfs.github.com/spec/')) return null
  const [, oid] = /^oid sha256:([\da-f]{64})$/m.exec(text) ?? []
  const [, size] = /^size (\d{1,15})$/m.exec(text) ?? []
  return oid && size ? { oid, sizeBytes: Number(size) } : null
}

/** Reads what a page shows of a file. @throws ApiError 404 */
export async function contentsOf(visit: Visit, { ref, path }: Pick<Place, 'ref' | 'path'>): Promise<Contents> {
  const raw = await visit.read(filesRaw, { id: visit.project.id, file_path: path, ref })
  const { headers } = raw
  const sizeBytes = Number(headers['X-Gitlab-Size'])
  const facts = {
    sizeBytes,
    lastCommitId: headers['X-Gitlab-Last-Commit-Id'] ?? '',
    isExecutable: headers['X-Gitlab-Execute-Filemode'] === 'true',
  }
  if (!headers['Content-Type']?.startsWith('text/')) {
    return { ...facts, text: null, lines: 0, isCut: false, isEditable: false, lfs: null }
  }
  const bytes = await beginningOf(raw)
  const shown = linesWithin(bytes, bytes.length >= sizeBytes)
  return { ...facts, ...shown, isEditable: !shown.isCut && isUtf8(bytes), lfs: pointerOf(shown.text) }
}
