import { type ListedEntry, type OpenPart, readEntries } from '../../pipelines/index.ts'
import { PublishProblem } from './problem.ts'

/** A file that is to be published, as the list of its archive describes it. */
export type ListedFile = {
  /** Below the published folder, without a slash at its beginning. */
  path: string
  sizeBytes: number
  compressedBytes: number
  isCompressed: boolean
  headerOffset: number
}

/** What a site may have at the most (contract 24, Limits). */
export type SiteLimits = { sizeBytes: number; entries: number }

/** Longer paths are found by no request. */
const longestPath = 1024
const regularFile = 0o100000

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws PublishProblem for a name that is no path below a folder */
function pathOf(name: Buffer): string {
  if (name.length > longestPath) throw new PublishProblem('the name of a file is too long')
  let path: string
  try {
    path = utf8.decode(name)
  } catch {
    throw new PublishProblem('the name of a file is not in UTF-8')
  }
  const segments = path.replace(/\/$/, '').split('/')
  const isPath = !segments.some((segment) => segment === '' || segment === '.' || segment === '..')
  if (!isPath || path.includes('\\') || path.includes('\u0000'))
    throw new PublishProblem('the name of a file is no path')
  return path
}

/** Whether an entry is a file with content: not a folder, a link or a device. */
const isFile = (entry: ListedEntry, path: string) =>
  !path.endsWith('/') && (entry.fileType === 0 || entry.fileType === regularFile)

/** Collects the files of a folder from the entries of an archive, one after another. */
class Listing {
  readonly files: ListedFile[] = []
  readonly #names = new Set<string>()
  readonly #folder: string
  readonly #limits: SiteLimits
  #sizeBytes = 0

  constructor(folder: string, limits: SiteLimits) {
    this.#folder = `${folder}/`
    this.#limits = limits
  }

  /** @throws PublishProblem */
  add(entry: ListedEntry): void {
    const path = pathOf(entry.name)
    if (this.#names.has(path)) throw new PublishProblem('the archive has a file twice')
    this.#names.add(path)
    if (this.#names.size > this.#limits.entries) throw new PublishProblem('the archive has too many files')
    if (entry.isEncrypted) throw new PublishProblem('a file of the archive is encrypted')
    if (path.startsWith(this.#folder) && isFile(entry, path)) this.#publish(entry, path.slice(this.#folder.length))
  }

  #publish(entry: ListedEntry, path: string): void {
    const { place, sizeBytes } = entry
    if (!place) throw new PublishProblem('a file of the archive is compressed in an unknown way')
    this.#sizeBytes += sizeBytes
    if (this.#limits.sizeBytes > 0 && this.#sizeBytes > this.#limits.sizeBytes) {
      throw new PublishProblem('the site is larger than allowed')
    }
    this.files.push({ path, sizeBytes, ...place })
  }
}

/**
 * The files of a folder of an archive (contract 24, Pages: what is published).
 * @param folder without a slash at its end
 * @throws PublishProblem for an archive that is refused
 */
export async function listFiles(
  open: OpenPart,
  directory: { offset: number; length: number },
  folder: string,
  limits: SiteLimits,
): Promise<ListedFile[]> {
  const listing = new Listing(folder, limits)
  await readEntries(open, directory, (entry) => {
    listing.add(entry)
    return undefined
  })
  if (listing.files.length === 0) throw new PublishProblem(`the archive has no folder ${folder} with files`)
  return listing.files
}
