/** Reads repositories file by file while they are in use, and makes them again from such files. For backups. */
import { createReadStream } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { forEachOf, ignoreMissing, namesIn, syncTree, writeDurably } from '../../files/index.ts'
import { handled } from '../../streams/index.ts'
import { GitError } from '../model/errors.ts'
import type { RefName } from '../model/names.ts'
import type { ObjectFormat } from '../model/types.ts'
import { packedRefsHeader } from '../refs/all-refs.ts'
import { configFile, makeBeside } from '../writing/create.ts'

const FAN_OUT = /^[0-9a-f]{2}$/
const LOOSE_OBJECT = /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/
const PACK_INDEX = /^(pack-(?:[0-9a-f]{40}|[0-9a-f]{64}))\.idx$/
/** The index is last: it makes a pack readable. `mtimes` marks a pack of unreachable objects. */
const PACK_PARTS = ['pack', 'rev', 'bitmap', 'mtimes', 'idx']
const OBJECT_FILE =
  /^(?:[0-9a-f]{2}\/(?:[0-9a-f]{38}|[0-9a-f]{62})|pack\/pack-(?:[0-9a-f]{40}|[0-9a-f]{64})\.(?:pack|rev|bitmap|mtimes|idx))$/
const READ_BYTES = 256 * 1024
/** Each file waits for the disk. */
const FILES_AT_ONCE = 16

/** A file of the object store. It never changes. */
export type ObjectFile = {
  /** Relative to `objects`, such as `pack/pack-….idx`. */
  name: string
  sizeBytes: number
  read(): Readable
}

/** Whether a name is one of an `ObjectFile`. */
export function isObjectFile(name: string): boolean {
  return OBJECT_FILE.test(name)
}

/**
 * Yields the files of the object store in a fixed order: loose objects, then packs. Quarantines, locks and what can be derived are
 * left out. Objects may be added meanwhile; while they are packed, files vanish and their reading fails.
 */
export async function* objectFiles(directory: string): AsyncGenerator<ObjectFile> {
  const objects = join(directory, 'objects')
  for (const folder of (await namesIn(objects)).filter((name) => FAN_OUT.test(name)).sort()) {
    const names = (await namesIn(join(objects, folder))).filter((name) => LOOSE_OBJECT.test(name)).sort()
    for (const name of names) yield* fileOf(objects, `${folder}/${name}`)
  }
  const names = new Set(await namesIn(join(objects, 'pack')))
  for (const name of [...names].sort()) {
    const base = PACK_INDEX.exec(name)?.[1]
    if (!base) continue
    const parts = PACK_PARTS.map((ending) => `${base}.${ending}`).filter((part) => names.has(part))
    for (const part of parts) yield* fileOf(objects, `pack/${part}`)
  }
}

async function* fileOf(objects: string, name: string): AsyncGenerator<ObjectFile> {
  const path = join(objects, name)
  const found = await stat(path).catch(ignoreMissing)
  if (!found) return
  yield { name, sizeBytes: found.size, read: () => handled(createReadStream(path, { highWaterMark: READ_BYTES })) }
}

type Restored = {
  head: RefName
  objectFormat: ObjectFormat
  /** As `readAllRefs` returns them. */
  refs: string
  /** The files of the object store, each with its content. */
  files: AsyncIterable<{ name: string; content: AsyncIterable<Uint8Array> }>
}

/**
 * Makes a repository from its refs and the files of its object store, durably and all at once.
 * @throws GitError `repository_exists`; `invalid_input` for a file that does not belong to an object store
 */
export async function restoreRepository(directory: string, { head, objectFormat, refs, files }: Restored) {
  const fill = async (made: string) => {
    for (const path of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']) {
      await mkdir(join(made, path), { recursive: true })
    }
    await writeDurably(join(made, 'config'), configFile(objectFormat))
    await writeDurably(join(made, 'HEAD'), `ref: ${head}\n`)
    if (refs !== '') await writeDurably(join(made, 'packed-refs'), `${packedRefsHeader}${refs}`)
    await forEachOf(files, FILES_AT_ONCE, async ({ name, content }) => {
      if (!isObjectFile(name)) throw new GitError('invalid_input', `not a file of an object store: ${name}`)
      await writeContent(join(made, 'objects', name), content)
    })
    await syncTree(made)
  }
  await makeBeside(directory, fill, 'throw')
}

async function writeContent(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await using file = await open(path, 'wx', 0o444)
  for await (const chunk of content) await file.writeFile(chunk)
  await file.sync()
}
