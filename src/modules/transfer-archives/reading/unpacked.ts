import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { requestFolder } from '../../../config.ts'
import { ignoreMissing } from '../../../infra/files/index.ts'
import { handled, through } from '../../../infra/streams/index.ts'
import { readTar, TarProblem } from '../../../infra/tar/index.ts'
import type { ImportedFile, Platform } from '../../../platform/index.ts'
import { ImportProblem } from '../problem.ts'
import { linesOfText, type ReadLine } from './lines.ts'

/** Bounds of an archive (contract 25, What an import makes). */
const mostEntries = 1_000_000
export const mostUnpackedBytes = 25 * 1024 ** 3

const indexName = 'index'

/** Paths of archives never become paths on disk. */
function placeOf(folder: string, path: string): string {
  const digest = createHash('sha256').update(path).digest('hex')
  return join(folder, digest.slice(0, 2), digest.slice(2))
}

/** The files of an archive of another server, on the disk until they are disposed of. */
export class Unpacked implements AsyncDisposable {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The place of a file on disk, for programs that read it; null when the archive has none. */
  async placeOf(path: string): Promise<string | null> {
    const place = placeOf(this.#folder, path)
    return (await stat(place).catch(ignoreMissing)) ? place : null
  }

  /** The bytes of a file at its place on disk. */
  open(place: string): Readable {
    return handled(createReadStream(place))
  }

  /** The bytes of a file; null when the archive has none. */
  async read(path: string): Promise<Readable | null> {
    const place = await this.placeOf(path)
    return place === null ? null : this.open(place)
  }

  /** The first characters of a short file; null when the archive has none. */
  async head(path: string): Promise<string | null> {
    const place = await this.placeOf(path)
    if (place === null) return null
    await using file = await open(place)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0)
    return buffer.toString('utf8', 0, bytesRead)
  }

  /** The lines of a file; none when the archive has none. */
  async *lines(path: string): AsyncGenerator<ReadLine> {
    const content = await this.read(path)
    if (content) yield* linesOfText(content)
  }

  /** The files below a folder, in their order in the archive; their paths begin behind it. @param folder ends with a slash */
  async *filesBelow(folder: string): AsyncGenerator<ImportedFile> {
    for await (const line of createInterface({ input: handled(createReadStream(join(this.#folder, indexName))) })) {
      const [path, sizeBytes] = JSON.parse(line) as [string, number]
      if (!path.startsWith(folder)) continue
      const place = placeOf(this.#folder, path)
      yield { path: path.slice(folder.length), sizeBytes, open: () => this.open(place) }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** Writes the files of a tar file to a folder. Yields a line of the index for each. @throws TarProblem, ImportProblem */
async function* unpackInto(folder: string, bytes: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<string> {
  const limits = { entries: mostEntries, sizeBytes: mostUnpackedBytes }
  for await (const { path, kind, sizeBytes, content } of readTar(bytes, limits)) {
    signal.throwIfAborted()
    if (kind === 'directory') continue
    const place = placeOf(folder, path)
    await mkdir(dirname(place), { recursive: true })
    await pipeline(content, handled(createWriteStream(place, { flags: 'wx' })), { signal }).catch((error) => {
      throw error.code === 'EEXIST' ? new ImportProblem('The archive has two files of one name') : error
    })
    yield `${JSON.stringify([path, sizeBytes])}\n`
  }
}

/** What is wrong with an archive, for users; other errors stay as they are. */
function problemOf(error: unknown): unknown {
  if (error instanceof TarProblem) return new ImportProblem(error.message)
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  return code.startsWith('Z_') ? new ImportProblem('The archive is not a gzip file, or is damaged') : error
}

/**
 * Unpacks an archive (`.tar.gz`) of another server. Its names and contents are not trusted: see `readTar`.
 * @throws ImportProblem for one that cannot be read, or is larger than allowed
 */
export async function unpack({ config }: Platform, content: Readable, signal: AbortSignal): Promise<Unpacked> {
  await mkdir(requestFolder(config), { recursive: true })
  // The name is that of the folders of requests, which are swept after a crash.
  const folder = await mkdtemp(join(requestFolder(config), 'upload-'))
  const bytes = through(content, handled(createGunzip()))
  try {
    const index = handled(Readable.from(unpackInto(folder, bytes, signal)))
    await pipeline(index, handled(createWriteStream(join(folder, indexName))))
    return new Unpacked(folder)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw problemOf(error)
  } finally {
    bytes.destroy()
  }
}
