import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListedObject } from '../object-store.ts'
import { isSegment, parseStorageKey } from '../storage-key.ts'
import { ignoreAbsent } from './files.ts'

/**
 * Yields the objects below `folder`, sorted by key. Holds the names of one folder at a time per level.
 * @param prefix key of the folder with a `/` at its end, empty for the root
 */
export async function* listObjects(folder: string, prefix: string): AsyncGenerator<ListedObject> {
  for (const { name, isFolder } of await entriesOf(folder, prefix === '')) {
    const path = join(folder, name)
    if (isFolder) {
      yield* listObjects(path, `${prefix}${name}/`)
      continue
    }
    const found = await stat(path).catch(ignoreAbsent)
    if (found) yield { key: parseStorageKey(prefix + name), sizeBytes: found.size, modifiedAt: found.mtime }
  }
}

async function entriesOf(folder: string, isRoot: boolean): Promise<{ name: string; isFolder: boolean }[]> {
  const entries: { name: string; isFolder: boolean; order: string }[] = []
  for await (const entry of (await opendir(folder).catch(ignoreAbsent)) ?? []) {
    const isFolder = entry.isDirectory()
    // Other names do not belong to objects: `.writing`, `lost+found`, an editor's copy.
    const isOurs = (isFolder || entry.isFile()) && isSegment(entry.name) && !(isRoot && entry.name.startsWith('.'))
    if (isOurs) entries.push({ name: entry.name, isFolder, order: isFolder ? `${entry.name}/` : entry.name })
  }
  return entries.sort((a, b) => (a.order < b.order ? -1 : 1))
}
