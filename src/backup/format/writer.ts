import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ignoreMissing, syncDirectory } from '../../infra/files/index.ts'
import { randomHex } from '../../infra/secrets/index.ts'
import { handled } from '../../infra/streams/index.ts'
import { tarEnd, tarHeader, tarPadding } from '../../infra/tar/index.ts'
import { appenderOf } from './appender.ts'
import { type Bytes, compressed, compressing, probed } from './compression.ts'
import { formatVersion, type Header, type Line, type Part, type Trailer } from './lines.ts'
import { headerFile, manifestFile, partFile, trailerBytes, trailerFile } from './names.ts'
import { BackupRefused } from './refused.ts'

/** A line without where its content is. */
export type Described = Line extends infer Each ? (Each extends Part ? Omit<Each, keyof Part> : never) : never

/** A backup that is being written, under another name until it is complete. */
export type BackupWriter = {
  /** The bytes written so far. */
  readonly writtenBytes: number
  /** Where other temporary files of this backup belong. */
  readonly temporaryPath: string
  /** Adds a line without a content. */
  line(line: Extract<Line, { kind: 'table' | 'repository' }>): Promise<void>
  /** Adds a content that is in memory, compressed. */
  whole(described: Described, content: Buffer): Promise<void>
  /** Adds a content of a known size. @throws BackupRefused when it has another size */
  content(described: Described, sizeBytes: number, content: Bytes, options: { mayCompress: boolean }): Promise<void>
  /** Names a content that another file has. */
  reuse(described: Described, part: Part): Promise<void>
  /** Completes the file, durably, and gives it its name. @returns its size */
  finish(): Promise<number>
  /** Deletes what was written. */
  abort(): Promise<void>
}

/** The text of the entry that describes the backup to people, and is the first line of the manifest. */
export function headerText(header: Header): Buffer {
  return Buffer.from(`${JSON.stringify(header)}\n`)
}

/** The text of the last entry. */
export function trailerText(trailer: Trailer): Buffer {
  return Buffer.from(`${JSON.stringify(trailer).padEnd(trailerBytes - 1)}\n`)
}

/** The time of all entries. */
export function entryTime({ startedAt }: Header): number {
  return Math.floor(Date.parse(startedAt) / 1000)
}

/**
 * Begins a backup. Until `finish` it is a hidden file beside `path`, so that an interrupted one never looks complete.
 * @throws BackupRefused when the file exists
 */
export async function writeBackup(path: string, header: Header): Promise<BackupWriter> {
  const folder = dirname(resolve(path))
  if (await stat(path).catch(ignoreMissing)) throw new BackupRefused(`${path} exists already`)
  const temporaryPath = join(folder, `.${basename(path)}.${randomHex(8)}.unfinished`)
  const file = await open(temporaryPath, 'wx', 0o600)
  const manifestPath = `${temporaryPath}.manifest`
  const manifest = await open(manifestPath, 'wx', 0o600)
  const [out, lines] = [appenderOf(file), appenderOf(manifest)]
  const time = entryTime(header)
  let parts = 0

  const addLine = (line: Line) => lines.append(Buffer.from(`${JSON.stringify(line)}\n`))

  /** Writes an entry whose size is known afterwards. */
  async function entry(name: string, write: (take: (chunk: Uint8Array) => Promise<void>) => Promise<void>) {
    const headerAt = out.position
    const placeholder = tarHeader({ path: name, kind: 'file', sizeBytes: 0, time })
    await out.append(placeholder)
    const at = out.position
    const hash = createHash('sha256')
    await write((chunk) => {
      hash.update(chunk)
      return out.append(chunk)
    })
    const storedBytes = out.position - at
    await out.append(tarPadding(storedBytes))
    await out.patch(headerAt, tarHeader({ path: name, kind: 'file', sizeBytes: storedBytes, time }))
    return { at, storedBytes, sha256: hash.digest('hex') }
  }

  /** As `entry`, for bytes in memory. */
  async function wholeEntry(name: string, bytes: Uint8Array) {
    await out.append(tarHeader({ path: name, kind: 'file', sizeBytes: bytes.length, time }))
    const at = out.position
    await out.append(bytes)
    await out.append(tarPadding(bytes.length))
    return { at, storedBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  }

  async function content(
    described: Described,
    sizeBytes: number,
    given: Bytes,
    { mayCompress }: { mayCompress: boolean },
  ): Promise<void> {
    const probe = mayCompress ? await probed(given) : { content: given, isCompressible: false }
    let readBytes = 0
    const counted = async function* () {
      for await (const chunk of probe.content) {
        readBytes += chunk.length
        yield chunk
      }
    }
    parts += 1
    const stored = await entry(partFile(parts), async (take) => {
      if (probe.isCompressible) await compressing(counted(), take)
      else for await (const chunk of counted()) await take(chunk)
    })
    if (readBytes !== sizeBytes) throw new BackupRefused('a content changed while it was read')
    await addLine({ ...described, ...stored, sizeBytes, zstd: probe.isCompressible } as Line)
  }

  const close = async () => {
    await file.close().catch(() => {})
    await manifest.close().catch(() => {})
    await rm(manifestPath, { force: true })
  }

  const writer: BackupWriter = {
    get writtenBytes() {
      return out.position
    },
    temporaryPath,
    line: (line) => addLine(line),
    async whole(described, bytes) {
      parts += 1
      const stored = await wholeEntry(partFile(parts), await compressed(bytes))
      await addLine({ ...described, ...stored, sizeBytes: bytes.length, zstd: true } as Line)
    },
    content,
    reuse: (described, part) => addLine({ ...described, ...part } as Line),
    async finish() {
      await lines.flush()
      const stored = await entry(manifestFile, (take) => compressing(handled(createReadStream(manifestPath)), take))
      const trailer = { format: formatVersion, id: header.id, manifest: { ...stored, sizeBytes: lines.position } }
      await wholeEntry(trailerFile, trailerText(trailer))
      await out.append(tarEnd)
      await out.flush()
      await file.sync()
      await close()
      await rename(temporaryPath, path)
      await syncDirectory(folder)
      return out.position
    },
    async abort() {
      await close()
      await rm(temporaryPath, { force: true })
    },
  }
  try {
    await wholeEntry(headerFile, headerText(header))
    await addLine(header)
  } catch (error) {
    await writer.abort()
    throw error
  }
  return writer
}
