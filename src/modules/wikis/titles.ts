import { type TreePath, treePath } from '../../infra/git/index.ts'

/** Bytes that the name of a page may have; with an ending it still is a name that file systems take. */
const pageBytes = 245
const directoryBytes = 255
const pathBytes = 4_000

/** A title as its parts: blanks around each are dropped, those in between become one; empty parts count for nothing. */
function partsOf(title: string): string[] {
  const parts = title.split('/').map((part) => part.trim().replace(/\s+/gu, ' '))
  return parts.filter((part) => part !== '')
}

/** The slug of a title: blanks become dashes, a slash leads into a directory (contract 22, x.wikis_create). */
export function slugOfTitle(title: string): string {
  return partsOf(title).join('/').replaceAll(' ', '-')
}

/** What a page is called: the last part of its slug, with its dashes as the blanks that they stand for. */
export function titleOfSlug(slug: string): string {
  return slug.slice(slug.lastIndexOf('/') + 1).replaceAll('-', ' ')
}

/** The directory of a page, with a slash at its end; empty for the root. */
export function directoryOf(slug: string): string {
  return slug.slice(0, slug.lastIndexOf('/') + 1)
}

/**
 * The slug that a page gets by a new title: a plain one keeps it in its directory, one with a slash leads from the root.
 * @param slug the page's own
 */
export function movedSlug(slug: string, title: string): string {
  const wanted = slugOfTitle(title)
  return title.includes('/') || wanted === '' ? wanted : `${directoryOf(slug)}${wanted}`
}

/** Attached files lie here, each in a directory of its own; they are no pages, whatever they are called. */
const attachments = /^uploads\/[0-9a-f]{32}(?:\/|$)/

/** Whether a path is one of an attached file. */
export function isAttachmentPath(path: string): boolean {
  return attachments.test(path)
}

/** Whether a slug may be that of a page: it leads nowhere else, and hides nothing. */
export function isPageSlug(slug: string): boolean {
  return treePath(slug) !== null && !isAttachmentPath(slug) && !/[\p{Cc}\u2028\u2029]/u.test(slug)
}

/** The path of a page's file; null where there can be none. */
export function pathOfPage(slug: string, ending: string): TreePath | null {
  return isPageSlug(slug) ? treePath(`${slug}.${ending}`) : null
}

/** What is wrong with a slug that a title has given (contract 22, x.wikis_create). */
export function titleProblems(slug: string): string[] {
  if (slug === '') return ["can't be blank"]
  const parts = slug.split('/')
  const name = parts.pop() ?? ''
  if (Buffer.byteLength(name) > pageBytes) return [`exceeds the limit of ${pageBytes} bytes`]
  if (Buffer.byteLength(slug) > pathBytes) return [`exceeds the limit of ${pathBytes} bytes for the whole path`]
  const long = parts.filter((part) => Buffer.byteLength(part) > directoryBytes)
  if (long.length > 0) {
    return long.map((part) => `exceeds the limit of ${directoryBytes} bytes for directory name "${part}"`)
  }
  return isPageSlug(slug) ? [] : ['is invalid']
}
