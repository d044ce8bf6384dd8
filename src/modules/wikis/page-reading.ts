import { Readable } from 'node:stream'
import { notFound, type StreamedJson, streamedJson, weakEtag } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now } from '../../infra/database/index.ts'
import { resolveRevision } from '../commits/index.ts'
import { findPage, listPages, type PageFile, type PageSource, textOf } from './pages.ts'
import { type PresentedListedPage, type PresentedPage, pageHtml, presentListed, presentPage } from './present.ts'
import type { WikiOwner, WikiRepositories } from './repository.ts'
import { givePageIds, pageIds } from './store.ts'

export type PageReadingNeeds = {
  database: Database
  clock: Clock
  repositories: WikiRepositories
  renderMarkdown(text: string): string
}

/** Reads the pages of wikis (contract 22, x.wikis_list, x.wikis_get and those of groups). */
export type PageReading = ReturnType<typeof createPageReading>

/** Where pages are read, and under which numbers they are known. */
type Source = PageSource & { repositoryId: number }

/** Pages whose numbers are looked up at once while a list with content is being sent. */
const pagesAtOnce = 500

export function createPageReading({ database, clock, repositories, renderMarkdown }: PageReadingNeeds) {
  /** The numbers of pages; those that came by git get theirs here at the latest. */
  async function numbered(repositoryId: number, slugs: readonly string[]): Promise<(slug: string) => number> {
    let known = await pageIds(database.read, repositoryId, slugs)
    const missing = slugs.filter((slug) => !known.has(slug))
    if (missing.length > 0) {
      await database.write((tx) => givePageIds(tx, repositoryId, missing, now(clock)))
      known = await pageIds(database.read, repositoryId, slugs)
    }
    return (slug) => known.get(slug) ?? 0
  }

  /** A wiki at the commit that a version means, or at its newest; null when there is nothing. */
  async function sourceOf(owner: WikiOwner, version?: string): Promise<Source | null> {
    const wiki = await repositories.open(owner)
    if (!wiki) return null
    const { row, repository } = wiki.opened
    const commit = version ? await resolveRevision(wiki.opened, version) : wiki.head
    return commit && { repository, repositoryId: row.id, commit }
  }

  async function* jsonOf(source: Source, pages: readonly PageFile[]): AsyncGenerator<string> {
    yield '['
    for (let start = 0; start < pages.length; start += pagesAtOnce) {
      const portion = pages.slice(start, start + pagesAtOnce)
      const idOf = await numbered(
        source.repositoryId,
        portion.map(({ slug }) => slug),
      )
      for (const [index, page] of portion.entries()) {
        const json = JSON.stringify(presentPage(page, idOf(page.slug), await textOf(source.repository, page)))
        yield start + index === 0 ? json : `,${json}`
      }
    }
    yield ']'
  }

  /** A page as it is shown after a change, or to whoever asked for it. */
  async function show(source: Source, page: PageFile, renderHtml = false): Promise<PresentedPage> {
    const [text, idOf] = await Promise.all([
      textOf(source.repository, page),
      numbered(source.repositoryId, [page.slug]),
    ])
    const content = renderHtml ? pageHtml(page.format, text, renderMarkdown) : text
    return presentPage(page, idOf(page.slug), text, content)
  }

  return {
    show,

    /** Every page of a wiki by slug; with content piece by piece, since all of it together may be a lot. */
    async list(
      owner: WikiOwner,
      { withContent, signal }: { withContent: boolean; signal: AbortSignal },
    ): Promise<PresentedListedPage[] | StreamedJson> {
      const source = await sourceOf(owner)
      if (!source) return []
      const pages = await listPages(source, signal)
      if (withContent) {
        const headers = { ETag: weakEtag(`${source.repositoryId} ${source.commit}`) }
        return streamedJson({ headers, body: async () => Readable.from(jsonOf(source, pages)) })
      }
      const idOf = await numbered(
        source.repositoryId,
        pages.map(({ slug }) => slug),
      )
      return pages.map((page) => presentListed(page, idOf(page.slug)))
    },

    /**
     * A page, of now or as it was at a commit.
     * @throws ApiError 404 `Wiki Page`
     */
    async get(
      owner: WikiOwner,
      slug: string,
      { renderHtml = false, version }: { renderHtml?: boolean; version?: string } = {},
    ): Promise<PresentedPage> {
      const source = await sourceOf(owner, version)
      const page = source && (await findPage(source, slug))
      if (!page) throw notFound('Wiki Page')
      return show(source, page, renderHtml)
    },
  }
}
