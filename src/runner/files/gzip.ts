import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { handled } from '../../infra/streams/index.ts'

/** Writes files one after the other, each compressed by itself: together they are one gzip stream. */
export async function writeGzip(file: string, root: string, paths: readonly string[], signal: AbortSignal) {
  for (const path of paths) {
    const source = handled(createReadStream(join(root, path)))
    const target = handled(createWriteStream(file, { flags: 'a', mode: 0o600 }))
    await pipeline(source, handled(createGzip()), target, { signal })
  }
}
