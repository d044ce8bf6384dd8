/** ZIP archives of artifacts and caches, in the form of gitlab-runner: with modes and symbolic links. */
import { createWriteStream } from 'node:fs'
import { lstat, mkdir, readlink, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type ZipFile as Archive, type Entry, openPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import { ignoreMissing } from '../../infra/files/index.ts'
import { handled } from '../../infra/streams/index.ts'

/** An archive that is damaged, or that would write outside of its folder. `message` is a sentence. */
export class BadArchive extends Error {}

const typeBits = 0o170000
const linkType = 0o120000
const folderType = 0o040000
const permissionBits = 0o777
/** The longest target of a link, in bytes. */
const longestTarget = 4096

/** Adds a file, a folder or a link. @returns whether it was one of these, and still there */
async function add(zip: ZipFile, root: string, path: string): Promise<boolean> {
  const found = await lstat(join(root, path)).catch(ignoreMissing)
  if (!found) return false
  const { mode, mtime } = found
  if (found.isFile()) zip.addFile(join(root, path), path, { mode, mtime })
  else if (found.isDirectory()) zip.addEmptyDirectory(path, { mode, mtime })
  else if (found.isSymbolicLink()) zip.addBuffer(Buffer.from(await readlink(join(root, path))), path, { mode, mtime })
  else return false
  return true
}

/**
 * Writes an archive of files below a folder.
 * @returns how many it has
 * @throws the reason of the signal
 */
export async function writeZip(file: string, root: string, paths: readonly string[], signal: AbortSignal) {
  const zip = new ZipFile()
  let count = 0
  for (const path of paths) if (await add(zip, root, path)) count += 1
  const { promise: failed, reject } = Promise.withResolvers<never>()
  // A file that vanishes or shrinks meanwhile.
  zip.on('error', reject)
  zip.end()
  const target = handled(createWriteStream(file, { mode: 0o600 }))
  await Promise.race([pipeline(zip.outputStream as Readable, target, { signal }), failed])
  return count
}

/** Creates the folders above a path. Nothing is written through a link: it may lead out of the root. @throws BadArchive */
async function makeFolders(root: string, folder: string, known: Set<string>): Promise<void> {
  if (folder === '.' || known.has(folder)) return
  await makeFolders(root, dirname(folder), known)
  const found = await lstat(join(root, folder)).catch(ignoreMissing)
  if (found && !found.isDirectory()) throw new BadArchive(`${folder} in the archive is a folder, but here it is not`)
  if (!found) await mkdir(join(root, folder))
  known.add(folder)
}

/** @throws BadArchive for a path that yauzl does not know as harmful and that no archive of ours has */
function requireHarmless(path: string): void {
  const parts = path.split('/')
  if (path === '' || parts[0] === '.git' || parts.includes('') || parts.includes('.')) {
    throw new BadArchive(`the archive has the path ${JSON.stringify(path)}, which is refused`)
  }
}

type Extraction = { archive: Archive; root: string; signal: AbortSignal; known: Set<string>; links: [string, string][] }

async function extractEntry({ archive, root, signal, known, links }: Extraction, entry: Entry): Promise<void> {
  const path = entry.fileName.replace(/\/$/, '')
  requireHarmless(path)
  const mode = entry.externalFileAttributes >>> 16
  if (entry.fileName.endsWith('/') || (mode & typeBits) === folderType) return makeFolders(root, path, known)
  await makeFolders(root, dirname(path), known)
  const content = handled(await archive.openReadStreamPromise(entry))
  if ((mode & typeBits) === linkType) {
    if (entry.uncompressedSize > longestTarget) throw new BadArchive(`the link ${path} in the archive is too long`)
    links.push([path, await text(content)])
    return
  }
  // The file is replaced: a link of its name is not followed.
  await rm(join(root, path), { force: true, recursive: true })
  const permissions = mode & permissionBits || 0o644
  await pipeline(content, handled(createWriteStream(join(root, path), { mode: permissions, flags: 'wx' })), { signal })
}

/**
 * Extracts an archive into a folder. Paths that lead out of it, also through links, are refused.
 * @returns how many files it had
 * @throws BadArchive; the reason of the signal
 */
export async function extractZip(file: string, root: string, signal: AbortSignal): Promise<number> {
  try {
    const archive = await openPromise(file)
    const extraction: Extraction = { archive, root, signal, known: new Set(), links: [] }
    let count = 0
    for await (const entry of archive.eachEntry()) {
      signal.throwIfAborted()
      await extractEntry(extraction, entry)
      count += 1
    }
    // Links last, so that no file is written through one of the same archive.
    for (const [path, target] of extraction.links) {
      await rm(join(root, path), { force: true, recursive: true })
      await symlink(target, join(root, path))
    }
    return count
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof BadArchive) throw error
    throw new BadArchive(`the archive cannot be extracted: ${(error as Error).message}`)
  }
}
