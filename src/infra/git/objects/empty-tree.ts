import type { Oid } from '../model/names.ts'

const EMPTY_TREE_SHA1 = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as Oid
const EMPTY_TREE_SHA256 = '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321' as Oid

/** The id of the empty tree, which git knows without storing it. @param like any id of the repository, for the format */
export function emptyTree(like: Oid): Oid {
  return like.length === EMPTY_TREE_SHA1.length ? EMPTY_TREE_SHA1 : EMPTY_TREE_SHA256
}
