import { type Content, chunksOf } from '../../object-store.ts'
import { type Bucket, putBytes } from '../bucket.ts'
import { createCutter } from '../cutter.ts'
import { createSending } from '../sending.ts'
import type { Claim } from './claims.ts'
import { pieceKey } from './state.ts'

/**
 * Stores content after the claimed writer's last byte. After a failure of the content, the bytes before it are stored.
 * @returns the size afterwards, and the failure of the content
 * @throws the error of the service; pieces that may still arrive do not count
 */
export async function storePieces(
  bucket: Bucket,
  id: string,
  claim: Claim,
  content: Content,
  see: (chunk: Uint8Array) => void,
): Promise<{ sizeBytes: number; failure?: { error: unknown } }> {
  const sending = createSending(bucket)
  const cutter = createCutter(bucket.limits.partBytes)
  let position = claim.state.sizeBytes
  let validBytes = Number.POSITIVE_INFINITY
  let failure: { error: unknown } | undefined

  async function store(bytes: Uint8Array): Promise<void> {
    const start = position
    position += bytes.length
    const key = pieceKey(id, { start, end: position, token: claim.token })
    await sending.start(() =>
      putBytes(bucket, key, bytes).catch((error) => {
        validBytes = Math.min(validBytes, start)
        throw error
      }),
    )
  }

  try {
    for await (const chunk of chunksOf(content)) {
      see(chunk)
      for (const bytes of cutter.push(chunk)) await store(bytes)
    }
  } catch (error) {
    failure = { error }
  }
  try {
    const rest = cutter.rest()
    if (rest.length > 0) await store(rest)
    await sending.settled()
  } catch (error) {
    await sending.settled().catch(() => {})
    await claim.fence(validBytes)
    throw error
  }
  return { sizeBytes: position, ...(failure ? { failure } : {}) }
}
