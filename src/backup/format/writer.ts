import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ignoreMissing, syncDirectory } from '../../infra/files/index.ts'
import { randomHex } from '../../infra/secrets/index.ts'
import { handled } from '../../infra/streams/index.ts'
import { tarEnd, tarHeader, tarPadding } from '../../infra/tar/index.ts'
import { type Appender, appenderOf } from './appender.ts'
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

/** A file that is being written, with its manifest beside it. */
type Unfinished = {
  /** Where it is until it is complete. */
  path: string
  file: FileHandle
  out: Appender
  manifestPath: string
  manifest: FileHandle
  lines: Appender
  /** The time of its entries. */
  time: number
  /** How many contents it has. */
  parts: number
}

/** An entry that was written: where, how large, and its hash. */
type Stored = Pick<Part, 'at' | 'storedBytes' | 'sha256'>

async function begin(folder: string, path: string, time: number): Promise<Unfinished> {
  const temporaryPath = join(folder, `.${basename(path)}.${randomHex(8)}.unfinished`)
  const file = await open(temporaryPath, 'wx', 0o600)
  const manifestPath = `${temporaryPath}.manifest`
  const manifest = await open(manifestPath, 'wx', 0o600)
  const [out, lines] = [appenderOf(file), appenderOf(manifest)]
  return { path: temporaryPath, file, out, manifestPath, manifest, lines, time, parts: 0 }
}

function addLine({ lines }: Unfinished, line: Line): Promise<void> {
  return lines.append(Buffer.from(`${JSON.stringify(line)}\n`))
}

/** Writes an entry whose size is known afterwards. */
async function writeEntry(
  { out, time }: Unfinished,
  name: string,
  write: (take: (chunk: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<Stored> {
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

/** As `writeEntry`, for bytes in memory. */
async function writeWholeEntry({ out, time }: Unfinished, name: string, bytes: Uint8Array): Promise<Stored> {
  await out.append(tarHeader({ path: name, kind: 'file', sizeBytes: bytes.length, time }))
  const at = out.position
  await out.append(bytes)
  await out.append(tarPadding(bytes.length))
  return { at, storedBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

async function addWhole(backup: Unfinished, described: Described, bytes: Buffer): Promise<void> {
  backup.parts += 1
  const stored = await writeWholeEntry(backup, partFile(backup.parts), await compressed(bytes))
  await addLine(backup, { ...described, ...stored, sizeBytes: bytes.length, zstd: true } as Line)
}

async function addContent(
  backup: Unfinished,
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
  backup.parts += 1
  const stored = await writeEntry(backup, partFile(backup.parts), async (take) => {
    if (probe.isCompressible) await compressing(counted(), take)
    else for await (const chunk of counted()) await take(chunk)
  })
  if (readBytes !== sizeBytes) throw new BackupRefused('a content changed while it was read')
  await addLine(backup, { ...described, ...stored, sizeBytes, zstd: probe.isCompressible } as Line)
}

/** Closes the file, and deletes its manifest. */
async function close({ file, manifest, manifestPath }: Unfinished): Promise<void> {
  await file.close().catch(() => {})
  await manifest.close().catch(() => {})
  await rm(manifestPath, { force: true })
}

/** Adds the manifest and the trailer, and syncs the file. */
async function complete(backup: Unfinished, { id }: Header): Promise<void> {
  const { out, lines, file, manifestPath } = backup
  await lines.flush()
  const stored = await writeEntry(backup, manifestFile, (take) =>
    compressing(handled(createReadStream(manifestPath)), take),
  )
  const trailer = { format: formatVersion, id, manifest: { ...stored, sizeBytes: lines.position } }
  await writeWholeEntry(backup, trailerFile, trailerText(trailer))
  await out.append(tarEnd)
  await out.flush()
  await file.sync()
}

/**
 * Begins a backup. Until `finish` it is a hidden file beside `path`, so that an interrupted one never looks complete.
 * @throws BackupRefused when the file exists
 */
export async function writeBackup(path: string, header: Header): Promise<BackupWriter> {
  const folder = dirname(resolve(path))
  if (await stat(path).catch(ignoreMissing)) throw new BackupRefused(`${path} exists already`)
  const backup = await begin(folder, path, entryTime(header))
  const writer: BackupWriter = {
    get writtenBytes() {
      return backup.out.position
    },
    temporaryPath: backup.path,
    line: (line) => addLine(backup, line),
    whole: (described, bytes) => addWhole(backup, described, bytes),
    content: (described, sizeBytes, given, options) => addContent(backup, described, sizeBytes, given, options),
    reuse: (described, part) => addLine(backup, { ...described, ...part } as Line),
    async finish() {
      await complete(backup, header)
      await close(backup)
      await rename(backup.path, path)
      await syncDirectory(folder)
      return backup.out.position
    },
    async abort() {
      await close(backup)
      await rm(backup.path, { force: true })
    },
  }
  try {
    await writeWholeEntry(backup, headerFile, headerText(header))
    await addLine(backup, header)
  } catch (error) {
    await writer.abort()
    throw error
  }
  return writer
}
