import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, createZstdCompress, createZstdDecompress, zstdCompress } from 'node:zlib'
import { handled, through } from '../../infra/streams/index.ts'

export type Bytes = AsyncIterable<Uint8Array>

const options = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

/** Contents are compressed when their beginning becomes smaller than this share. */
const worthwhile = 0.9
const sampleBytes = 64 * 1024

/** Compresses a content that is in memory. */
export function compressed(content: Uint8Array): Promise<Buffer> {
  return promisify(zstdCompress)(content, options)
}

/** Compresses a stream. @param take receives the compressed bytes */
export async function compressing(content: Bytes, take: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  await pipeline(
    handled(Readable.from(content, { objectMode: false })),
    handled(createZstdCompress(options)),
    async (source: Bytes) => {
      for await (const chunk of source) await take(chunk)
    },
  )
}

/** Decompresses a stream. The reader decides how much it reads. */
export async function* decompressed(content: Bytes): Bytes {
  const stream = through(handled(Readable.from(content, { objectMode: false })), handled(createZstdDecompress()))
  try {
    yield* stream as Bytes
  } finally {
    stream.destroy()
  }
}

async function* joined(first: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): Bytes {
  try {
    yield* first
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** Decides by the beginning of a content whether compressing it is worthwhile. @returns the content from its beginning as well */
export async function probed(content: Bytes): Promise<{ content: Bytes; isCompressible: boolean }> {
  const iterator = content[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let bytes = 0
  while (bytes < sampleBytes) {
    const next = await iterator.next()
    if (next.done) break
    first.push(next.value)
    bytes += next.value.length
  }
  const sample = Buffer.concat(first).subarray(0, sampleBytes)
  const isCompressible = (await compressed(sample)).length < sample.length * worthwhile
  return { content: joined(first, iterator), isCompressible }
}
