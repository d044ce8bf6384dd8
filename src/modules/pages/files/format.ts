/**
 * The object of a site: the contents of its files, then the index in parts, then the list of the parts. The files of the index are
 * ordered by path, so that one is found with the list and one part.
 */

/** A file of a site, in its object. */
export type IndexedFile = {
  path: string
  /** Position of its first byte. */
  offset: number
  sizeBytes: number
  /** Part of the SHA-256 of its content, in base64url. */
  digest: string
}

/** A file as the index writes it. */
export type Line = [path: string, offset: number, sizeBytes: number, digest: string]

/** A part of the index: from its first path on. */
export type Part = [firstPath: string, offset: number, lengthBytes: number]

const filesOfPart = 256

const byPath = (one: IndexedFile, other: IndexedFile) => (one.path < other.path ? -1 : Number(one.path > other.path))

/** The index of a site, as it is written behind the contents. */
export class SiteIndex {
  readonly #files: readonly IndexedFile[]
  readonly #parts: Part[] = []
  /** Where the list of the parts begins; known when everything before it was written. */
  rootOffset: number

  /** @param offset where the index begins */
  constructor(files: readonly IndexedFile[], offset: number) {
    this.#files = [...files].sort(byPath)
    this.rootOffset = offset
  }

  *bytes(): Generator<Buffer> {
    for (let start = 0; start < this.#files.length; start += filesOfPart) {
      const files = this.#files.slice(start, start + filesOfPart)
      const lines = files.map(({ path, offset, sizeBytes, digest }): Line => [path, offset, sizeBytes, digest])
      const bytes = Buffer.from(JSON.stringify(lines))
      this.#parts.push([files[0]?.path ?? '', this.rootOffset, bytes.length])
      this.rootOffset += bytes.length
      yield bytes
    }
    yield Buffer.from(JSON.stringify(this.#parts))
  }
}
