import { createHash } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { tarEnd, tarHeader, tarPadding } from '../infra/tar/index.ts'
import { formatVersion, type Header } from './format/lines.ts'
import { headerFile, manifestFile, partFile, trailerFile } from './format/names.ts'
import { entryTime, headerText, trailerText } from './format/writer.ts'
import type { Progress } from './progress.ts'

/** Says nothing. */
export const silent: Progress = { step() {}, advance() {}, note() {} }

/** The first line of a backup that has nothing. */
export function emptyHeader(more: Partial<Header> = {}): Header {
  return {
    kind: 'backup',
    format: formatVersion,
    id: '0'.repeat(32),
    startedAt: '2026-01-02T03:04:05.678Z',
    engine: 'sqlite',
    migrations: [],
    secretKeyId: null,
    bases: [],
    ...more,
  }
}

/** A line of a manifest as it should not be, and its content. */
export type AnyLine = { fields: Record<string, unknown>; content?: Buffer; zstd?: boolean }

/** Builds a file whose digests are all right, whatever its lines say. */
export function backupOf(header: Header, lines: readonly AnyLine[]): Buffer {
  const chunks: Buffer[] = []
  let at = 0
  const time = entryTime(header)
  const add = (chunk: Buffer) => {
    chunks.push(chunk)
    at += chunk.length
  }
  const entry = (path: string, stored: Buffer) => {
    add(tarHeader({ path, kind: 'file', sizeBytes: stored.length, time }))
    const place = { at, storedBytes: stored.length, sha256: createHash('sha256').update(stored).digest('hex') }
    add(stored)
    add(tarPadding(stored.length))
    return place
  }
  entry(headerFile, headerText(header))
  let parts = 0
  const texts = lines.map(({ fields, content, zstd = false }) => {
    if (!content) return JSON.stringify(fields)
    parts += 1
    const place = entry(partFile(parts), zstd ? zstdCompressSync(content) : content)
    return JSON.stringify({ ...place, sizeBytes: content.length, zstd, ...fields })
  })
  const manifest = Buffer.from(`${[JSON.stringify(header), ...texts].join('\n')}\n`)
  const stored = { ...entry(manifestFile, zstdCompressSync(manifest)), sizeBytes: manifest.length }
  entry(trailerFile, trailerText({ format: header.format, id: header.id, manifest: stored }))
  add(tarEnd)
  return Buffer.concat(chunks)
}
