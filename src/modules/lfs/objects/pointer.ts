/** The content of a pointer file. */
export type Pointer = { oid: string; sizeBytes: number }

/** Pointer files are smaller than this, in bytes. */
export const pointerBytes = 1024

const marker = Buffer.from('version ')
const form =
  /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1\r?\n(?:ext-\d-[^\n]*\n)*oid sha256:([0-9a-f]{64})\r?\nsize (\d{1,15})\s*$/

/** Parses a pointer file of git LFS; null for any other content. */
export function parsePointer(content: Buffer): Pointer | null {
  if (content.length >= pointerBytes || !content.subarray(0, 8).equals(marker)) return null
  const [, oid, size] = form.exec(content.toString('latin1')) ?? []
  return oid === undefined ? null : { oid, sizeBytes: Number(size) }
}

/** Whether a value is an object id: the SHA-256 of the content. */
export function isOid(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}
