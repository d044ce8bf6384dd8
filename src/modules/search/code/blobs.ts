import { type Page, pageOfList } from '../../../api/index.ts'
import { treePath } from '../../../infra/git/index.ts'
import type { Entry } from '../../../infra/text-index/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Search } from '../types.ts'
import { withinBounds } from './bounds.ts'
import { indexedFiles } from './code-index.ts'
import { excerptsOf } from './excerpts.ts'
import { largestFile, searchableContent } from './files.ts'
import { type FileQuery, fileQuery } from './query.ts'
import { type RepositoryKind, repositoriesFor, type SearchedRepository } from './repositories.ts'

/** So many lines are shown of a file that is found by its name. */
const linesShown = 3

const refusals = {
  code: 'Scope supported only with advanced search or exact code search',
  wiki: 'Scope supported only with advanced search',
} as const

/** A part of a file (contract 25, "Search"). */
type FoundBlob = {
  /** The path without its extension. */
  basename: string
  data: string
  path: string
  filename: string
  id: null
  ref: string
  /** The number of the first line of `data`. */
  startline: number
  project_id: number
}

/** Where a search has found something: lines of a file, or only its name. */
type Hit = { repository: SearchedRepository; path: string; lines: readonly string[] | null; startLine: number }

/** Remembers which files are small enough to be searched. */
function smallFiles({ repository, commit }: SearchedRepository) {
  const known = new Map<string, boolean>()
  return async (path: string): Promise<boolean> => {
    const seen = known.get(path)
    if (seen !== undefined) return seen
    const name = treePath(path)
    const entry = name && (await repository.entryAt(commit, name))
    const info = entry && (await repository.object(entry.oid))
    const isSmall = info?.type === 'blob' && info.sizeBytes <= largestFile
    known.set(path, isSmall)
    return isSmall
  }
}

/** Where a phrase stands in the files of a repository. */
async function* inContents(searched: SearchedRepository, { phrase, admits }: FileQuery, signal: AbortSignal) {
  const isSmall = smallFiles(searched)
  for await (const { path, lines } of searched.repository.grep(searched.commit, phrase, signal)) {
    if (!admits(path) || !(await isSmall(path))) continue
    yield { repository: searched, path, lines: lines.map(({ text }) => text), startLine: lines[0]?.line ?? 1 }
  }
}

/** The files in whose name a phrase stands. */
async function* inNames(searched: SearchedRepository, { phrase, admits }: FileQuery, signal: AbortSignal) {
  const tree = (await searched.repository.commits([searched.commit])).get(searched.commit)?.treeOid
  if (!tree) return
  const wanted = phrase.toLowerCase()
  for await (const { type, path, name } of searched.repository.walkTree(tree, '', { signal })) {
    const isFound = type === 'blob' && name.toLowerCase().includes(wanted) && admits(path)
    if (isFound) yield { repository: searched, path, lines: null, startLine: 1 }
  }
}

/** What is found by reading all files and names. @param limit of hits */
async function hitsInAll(searched: SearchedRepository, query: FileQuery, limit: number, signal: AbortSignal) {
  const hits: Hit[] = []
  const paths = new Set<string>()
  for (const find of [inContents, inNames]) {
    for await (const hit of find(searched, query, signal)) {
      if (hits.length >= limit) break
      if (hit.lines === null && paths.has(hit.path)) continue
      paths.add(hit.path)
      hits.push(hit)
    }
  }
  return hits
}

/** Where a phrase stands in a file, or in its name. */
async function hitsOf(repository: SearchedRepository, phrase: string, { name: path, key }: Entry): Promise<Hit[]> {
  const content = phrase === '' ? null : await searchableContent(repository.repository, key)
  const excerpts = content ? excerptsOf(content.toString('utf8'), phrase) : []
  if (excerpts.length > 0) return excerpts.map((excerpt) => ({ repository, path, ...excerpt }))
  const isNamed = path
    .slice(path.lastIndexOf('/') + 1)
    .toLowerCase()
    .includes(phrase.toLowerCase())
  return isNamed ? [{ repository, path, lines: null, startLine: 1 }] : []
}

/** What is found with the index of a repository; null where it has none. @param limit of hits */
async function hitsByIndex(
  platform: Platform,
  searched: SearchedRepository,
  { phrase, admits }: FileQuery,
  limit: number,
  signal: AbortSignal,
) {
  const candidates = await indexedFiles(platform, searched, phrase)
  if (!candidates) return null
  const hits: Hit[] = []
  for await (const entries of candidates) {
    signal.throwIfAborted()
    const admitted = entries.filter(({ name }) => admits(name))
    hits.push(...(await Promise.all(admitted.map((entry) => hitsOf(searched, phrase, entry)))).flat())
    if (hits.length >= limit) break
  }
  return hits.slice(0, limit)
}

/** What is found in one repository, by path. @param limit of hits */
async function hitsIn(
  platform: Platform,
  searched: SearchedRepository,
  query: FileQuery,
  limit: number,
  signal: AbortSignal,
) {
  const hits =
    (await hitsByIndex(platform, searched, query, limit, signal)) ?? (await hitsInAll(searched, query, limit, signal))
  return hits.toSorted((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0))
}

/** The first lines of a file; none of one that is large or binary. */
async function firstLines({ repository, commit }: SearchedRepository, path: string): Promise<string[]> {
  const name = treePath(path)
  const entry = name && (await repository.entryAt(commit, name))
  const content = entry && (await searchableContent(repository, entry.oid))
  return content ? content.toString('utf8').split('\n', linesShown) : []
}

async function presentHit({ repository, path, lines, startLine }: Hit): Promise<FoundBlob> {
  const data = lines ?? (await firstLines(repository, path))
  return {
    basename: path.replace(/(?<=[^/])\.[^./]*$/, ''),
    data: data.map((line) => `${line}\n`).join(''),
    ...{ path, filename: path, id: null, ref: repository.ref, startline: startLine },
    project_id: repository.project.id,
  }
}

/** @throws ApiError 400, 408, 503 */
async function findIn(search: Search, kind: RepositoryKind): Promise<Page<object>> {
  const { platform, params, page } = search
  const { searchHits: most } = platform.config
  const query = fileQuery(params.search)
  return withinBounds(platform, async (signal) => {
    const hits: Hit[] = []
    for await (const repository of repositoriesFor(search, kind, refusals[kind])) {
      signal.throwIfAborted()
      if (hits.length > most) break
      hits.push(...(await hitsIn(platform, repository, query, most + 1 - hits.length, signal)))
    }
    const { total, ...shown } = pageOfList(hits.slice(0, most), page)
    const items = await Promise.all(shown.items.map(presentHit))
    return { ...shown, items, ...(hits.length <= most && { total }) }
  })
}

/** Files of repositories by a phrase in them or in their name (contract 25, "Search"). */
export const findBlobs = (search: Search): Promise<Page<object>> => findIn(search, 'code')

/** Pages of wikis, likewise. */
export const findWikiBlobs = (search: Search): Promise<Page<object>> => findIn(search, 'wiki')
