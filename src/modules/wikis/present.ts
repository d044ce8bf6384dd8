import { type Static, Type } from '../../api/index.ts'
import type { Format } from './formats.ts'
import { readFrontMatter } from './front-matter.ts'
import type { PageFile } from './pages.ts'
import { titleOfSlug } from './titles.ts'

const basic = {
  format: Type.String(),
  slug: Type.String(),
  title: Type.String(),
  wiki_page_meta_id: Type.Integer(),
}

const FrontMatter = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/** A page with its content (contract 22, WikiPage). */
export const WikiPage = Type.Object(
  { ...basic, content: Type.String(), encoding: Type.String(), front_matter: FrontMatter },
  { title: 'WikiPage' },
)

/** A page in a list: its content is there when it was asked for. */
export const ListedWikiPage = Type.Object(
  {
    ...basic,
    content: Type.Optional(Type.String()),
    encoding: Type.Optional(Type.String()),
    front_matter: Type.Optional(FrontMatter),
  },
  { title: 'ListedWikiPage' },
)

/** An attached file (contract 22, x.wikis_attach). */
export const WikiAttachment = Type.Object(
  {
    file_name: Type.String(),
    file_path: Type.String(),
    branch: Type.String(),
    link: Type.Object({ url: Type.String(), markdown: Type.String() }),
  },
  { title: 'WikiAttachment' },
)

export type PresentedPage = Static<typeof WikiPage>
export type PresentedListedPage = Static<typeof ListedWikiPage>
export type PresentedAttachment = Static<typeof WikiAttachment>

/** @param id its number, which stays when the page is moved */
export function presentListed({ slug, format }: Pick<PageFile, 'slug' | 'format'>, id: number): PresentedListedPage {
  return { format, slug, title: titleOfSlug(slug), wiki_page_meta_id: id }
}

/** @param content its text, or the HTML of it */
export function presentPage(page: PageFile, id: number, text: string, content = text): PresentedPage {
  const { format, slug } = page
  const { values } = readFrontMatter(text)
  const title = titleOfSlug(slug)
  return { format, slug, title, wiki_page_meta_id: id, content, encoding: 'UTF-8', front_matter: values }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A page as HTML. What is not Markdown stands there as it was written; nothing in it is taken for markup. */
export function pageHtml(format: Format, text: string, renderMarkdown: (text: string) => string): string {
  const { body } = readFrontMatter(text)
  if (format === 'markdown') return renderMarkdown(body)
  return `<pre>${body.replace(/[&<>"']/g, (sign) => entities[sign] ?? '')}</pre>`
}
