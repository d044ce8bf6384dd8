import { type Actor, invalid, notFound } from '../../api/index.ts'
import type { Oid, TreePath } from '../../infra/git/index.ts'
import { type CommitBase, changesOf, type FileAction } from '../commits/index.ts'
import { endingOf, type WritableFormat } from './formats.ts'
import type { PageReading } from './page-reading.ts'
import { findPage, type PageFile, type PageSource, textOf } from './pages.ts'
import type { PresentedPage } from './present.ts'
import type { OpenedWiki, WikiOwner, WikiRepositories } from './repository.ts'
import { humanSize } from './sizes.ts'
import { movedSlug, pathOfPage, slugOfTitle, titleProblems } from './titles.ts'
import type { WikiWriter } from './writing.ts'

export type PageWritingNeeds = {
  repositories: WikiRepositories
  writer: WikiWriter
  reading: PageReading
  /** Bytes that a page may have (setting `wiki_page_max_content_bytes`). */
  maximumContentBytes(): Promise<number>
}

export type NewPage = { title: string; content: string; format?: WritableFormat }
export type PageChanges = { title?: string; content?: string; format?: WritableFormat }

/** Makes, changes and deletes pages: each time one commit (contract 22 R8). */
export type PageWriting = ReturnType<typeof createPageWriting>

const noPage = () => notFound('Wiki Page')

function pathFor(slug: string, ending: string): TreePath {
  const path = pathOfPage(slug, ending)
  if (!path) throw invalid({ title: ['is invalid'] })
  return path
}

const sourceIn = ({ repository, base }: CommitBase): PageSource | null => base && { repository, commit: base }

/** @throws ApiError 400 when there is a page of that slug already */
async function requireFree(source: PageSource | null, slug: string): Promise<void> {
  const other = source && (await findPage(source, slug))
  if (!other) return
  const sentence = `Duplicate page: A page with that title already exists in the file ${other.path}`
  throw invalid({ base: [sentence] })
}

/** What makes of a page's file the one that is wanted; null when it is that already. */
async function actionFor(
  source: PageSource,
  page: PageFile,
  slug: string,
  { content, format }: PageChanges,
): Promise<FileAction | null> {
  const ending = format === undefined || format === page.format ? page.ending : endingOf(format)
  if (slug !== page.slug) await requireFree(source, slug)
  if (slug !== page.slug || ending !== page.ending) {
    return { action: 'move', file_path: pathFor(slug, ending), previous_path: page.path, content }
  }
  if (content === undefined || content === (await textOf(source.repository, page))) return null
  return { action: 'update', file_path: page.path, content }
}

export function createPageWriting({ repositories, writer, reading, maximumContentBytes }: PageWritingNeeds) {
  /** @throws ApiError 400, form C */
  async function requireValid(slug: string, content: string | undefined): Promise<void> {
    const title = titleProblems(slug)
    const maximum = await maximumContentBytes()
    const size = Buffer.byteLength(content ?? '')
    const tooLong = `is too long (${humanSize(size)}). The maximum size is ${humanSize(maximum)}.`
    const problems = { ...(title.length > 0 && { title }), ...(size > maximum && { content: [tooLong] }) }
    if (Object.keys(problems).length > 0) throw invalid(problems)
  }

  async function shown({ opened }: OpenedWiki, commit: Oid, slug: string): Promise<PresentedPage> {
    const source = { repository: opened.repository, repositoryId: opened.row.id, commit }
    const page = await findPage(source, slug)
    if (!page) throw noPage()
    return reading.show(source, page)
  }

  /** @throws ApiError 404 `Wiki Page` */
  async function existing(owner: WikiOwner, slug: string) {
    const wiki = await repositories.open(owner)
    const head = wiki?.head
    const source = head && { repository: wiki.opened.repository, commit: head }
    const page = source && (await findPage(source, slug))
    if (!page) throw noPage()
    return { wiki, source, page }
  }

  /** What is done to a page as it is at the moment of the commit. @throws ApiError 404 `Wiki Page` */
  function changing(slug: string, act: (source: PageSource, page: PageFile) => Promise<FileAction | null>) {
    return async (base: CommitBase) => {
      const source = sourceIn(base)
      const page = source && (await findPage(source, slug))
      if (!page) throw noPage()
      const action = await act(source, page)
      return action ? changesOf(base, [action]) : []
    }
  }

  return {
    /** @throws ApiError 400 as contract 22, x.wikis_create */
    async create(owner: WikiOwner, actor: Actor, page: NewPage): Promise<PresentedPage> {
      const { title, content, format = 'markdown' } = page
      const slug = slugOfTitle(title)
      await requireValid(slug, content)
      const file_path = pathFor(slug, endingOf(format))
      const { wiki, commit } = await writer.write(owner, actor, {
        message: `Create ${slug}`,
        async build(base) {
          await requireFree(sourceIn(base), slug)
          return changesOf(base, [{ action: 'create', file_path, content }])
        },
      })
      return shown(wiki, commit, slug)
    },

    /**
     * Changes a page; what is as it is wanted already makes no commit.
     * @throws ApiError 404 `Wiki Page`; 400 as `create`
     */
    async update(owner: WikiOwner, actor: Actor, asked: string, changes: PageChanges): Promise<PresentedPage> {
      const { wiki: before, source, page } = await existing(owner, asked)
      const slug = changes.title === undefined ? page.slug : movedSlug(page.slug, changes.title)
      await requireValid(slug, changes.content)
      if (!(await actionFor(source, page, slug, changes))) return shown(before, source.commit, slug)
      const { wiki, commit } = await writer.write(owner, actor, {
        message: `Update ${slug}`,
        build: changing(page.slug, (now, current) => actionFor(now, current, slug, changes)),
      })
      return shown(wiki, commit, slug)
    },

    /** @throws ApiError 404 `Wiki Page` */
    async remove(owner: WikiOwner, actor: Actor, asked: string): Promise<void> {
      const { page } = await existing(owner, asked)
      await writer.write(owner, actor, {
        message: `Delete ${page.slug}`,
        build: changing(page.slug, async (_source, { path }) => ({ action: 'delete', file_path: path })),
      })
    },
  }
}
