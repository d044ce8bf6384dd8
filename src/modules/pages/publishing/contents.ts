import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ForwardReader, handled } from '../../../infra/streams/index.ts'
import { headerBytes, headerSignature, inflated } from '../../pipelines/index.ts'
import { type IndexedFile, SiteIndex } from '../files/format.ts'
import type { ListedFile } from './listing.ts'
import { PublishProblem } from './problem.ts'

const damaged = () => new PublishProblem('the archive is damaged')

/** Goes to the content of a file. @throws PublishProblem when it lies within the file before, or is not there */
async function goToContent(reader: ForwardReader, { headerOffset }: ListedFile): Promise<void> {
  if (headerOffset < reader.position) throw new PublishProblem('files of the archive overlap')
  await reader.skipTo(headerOffset)
  const header = await reader.take(headerBytes)
  if (header.length < headerBytes || header.readUInt32LE(0) !== headerSignature) throw damaged()
  await reader.skipTo(reader.position + header.readUInt16LE(26) + header.readUInt16LE(28))
}

/** The content of a file as it was before it was compressed. @throws PublishProblem */
async function* plainContent(reader: ForwardReader, file: ListedFile): AsyncGenerator<Buffer> {
  if (!file.isCompressed) return yield* reader.pieces(file.compressedBytes)
  const end = reader.position + file.compressedBytes
  const source = handled(Readable.from(reader.pieces(file.compressedBytes), { objectMode: false }))
  try {
    yield* inflated(source) as AsyncIterable<Buffer>
  } catch (error) {
    throw error instanceof PublishProblem ? error : damaged()
  } finally {
    // What follows the compressed data is passed over, when nothing reads the stream any more.
    source.destroy()
    if (!source.closed) await once(source, 'close')
  }
  await reader.skipTo(end)
}

/** The content of a file, of which it has as many bytes as the list of its archive says. @throws PublishProblem */
async function* exactContent(reader: ForwardReader, file: ListedFile): AsyncGenerator<Buffer> {
  let left = file.sizeBytes
  for await (const piece of plainContent(reader, file)) {
    left -= piece.length
    if (left < 0) throw new PublishProblem('a file of the archive is larger than it says')
    yield piece
  }
  if (left > 0) throw damaged()
}

/** What was written of a site. */
export type WrittenSite = { rootOffset: number; sizeBytes: number; fileCount: number }

/**
 * The bytes of the object of a site: the contents of its files one after another, their index, and the list of the parts of the
 * index. Nothing of it is longer in memory than it takes to pass it on, but for the index.
 * @param archive the archive from its first byte on
 * @param onWritten called after the last byte
 * @throws PublishProblem for an archive that is not as its list says
 */
export async function* siteBytes(
  archive: Readable,
  files: readonly ListedFile[],
  onWritten: (written: WrittenSite) => void,
): AsyncGenerator<Uint8Array> {
  const reader = new ForwardReader(archive)
  const indexed: IndexedFile[] = []
  let offset = 0
  try {
    for (const file of [...files].sort((one, other) => one.headerOffset - other.headerOffset)) {
      await goToContent(reader, file)
      const hash = createHash('sha256')
      for await (const piece of exactContent(reader, file)) {
        hash.update(piece)
        yield piece
      }
      const digest = hash.digest('base64url').slice(0, 22)
      indexed.push({ path: file.path, offset, sizeBytes: file.sizeBytes, digest })
      offset += file.sizeBytes
    }
  } finally {
    archive.destroy()
  }
  const index = new SiteIndex(indexed, offset)
  yield* index.bytes()
  onWritten({ rootOffset: index.rootOffset, sizeBytes: offset, fileCount: indexed.length })
}
