/** Parses tree objects: a sequence of `<mode in octal> <name>\0<id in binary>`. */
import { GitError } from '../model/errors.ts'
import type { Oid } from '../model/names.ts'
import type { TreeEntry } from '../model/reading-types.ts'

/** The offsets of an entry's parts. */
export type RawEntry = { mode: number; nameStart: number; nameEnd: number; end: number }

const SPACE = 0x20
const ZERO = 0x30
const FILE_KIND = 0o170000
const TREE_KIND = 0o040000
const SUBMODULE_KIND = 0o160000

/**
 * Parses the entry at an offset. @param tree the id of the tree, which has the same length as the ids inside
 * @throws GitError `command_failed` when the object is damaged
 */
export function parseEntry(content: Buffer, tree: Oid, offset: number): RawEntry {
  let at = offset
  let mode = 0
  for (let byte = content[at]; byte !== SPACE; byte = content[at]) {
    if (byte === undefined || byte < ZERO || byte > ZERO + 7) throw damaged(tree)
    mode = mode * 8 + byte - ZERO
    at += 1
  }
  const nameEnd = content.indexOf(0, at + 1)
  const end = nameEnd + 1 + tree.length / 2
  if (nameEnd < 0 || end > content.length || mode > FILE_KIND + 0o7777) throw damaged(tree)
  return { mode, nameStart: at + 1, nameEnd, end }
}

function damaged(tree: Oid): GitError {
  return new GitError('command_failed', `the tree ${tree} is damaged`)
}

/** Finds the entry with a name. @throws GitError `command_failed` when the object is damaged */
export function findEntry(content: Buffer, tree: Oid, name: Buffer): RawEntry | null {
  const oidBytes = tree.length / 2
  // Allocates nothing for other entries: a directory may have very many.
  for (let offset = 0; offset < content.length; ) {
    const nameStart = content.indexOf(SPACE, offset) + 1
    const nameEnd = content.indexOf(0, nameStart)
    if (nameStart === 0 || nameEnd < 0) throw damaged(tree)
    const hasLength = nameEnd - nameStart === name.length
    if (hasLength && content.compare(name, 0, name.length, nameStart, nameEnd) === 0) {
      return parseEntry(content, tree, offset)
    }
    offset = nameEnd + 1 + oidBytes
  }
  return null
}

/** Converts an entry. @param directory the path of the tree, prepended to the name */
export function treeEntry(content: Buffer, { mode, nameStart, nameEnd, end }: RawEntry, directory: string): TreeEntry {
  const name = content.toString('utf8', nameStart, nameEnd)
  const kind = mode & FILE_KIND
  return {
    name,
    path: directory === '' ? name : `${directory}/${name}`,
    mode: mode.toString(8).padStart(6, '0'),
    type: kind === TREE_KIND ? 'tree' : kind === SUBMODULE_KIND ? 'commit' : 'blob',
    oid: content.toString('hex', nameEnd + 1, end) as Oid,
  }
}

const EMPTY_TREE_SHA1 = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as Oid
const EMPTY_TREE_SHA256 = '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321' as Oid

/** The id of the empty tree, which git knows without storing it. @param like any id of the repository, for the format */
export function emptyTree(like: Oid): Oid {
  return like.length === EMPTY_TREE_SHA1.length ? EMPTY_TREE_SHA1 : EMPTY_TREE_SHA256
}
