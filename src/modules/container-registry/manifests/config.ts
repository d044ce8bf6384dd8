import type { Platform } from '../../../platform/index.ts'
import { blobKey, type Digest } from '../blobs/digest.ts'
import { linkedBlobs } from './store/references.ts'

/** Larger configs are not read (contract 02 R9). */
const maximumBytes = 4 * 1024 * 1024

async function bytesOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = []
  for await (const chunk of chunks) read.push(chunk)
  return Buffer.concat(read)
}

/** The config of an image; null when the repository has it not, or it is too large. */
export async function readConfig(
  { database, objects }: Platform,
  repositoryId: number,
  digest: Digest,
): Promise<Buffer | null> {
  const [blob] = await linkedBlobs(database.read, repositoryId, [digest])
  if (!blob || blob.size_bytes > maximumBytes) return null
  const opened = await objects.get(blobKey(digest))
  return opened ? bytesOf(opened.stream) : null
}
