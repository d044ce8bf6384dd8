/** Branded types for ids, names and paths. Each is built only here (design ground rule 11). */
import { randomBytes } from 'node:crypto'
import type { ObjectFormat } from './values.ts'

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** 40 (SHA-1) or 64 (SHA-256) lowercase hexadecimal digits. */
export type Oid = Branded<'Oid'>
/** A legal ref name, always beginning with `refs/`. */
export type RefName = Branded<'RefName'>
/** A path in a tree: relative, normalised, never inside `.git`. */
export type TreePath = Branded<'TreePath'>
/** The path of a repository, relative to its storage. */
export type DiskPath = Branded<'DiskPath'>

const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
/** Control characters, DEL, space and the characters with a meaning in revisions (git check-ref-format). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
const FORBIDDEN_IN_REF = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/
const HASHED_PATH = /^@hashed\/([0-9a-f]{2})\/([0-9a-f]{2})\/(\1\2[0-9a-f]{60})\.git$/

const COMPONENT_BYTES = 255
const NAME_BYTES = 1_024
const PATH_BYTES = 4_096

/** The null id of SHA-1 repositories. */
export const ZERO_SHA1 = '0'.repeat(40) as Oid
/** The null id of SHA-256 repositories. */
const ZERO_SHA256 = '0'.repeat(64) as Oid

/** The null id of a format: it stands for a ref that does not exist. */
export function zeroOid(format: ObjectFormat = 'sha1'): Oid {
  return format === 'sha1' ? ZERO_SHA1 : ZERO_SHA256
}

/** Whether an id is the null id of either format. */
export function isZeroOid(oid: Oid): boolean {
  return oid === ZERO_SHA1 || oid === ZERO_SHA256
}

/** Parses a full object id in lowercase. @returns null for other text */
export function parseOid(text: string): Oid | null {
  return OID.test(text) ? (text as Oid) : null
}

/**
 * Parses a full ref name (`refs/heads/main`). @returns null for an illegal name
 * The rules are those of `git check-ref-format`, plus: begins with `refs/`, is
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

/** The ref of a branch. @returns null for an illegal name (contract 01 "Names") */
export function branchRef(name: string): RefName | null {
  return isLegalShortName(name) ? refName(`refs/heads/${name}`) : null
}

/** The ref of a tag. @returns null for an illegal name; the rules are those of branches */
export function tagRef(name: string): RefName | null {
  return isLegalShortName(name) ? refName(`refs/tags/${name}`) : null
}

function isLegalShortName(name: string): boolean {
  if (name === '' || name === 'HEAD' || name === '@' || name.startsWith('-')) return false
  if (name.startsWith('refs/heads/') || name.startsWith('refs/remotes/')) return false
  return Buffer.byteLength(name) <= NAME_BYTES
}

/** The name of a branch (`main` for `refs/heads/main`). @returns null for other refs */
export function branchName(ref: RefName): string | null {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null
}

/** The name of a tag (`v1` for `refs/tags/v1`). @returns null for other refs */
export function tagName(ref: RefName): string | null {
  return ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : null
}

/** The name of a branch or tag; the full name of other refs. */
export function shortRefName(ref: RefName): string {
  return branchName(ref) ?? tagName(ref) ?? ref
}

/**
 * Parses the path of a file in a tree. @returns null for a path that is empty, absolute or too long, contains NUL or a component
 * that is empty, `.`, `..` or an alias of `.git` on some file system (the aliases that `git fsck` refuses)
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

/** Parses a stored disk path. @returns null when it does not have the form of `newDiskPath` */
export function diskPath(text: string): DiskPath | null {
  return HASHED_PATH.test(text) ? (text as DiskPath) : null
}
