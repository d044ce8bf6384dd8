import { compareByBytes, type Oid, type Repository, type TreeEntry, type TreePath } from '../../../infra/git/index.ts'
import { type Format, formatOf, rankOf } from './formats.ts'
import { isPageSlug, pathOfPage } from './titles.ts'

/** A page as a file of the wiki's repository. */
export type PageFile = { slug: string; format: Format; path: TreePath; oid: Oid; ending: string }

/** The commit from which pages are read. */
export type PageSource = { repository: Repository; commit: Oid }

const fileModes: readonly string[] = ['100644', '100755']
/** Replaces bytes that are not UTF-8; a file with such a name cannot be requested. */
const replaced = '\ufffd'

/** The slug of a name; files pushed by git may have blanks in their names. */
const dashed = (name: string) => name.replaceAll(' ', '-')

/** The page of a tree entry; null for directories, links, submodules and other files. */
export function pageOf({ path, name, mode, oid }: TreeEntry): PageFile | null {
  const dot = name.lastIndexOf('.')
  const ending = name.slice(dot + 1)
  const format = dot > 0 && fileModes.includes(mode) ? formatOf(ending) : undefined
  const stem = path.slice(0, path.length - name.length + dot)
  const slug = dashed(stem)
  if (!format || path.includes(replaced) || !isPageSlug(slug)) return null
  return { slug, format, path: path as TreePath, oid, ending }
}

/** Orders files with the same slug, the page first: names without blanks, then by format, then by bytes. */
function precedence(a: PageFile, b: PageFile): number {
  const blanks = Number(a.path.includes(' ')) - Number(b.path.includes(' '))
  return blanks || rankOf(a.ending) - rankOf(b.ending) || compareByBytes(a.path, b.path)
}

/** Limits the directories that match one slug: a dash also matches a blank. */
const directoriesAtOnce = 20

type Directory = { oid: Oid; path: string }

async function entriesOf(repository: Repository, { oid, path }: Directory): Promise<readonly TreeEntry[]> {
  return (await repository.treeEntries(oid, path)) ?? []
}

/** The directories that match the parts of a slug; mostly one. */
async function directoriesOf({ repository, commit }: PageSource, parts: readonly string[]): Promise<Directory[]> {
  const exact = await repository.entryAt(commit, parts.join('/') as TreePath | '')
  const isExactAlone = !parts.some((part) => part.includes('-'))
  if (isExactAlone) return exact?.type === 'tree' ? [{ oid: exact.oid, path: parts.join('/') }] : []
  const root = await repository.entryAt(commit, '')
  let found: Directory[] = root ? [{ oid: root.oid, path: '' }] : []
  for (const part of parts) {
    const next: Directory[] = []
    for (const directory of found) {
      const entries = await entriesOf(repository, directory)
      next.push(...entries.filter(({ type, name }) => type === 'tree' && dashed(name) === part))
    }
    next.sort((a, b) => Number(a.path.includes(' ')) - Number(b.path.includes(' ')))
    found = next.slice(0, directoriesAtOnce)
  }
  return found
}

/** The page of a slug, which may contain blanks; null for an unknown page. */
export async function findPage(source: PageSource, text: string): Promise<PageFile | null> {
  const slug = dashed(text)
  const usual = pathOfPage(slug, 'md')
  if (!usual) return null
  const entry = await source.repository.entryAt(source.commit, usual)
  const page = entry && pageOf(entry)
  if (page) return page
  const found: PageFile[] = []
  for (const directory of await directoriesOf(source, slug.split('/').slice(0, -1))) {
    for (const one of await entriesOf(source.repository, directory)) {
      const candidate = pageOf(one)
      if (candidate?.slug === slug) found.push(candidate)
    }
  }
  return found.sort(precedence)[0] ?? null
}

/** Limits for the list of a wiki's pages: nested copies of a tree can multiply its entries without limit. */
const maximumEntries = 200_000
const maximumPages = 50_000

/** The pages of a wiki in order of the bytes of their slugs, each slug once. */
export async function listPages({ repository, commit }: PageSource, signal: AbortSignal): Promise<PageFile[]> {
  const root = await repository.entryAt(commit, '')
  if (!root) return []
  const pages = new Map<string, PageFile>()
  let entries = 0
  for await (const entry of repository.walkTree(root.oid, '', { signal })) {
    entries += 1
    if (entries > maximumEntries || pages.size >= maximumPages) break
    const page = pageOf(entry)
    if (!page) continue
    const other = pages.get(page.slug)
    if (!other || precedence(page, other) < 0) pages.set(page.slug, page)
  }
  return [...pages.values()].sort((a, b) => compareByBytes(a.slug, b.slug))
}

/** Maximal length of the shown text, in bytes; pages written through the API are shorter. */
const shownBytes = 10 * 1024 * 1024

/** The text of a page. Bytes that are not UTF-8 are replaced; a huge file pushed by git is cut. */
export async function textOf(repository: Repository, { oid }: PageFile): Promise<string> {
  const info = await repository.object(oid)
  if (info && info.sizeBytes <= shownBytes) {
    return (await repository.readObject(oid, { maxBytes: shownBytes }))?.content.toString('utf8') ?? ''
  }
  const blob = await repository.streamBlob(oid)
  if (!blob) return ''
  const chunks: Buffer[] = []
  let readBytes = 0
  for await (const chunk of blob.stream as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    readBytes += chunk.length
    if (readBytes >= shownBytes) break
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks).subarray(0, shownBytes), {
    stream: true,
  })
}
