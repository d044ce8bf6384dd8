import { forms, type Static, Type } from '../../../api/index.ts'
import type { Commit } from '../../../infra/git/index.ts'
import { renderMarkdownOf, type UploadOwner } from '../../uploads/index.ts'
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

/** A page in a list, with content on request. */
export const ListedWikiPage = Type.Object(
  {
    ...basic,
    content: Type.Optional(Type.String()),
    encoding: Type.Optional(Type.String()),
    front_matter: Type.Optional(FrontMatter),
  },
  { title: 'ListedWikiPage' },
)

/** A commit that changed a page (contract 22, WikiPageVersion). */
export const WikiPageVersion = Type.Object(
  {
    id: Type.String(),
    short_id: Type.String(),
    message: Type.String(),
    author_name: Type.String(),
    author_email: Type.String(),
    authored_date: forms.timestamp,
  },
  { title: 'WikiPageVersion' },
)

export type PresentedPage = Static<typeof WikiPage>
export type PresentedListedPage = Static<typeof ListedWikiPage>

/** @param id of the page, which does not change when the page is moved */
export function presentListed({ slug, format }: Pick<PageFile, 'slug' | 'format'>, id: number): PresentedListedPage {
  return { format, slug, title: titleOfSlug(slug), wiki_page_meta_id: id }
}

/** @param content the text, or its HTML */
export function presentPage(page: PageFile, id: number, text: string, content = text): PresentedPage {
  const { format, slug } = page
  const { values } = readFrontMatter(text)
  const title = titleOfSlug(slug)
  return { format, slug, title, wiki_page_meta_id: id, content, encoding: 'UTF-8', front_matter: values }
}

export function presentVersion({ oid, message, author }: Commit): Static<typeof WikiPageVersion> {
  const { name, email, date } = author
  return {
    ...{ id: oid, short_id: oid.slice(0, 8), message },
    ...{ author_name: name, author_email: email, authored_date: date },
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A page as HTML. Formats other than Markdown are shown as escaped source. */
export function pageHtml(owner: UploadOwner, format: Format, text: string): string {
  const { body } = readFrontMatter(text)
  if (format === 'markdown') return renderMarkdownOf(owner, body)
  return `<pre>${body.replace(/[&<>"']/g, (sign) => entities[sign] ?? '')}</pre>`
}
