import { Readable } from 'node:stream'
import { notFound, type PageRequest, type StreamedJson, streamedJson, weakEtag } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { resolveRevision } from '../../commits/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { UploadOwner } from '../../uploads/index.ts'
import { openWiki, type WikiOwner } from '../repository/repository.ts'
import { givePageIds, pageIds } from '../store.ts'
import { findPage, listPages, type PageFile, type PageSource, textOf } from './pages.ts'
import {
  type PresentedListedPage,
  type PresentedPage,
  pageHtml,
  presentListed,
  presentPage,
  presentVersion,
} from './present.ts'

/** The commit from which pages are read, and the repository whose pages have ids. */
type WikiSource = PageSource & { repositoryId: number }

/** Number of pages whose ids are read at once while a list with content is sent. */
const pagesAtOnce = 500

/** The ids of pages; pages without one, such as those from before an import, get one. */
async function idsOf(
  { database, clock }: Platform,
  repositoryId: number,
  pages: readonly PageFile[],
): Promise<(page: PageFile) => number> {
  const slugs = pages.map(({ slug }) => slug)
  let known = await pageIds(database.read, repositoryId, slugs)
  const missing = slugs.filter((slug) => !known.has(slug))
  if (missing.length > 0) {
    await database.write((tx) => givePageIds(tx, repositoryId, missing, now(clock)))
    known = await pageIds(database.read, repositoryId, slugs)
  }
  return ({ slug }) => known.get(slug) ?? 0
}

/** A wiki at a version, or at its head; null for an unknown version or an empty wiki. */
async function sourceOf(platform: Platform, owner: WikiOwner, version?: string): Promise<WikiSource | null> {
  const wiki = await openWiki(platform, owner)
  if (!wiki) return null
  const { row, repository } = wiki.opened
  const commit = version ? await resolveRevision(wiki.opened, version) : wiki.head
  return commit && { repository, repositoryId: row.id, commit }
}

async function* jsonOf(platform: Platform, source: WikiSource, pages: readonly PageFile[]): AsyncGenerator<string> {
  yield '['
  for (let start = 0; start < pages.length; start += pagesAtOnce) {
    const portion = pages.slice(start, start + pagesAtOnce)
    const idOf = await idsOf(platform, source.repositoryId, portion)
    for (const [index, page] of portion.entries()) {
      const json = JSON.stringify(presentPage(page, idOf(page), await textOf(source.repository, page)))
      yield start + index === 0 ? json : `,${json}`
    }
  }
  yield ']'
}

/**
 * Loads the text and the id of a page, and presents it.
 * @param toHtml how the text is shown; default as it is
 */
export async function showPage(
  platform: Platform,
  { repository, repositoryId }: WikiSource,
  page: PageFile,
  toHtml?: (text: string) => string,
): Promise<PresentedPage> {
  const [text, idOf] = await Promise.all([textOf(repository, page), idsOf(platform, repositoryId, [page])])
  return presentPage(page, idOf(page), text, toHtml?.(text))
}

/** All pages of a wiki by slug (contract 22, x.wikis_list, x.gwikis_list). A list with content is streamed. */
export async function listWikiPages(
  platform: Platform,
  owner: WikiOwner,
  { withContent, signal }: { withContent: boolean; signal: AbortSignal },
): Promise<PresentedListedPage[] | StreamedJson> {
  const source = await sourceOf(platform, owner)
  if (!source) return []
  const pages = await listPages(source, signal)
  if (withContent) {
    const headers = { ETag: weakEtag(`${source.repositoryId} ${source.commit}`) }
    return streamedJson({ headers, body: async () => handled(Readable.from(jsonOf(platform, source, pages))) })
  }
  const idOf = await idsOf(platform, source.repositoryId, pages)
  return pages.map((page) => presentListed(page, idOf(page)))
}

const uploadOwnerOf = ({ project, group }: WikiOwner): UploadOwner =>
  project ? { kind: 'project', id: project.id } : { kind: 'group', id: group.id }

/** A page at a version, or at the head (contract 22, x.wikis_get, x.gwikis_get). @throws ApiError 404 `Wiki Page` */
export async function getPage(
  platform: Platform,
  owner: WikiOwner,
  slug: string,
  { render_html: renderHtml = false, version }: { render_html?: boolean; version?: string } = {},
): Promise<PresentedPage> {
  const source = await sourceOf(platform, owner, version || undefined)
  const page = source && (await findPage(source, slug))
  if (!page) throw notFound('Wiki Page')
  const toHtml = (text: string) => pageHtml(uploadOwnerOf(owner), page.format, text)
  return showPage(platform, source, page, renderHtml ? toHtml : undefined)
}

/** Git reads the number of skipped commits as 32 bits and wraps around beyond. */
const maximumOffset = 2_000_000_000

/**
 * The commits that changed the file of a page, newest first (contract 22, x.wikis_versions, x.gwikis_versions).
 * @throws ApiError 404 `Wiki Page`
 */
export async function listVersions(platform: Platform, owner: WikiOwner, slug: string, page: PageRequest) {
  const source = await sourceOf(platform, owner)
  const found = source && (await findPage(source, slug))
  if (!found) throw notFound('Wiki Page')
  const { repository, commit } = source
  const skip = page.kind === 'offset' ? page.offset : 0
  if (skip > maximumOffset) return { items: [], hasNext: false }
  const oids = await repository.log({ tips: [commit], path: found.path, skip, limit: page.limit + 1 })
  const commits = await repository.commits(oids)
  const items = oids.slice(0, page.limit).flatMap((oid) => {
    const one = commits.get(oid)
    return one ? [presentVersion(one)] : []
  })
  return { items, hasNext: oids.length > page.limit }
}

/** Pages are looked for so long. */
const searchMs = 5_000

/** The first page of the wiki of a project, with the commit from which it is read; null when there is none. */
export async function firstPage(
  platform: Platform,
  project: ProjectRow,
): Promise<{ slug: string; source: PageSource } | null> {
  const source = await sourceOf(platform, { project })
  const [page] = source ? await listPages(source, AbortSignal.timeout(searchMs)) : []
  return source && page ? { slug: page.slug, source } : null
}
