/** The dangerous strings of git, each a branded type that is built in exactly one place (design ground rule 11). */
import { randomBytes } from 'node:crypto'
import type { ObjectFormat } from './object-kinds.ts'

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** 40 (SHA-1) or 64 (SHA-256) lowercase hexadecimal digits. */
export type Oid = Branded<'Oid'>
/** A legal ref name, always beginning with `refs/`. */
export type RefName = Branded<'RefName'>
/** A path inside a tree: relative, normalised, never leading into `.git`. */
export type TreePath = Branded<'TreePath'>
/** A repository's path under its storage. */
export type DiskPath = Branded<'DiskPath'>

const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
/** Control characters, DEL, space and the characters with a meaning in revisions (git check-ref-format). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const FORBIDDEN_IN_REF = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/
const HASHED_PATH = /^@hashed\/([0-9a-f]{2})\/([0-9a-f]{2})\/(\1\2[0-9a-f]{60})\.git$/

const COMPONENT_BYTES = 255
const NAME_BYTES = 1_024
const PATH_BYTES = 4_096

/** The id that stands for "no object", SHA-1. */
export const ZERO_SHA1 = '0'.repeat(40) as Oid
/** The id that stands for "no object", SHA-256. */
export const ZERO_SHA256 = '0'.repeat(64) as Oid

/** The id that stands for "no object" in a repository of that format. */
export function zeroOid(format: ObjectFormat = 'sha1'): Oid {
  return format === 'sha1' ? ZERO_SHA1 : ZERO_SHA256
}

/** Whether an id is the zero id of either format. */
export function isZeroOid(oid: Oid): boolean {
  return oid === ZERO_SHA1 || oid === ZERO_SHA256
}

/** A full object id in lowercase, or null. */
export function parseOid(text: string): Oid | null {
  return OID.test(text) ? (text as Oid) : null
}

/**
 * A full ref name (`refs/heads/main`), or null. The rules of `git check-ref-format`, plus: begins with `refs/`, is
 * well-formed Unicode, each component at most 255 bytes, the whole at most 1,024 bytes after `refs/heads/` (contract 01 "Names").
 */
export function refName(text: string): RefName | null {
  if (!text.startsWith('refs/') || text.length <= 'refs/'.length) return null
  if (FORBIDDEN_IN_REF.test(text) || !text.isWellFormed()) return null
  if (Buffer.byteLength(text) > NAME_BYTES + 'refs/heads/'.length) return null
  const legal = text.split('/').every(isLegalComponent)
  return legal ? (text as RefName) : null
}

function isLegalComponent(component: string): boolean {
  if (component === '' || component.startsWith('.') || component.endsWith('.lock')) return false
  return Buffer.byteLength(component) <= COMPONENT_BYTES
}

/** The ref of a branch name, or null when the name is illegal (contract 01 "Names"). */
export function branchRef(name: string): RefName | null {
  return isLegalShortName(name) ? refName(`refs/heads/${name}`) : null
}

/** The ref of a tag name, or null when the name is illegal: the same rules as for branches. */
export function tagRef(name: string): RefName | null {
  return isLegalShortName(name) ? refName(`refs/tags/${name}`) : null
}

function isLegalShortName(name: string): boolean {
  if (name === '' || name === 'HEAD' || name === '@' || name.startsWith('-')) return false
  if (name.startsWith('refs/heads/') || name.startsWith('refs/remotes/')) return false
  return Buffer.byteLength(name) <= NAME_BYTES
}

/** `main` for `refs/heads/main`, null for a ref that is no branch. */
export function branchName(ref: RefName): string | null {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null
}

/** `v1` for `refs/tags/v1`, null for a ref that is no tag. */
export function tagName(ref: RefName): string | null {
  return ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : null
}

/** What people call a ref: the branch or tag name, else the full name. */
export function shortRefName(ref: RefName): string {
  return branchName(ref) ?? tagName(ref) ?? ref
}

/**
 * A file's path inside a tree, or null: empty, absolute, with `.`/`..`/empty components, NUL, too long, or with a component that
 * some file system takes for `.git` (the same aliases that `git fsck` refuses).
 */
export function treePath(text: string): TreePath | null {
  if (text === '' || text.includes('\0') || !text.isWellFormed()) return null
  if (Buffer.byteLength(text) > PATH_BYTES) return null
  const legal = text.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !isDotGit(part))
  return legal ? (text as TreePath) : null
}

/** Code points that HFS+ ignores in a file name. */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Whether Windows or macOS would open `.git` by this name: `.GIT`, `git~1`, `.git `, `.git.`, `.git::$INDEX_ALLOCATION`, `.g\u200cit`. */
function isDotGit(component: string): boolean {
  if (component.replace(HFS_IGNORED, '').toLowerCase() === '.git') return true
  return component.split('\\').some((part) => /^(?:\.git|git~1)[ .]*(?:$|:)/i.test(part))
}

/**
 * A path for a new repository, named by 256 random bits. A path is never reused: not by a database restored from a backup,
 * nor after a removal, so a new project cannot find the files of another one. A rename of the project does not change it.
 */
export function newDiskPath(): DiskPath {
  const key = randomBytes(32).toString('hex')
  return `@hashed/${key.slice(0, 2)}/${key.slice(2, 4)}/${key}.git` as DiskPath
}

/** A stored disk path, or null when it is not of the form that `newDiskPath` makes. */
export function diskPath(text: string): DiskPath | null {
  return HASHED_PATH.test(text) ? (text as DiskPath) : null
}
