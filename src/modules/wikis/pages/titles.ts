import { type TreePath, treePath } from '../../../infra/git/index.ts'

/** Maximal length of a page's name, in bytes; file systems accept it with any extension. */
const pageBytes = 245
const directoryBytes = 255
const pathBytes = 4_000

/** The parts of a title without surrounding blanks and repeated blanks; empty parts are dropped. */
function partsOf(title: string): string[] {
  const parts = title.split('/').map((part) => part.trim().replace(/\s+/gu, ' '))
  return parts.filter((part) => part !== '')
}

/** The slug of a title: blanks become dashes, slashes separate directories (contract 22, x.wikis_create). */
export function slugOfTitle(title: string): string {
  return partsOf(title).join('/').replaceAll(' ', '-')
}

/** The title of a page: the last part of its slug, with blanks in place of dashes. */
export function titleOfSlug(slug: string): string {
  return slug.slice(slug.lastIndexOf('/') + 1).replaceAll('-', ' ')
}

/** The directory of a page, with a slash at its end; empty for the root. */
function directoryOf(slug: string): string {
  return slug.slice(0, slug.lastIndexOf('/') + 1)
}

/** The slug after a change of title: in the page's directory, or from the root for a title with a slash. */
export function movedSlug(slug: string, title: string): string {
  const wanted = slugOfTitle(title)
  return title.includes('/') || wanted === '' ? wanted : `${directoryOf(slug)}${wanted}`
}

/** Attached files are each in a directory of their own and are never pages. */
const attachments = /^uploads\/[0-9a-f]{32}(?:\/|$)/

/** Whether a path belongs to an attached file. */
function isAttachmentPath(path: string): boolean {
  return attachments.test(path)
}

/** Whether a slug is a valid path without control characters, outside the attachments. */
export function isPageSlug(slug: string): boolean {
  return treePath(slug) !== null && !isAttachmentPath(slug) && !/[\p{Cc}\u2028\u2029]/u.test(slug)
}

/** The path of a page's file; null for an invalid slug. */
export function pathOfPage(slug: string, ending: string): TreePath | null {
  return isPageSlug(slug) ? treePath(`${slug}.${ending}`) : null
}

/** The problems of a slug made from a title (contract 22, x.wikis_create). */
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
