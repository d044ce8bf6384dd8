import { type Actor, humanSize, invalid, notFound } from '../../../api/index.ts'
import type { Oid, TreePath } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type CommitBase, changesOf, type FileAction } from '../../commits/index.ts'
import { type OpenedWiki, openWiki, type WikiOwner } from '../repository/repository.ts'
import { writeWiki } from '../repository/write-wiki.ts'
import { endingOf } from './formats.ts'
import { findPage, type PageFile, type PageSource, textOf } from './pages.ts'
import type { NewPage, PageChanges } from './params.ts'
import type { PresentedPage } from './present.ts'
import { showPage } from './read-pages.ts'
import { movedSlug, pathOfPage, slugOfTitle, titleProblems } from './titles.ts'

const noPage = () => notFound('Wiki Page')

function pathFor(slug: string, ending: string): TreePath {
  const path = pathOfPage(slug, ending)
  if (!path) throw invalid({ title: ['is invalid'] })
  return path
}

const sourceIn = ({ repository, base }: CommitBase): PageSource | null => base && { repository, commit: base }

/** @throws ApiError 400 when a page with this slug exists */
async function requireFree(source: PageSource | null, slug: string): Promise<void> {
  const other = source && (await findPage(source, slug))
  if (!other) return
  const sentence = `Duplicate page: A page with that title already exists in the file ${other.path}`
  throw invalid({ base: [sentence] })
}

/** The change of a page's file; null when there is no difference. */
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

/** @throws ApiError 400, form C */
async function requireValid({ settings }: Platform, slug: string, content: string | undefined): Promise<void> {
  const title = titleProblems(slug)
  const { wiki_page_max_content_bytes: maximum } = await settings.current()
  const size = Buffer.byteLength(content ?? '')
  const tooLong = `is too long (${humanSize(size)}). The maximum size is ${humanSize(maximum)}.`
  const problems = { ...(title.length > 0 && { title }), ...(size > maximum && { content: [tooLong] }) }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

async function showAt(platform: Platform, { opened }: OpenedWiki, commit: Oid, slug: string): Promise<PresentedPage> {
  const source = { repository: opened.repository, repositoryId: opened.row.id, commit }
  const page = await findPage(source, slug)
  if (!page) throw noPage()
  return showPage(platform, source, page)
}

/** @throws ApiError 404 `Wiki Page` */
async function requirePage(platform: Platform, owner: WikiOwner, slug: string) {
  const wiki = await openWiki(platform, owner)
  const source = wiki?.head && { repository: wiki.opened.repository, commit: wiki.head }
  const page = source && (await findPage(source, slug))
  if (!page) throw noPage()
  return { wiki, source, page }
}

/** Builds the changes of a commit from the page as it is at that time. @throws ApiError 404 `Wiki Page` */
function changing(slug: string, act: (source: PageSource, page: PageFile) => Promise<FileAction | null>) {
  return async (base: CommitBase) => {
    const source = sourceIn(base)
    const page = source && (await findPage(source, slug))
    if (!page) throw noPage()
    const action = await act(source, page)
    return action ? changesOf(base, [action]) : []
  }
}

/** Creates a page (contract 22, x.wikis_create). @throws ApiError 400 */
export async function createPage(
  platform: Platform,
  owner: WikiOwner,
  actor: Actor,
  { title, content, format = 'markdown' }: NewPage,
): Promise<PresentedPage> {
  const slug = slugOfTitle(title)
  await requireValid(platform, slug, content)
  const file_path = pathFor(slug, endingOf(format))
  const { wiki, commit } = await writeWiki(platform, owner, actor, {
    message: `Create ${slug}`,
    async build(base) {
      await requireFree(sourceIn(base), slug)
      return changesOf(base, [{ action: 'create', file_path, content }])
    },
  })
  return showAt(platform, wiki, commit, slug)
}

/** Changes a page, if there is a difference (contract 22, x.wikis_update). @throws ApiError 404 `Wiki Page`, 400 */
export async function updatePage(
  platform: Platform,
  owner: WikiOwner,
  actor: Actor,
  path: string,
  changes: PageChanges,
): Promise<PresentedPage> {
  const { wiki: before, source, page } = await requirePage(platform, owner, path)
  const slug = changes.title === undefined ? page.slug : movedSlug(page.slug, changes.title)
  await requireValid(platform, slug, changes.content)
  if (!(await actionFor(source, page, slug, changes))) return showAt(platform, before, source.commit, slug)
  const { wiki, commit } = await writeWiki(platform, owner, actor, {
    message: `Update ${slug}`,
    build: changing(page.slug, (now, current) => actionFor(now, current, slug, changes)),
  })
  return showAt(platform, wiki, commit, slug)
}

/** Deletes a page (contract 22, x.wikis_delete). @throws ApiError 404 `Wiki Page` */
export async function deletePage(platform: Platform, owner: WikiOwner, actor: Actor, path: string): Promise<void> {
  const { page } = await requirePage(platform, owner, path)
  await writeWiki(platform, owner, actor, {
    message: `Delete ${page.slug}`,
    build: changing(page.slug, async (_source, { path }) => ({ action: 'delete', file_path: path })),
  })
}
