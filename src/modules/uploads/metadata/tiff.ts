import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { handled } from '../../../infra/streams/index.ts'
import { ImageProblem } from './problem.ts'
import { type Directory, type Entry, TiffFile } from './tiff-file.ts'
import { imageDirectories, isMetadata, metadataDirectories } from './tiff-tags.ts'

/** Bytes that replace those at a position of the file; a number stands for so many zeros. */
type Patch = { at: number; sizeBytes: number; bytes: Buffer | null }

/** More directories and entries than images have, and few enough for memory. */
const mostDirectories = 10_000
const mostEntries = 500_000

/** A directory without some of its entries, as long as before. */
function rewritten(tiff: TiffFile, { at, next, sizeBytes }: Directory, kept: readonly Entry[]): Patch {
  const { countBytes, positionBytes } = tiff.layout
  const bytes = Buffer.alloc(sizeBytes)
  tiff.write(bytes, 0, kept.length, countBytes)
  const body = Buffer.concat(kept.map((entry) => entry.bytes))
  body.copy(bytes, countBytes)
  tiff.write(bytes, countBytes + body.length, next, positionBytes)
  return { at, sizeBytes, bytes }
}

/** What has to change in a file: images keep their directories, metadata becomes zeros. */
class Removal {
  readonly zeros: Patch[] = []
  readonly directories: Patch[] = []
  readonly #tiff: TiffFile
  readonly #visited = new Set<number>()
  #entryCount = 0

  constructor(tiff: TiffFile) {
    this.#tiff = tiff
  }

  /** Reads a directory; null when it was read before. @throws ImageProblem */
  async #read(at: number): Promise<Directory | null> {
    if (this.#visited.has(at)) return null
    this.#visited.add(at)
    const directory = await this.#tiff.directory(at)
    this.#entryCount += directory.entries.length
    if (this.#visited.size > mostDirectories || this.#entryCount > mostEntries)
      throw new ImageProblem('too many entries')
    return directory
  }

  #erase(at: number, sizeBytes: number): void {
    const end = Math.min(at + sizeBytes, this.#tiff.sizeBytes)
    if (end > at) this.zeros.push({ at, sizeBytes: end - at, bytes: null })
  }

  /** Zeros instead of the values of an entry, and of the directories to which they point. */
  async #eraseEntry(entry: Entry): Promise<void> {
    if (metadataDirectories.has(entry.tag)) {
      for (const at of await this.#tiff.positions(entry)) await this.#eraseDirectory(at)
    }
    if (entry.valuesAt !== null) this.#erase(entry.valuesAt, entry.valuesBytes)
  }

  async #eraseDirectory(at: number): Promise<void> {
    const directory = await this.#read(at)
    if (!directory) return
    for (const entry of directory.entries) await this.#eraseEntry(entry)
    this.#erase(at, directory.sizeBytes)
  }

  /** Removes the metadata from the directories of images, beginning with one. */
  async strip(first: number): Promise<void> {
    const waiting = [first]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const directory = at === 0 ? null : await this.#read(at)
      if (!directory) continue
      for (const entry of directory.entries) {
        if (isMetadata(entry.tag)) await this.#eraseEntry(entry)
        else if (entry.tag === imageDirectories) waiting.push(...(await this.#tiff.positions(entry)))
      }
      const kept = directory.entries.filter(({ tag }) => !isMetadata(tag))
      if (kept.length < directory.entries.length) this.directories.push(rewritten(this.#tiff, directory, kept))
      waiting.push(directory.next)
    }
  }
}

const byPosition = (left: Patch, right: Patch) => left.at - right.at
const endOf = ({ at, sizeBytes }: Patch) => at + sizeBytes

/** The same zeros without overlaps, in order. */
function merged(zeros: readonly Patch[]): Patch[] {
  const found: Patch[] = []
  for (const patch of zeros.toSorted(byPosition)) {
    const last = found.at(-1)
    if (!last || endOf(last) < patch.at) found.push({ ...patch })
    else last.sizeBytes = Math.max(endOf(last), endOf(patch)) - last.at
  }
  return found
}

/** Directories in order. @throws ImageProblem when two of them overlap */
function inOrder(directories: readonly Patch[]): Patch[] {
  const sorted = directories.toSorted(byPosition)
  const overlaps = sorted.some((patch, index) => index > 0 && endOf(sorted[index - 1] as Patch) > patch.at)
  if (overlaps) throw new ImageProblem('directories over each other')
  return sorted
}

/** The bytes of a stream with patches over them, which are in order and do not overlap. */
async function* patched(source: AsyncIterable<Buffer>, patches: readonly Patch[]): AsyncGenerator<Buffer> {
  let start = 0
  let next = 0
  for await (const chunk of source) {
    const end = start + chunk.length
    for (let index = next; index < patches.length; index++) {
      const { at, sizeBytes, bytes } = patches[index] as Patch
      if (at >= end) break
      const [from, to] = [Math.max(at, start), Math.min(at + sizeBytes, end)]
      if (bytes) bytes.copy(chunk, from - start, from - at, to - at)
      else chunk.fill(0, from - start, to - start)
      if (at + sizeBytes <= end) next = index + 1
    }
    yield chunk
    start = end
  }
}

/**
 * A TIFF image without EXIF, XMP, IPTC and facts about its origin. Its data stay where they are: entries are taken out of
 * the directories, and zeros stand where their values were (contract 08, "Metadata removal").
 * @throws ImageProblem when it is none
 */
export async function* tiffWithoutMetadata(path: string): AsyncGenerator<Buffer> {
  await using file = await open(path)
  const tiff = await TiffFile.open(file)
  const removal = new Removal(tiff)
  await removal.strip(await tiff.first())
  const source = handled(createReadStream(path, { highWaterMark: 256 * 1024 })) as AsyncIterable<Buffer>
  // Directories last: in invalid files, values may lie over them.
  yield* patched(patched(source, merged(removal.zeros)), inOrder(removal.directories))
}
