import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing, namesIn } from '../../files/index.ts'
import { compareByBytes } from '../model/ref-snapshot.ts'

/** A larger file is read by git in less time than here. */
const maximumBytes = 256 * 1024

export type PackedRef = { readonly name: string; readonly oid: string }

/**
 * Reads the refs below some folders of refs, such as `refs/notes`, without a process, sorted by the bytes of their names.
 * @returns null where git has to list them: some are files of their own, `packed-refs` is large, or a name is not UTF-8
 */
export async function packedRefsBelow(directory: string, folders: readonly string[]): Promise<PackedRef[] | null> {
  // First the folders: a ref that is packed meanwhile is in the file before it leaves its folder.
  const loose = await Promise.all(folders.map((folder) => namesIn(join(directory, folder))))
  if (loose.some((names) => names.length > 0)) return null
  const path = join(directory, 'packed-refs')
  const sizeBytes = (await stat(path).catch(ignoreMissing))?.size ?? 0
  if (sizeBytes > maximumBytes) return null
  const text = (await readFile(path, 'utf8').catch(ignoreMissing)) ?? ''
  if (text.includes('\ufffd')) return null
  const refs = text.split('\n').flatMap((line) => {
    const [oid = '', name = ''] = line.split(' ', 2)
    return folders.some((folder) => name.startsWith(`${folder}/`)) ? [{ name, oid }] : []
  })
  return refs.sort((a, b) => compareByBytes(a.name, b.name))
}
