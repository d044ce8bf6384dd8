import { addressOfPage } from '../../../frame/addresses.ts'
import type { Html } from '../../../html/index.ts'
import { type ListedWikiPage, wikiPages } from '../../../operations.ts'
import { type Page, page, type View, type Visit } from '../../../page.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { TextField } from '../../../parts/fields/text-field.tsx'
import { Do, Field, Form } from '../../../parts/form.tsx'
import { Avatar, Empty, Icon, Pages, Time } from '../../../parts/parts.tsx'
import { referring } from '../../../parts/writing/index.ts'
import { pathOf } from '../places.ts'

type Owner = 'project' | 'group'

/** The address of a wiki, and of its pages. */
const baseOf = (visit: Visit, owner: Owner) => addressOfPage(visit, owner, 'wikis')

function PageList({ base, items, slug }: { base: string; items: readonly ListedWikiPage[]; slug?: string }) {
  return (
    <ul class="wiki-pages">
      {items.map((one) => (
        <li class={one.slug.includes('/') ? 'below' : undefined}>
          <a href={`${base}/${pathOf(one.slug)}`} aria-current={one.slug === slug ? 'page' : undefined}>
            {one.slug}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The text of a page. Links between pages are relative to its folder. */
function contentOf(
  visit: Visit,
  base: string,
  { slug, format, content }: { slug: string; format: string; content: string },
): Html {
  const body = content.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '')
  if (format !== 'markdown') return <pre tabindex={0}>{body}</pre>
  const folder = `${base}/${pathOf(slug)}`
  const resolve = (url: string) => {
    if (/^([a-z][a-z\d+.-]*:|\/|#)/i.test(url)) return url
    const { pathname, hash } = new URL(url, `http://host${folder}`)
    return pathname.replace(/\.md$/i, '') + hash
  }
  return referring(visit, body, { resolve })
}

function WikiForm({ visit, owner, shown }: { visit: Visit; owner: Owner; shown?: { slug: string; content: string } }) {
  const { create, update } = wikiPages[owner]
  const operation = shown ? update : create
  const { id } = visit[owner]
  const call: Record<string, string | number> = shown ? { id, slug: shown.slug } : { id }
  const title = shown?.slug ?? visit.query.title ?? (visit.query.new === 'home' ? 'home' : '')
  const hint = 'Slashes separate folders.'
  return (
    <Form visit={visit} performs={operation} call={call} then={`${baseOf(visit, owner)}/{slug}`} class="stack wide">
      <Field visit={visit} operation={operation} name="title" options={{ value: title, hint }} />
      <TextField visit={visit} operation={operation} name="content" label="Content" value={shown?.content} rows={22} />
      <button class="primary">{shown ? 'Save the page' : 'Create the page'}</button>
    </Form>
  )
}

/** All pages of a wiki, and a form for a new one. */
const homeOf = (owner: Owner) =>
  page({
    at: owner,
    path: 'wikis',
    nav: { section: 'Plan', label: 'Wiki', operation: wikiPages[owner].list },
    performs: [wikiPages[owner].create],
    async show(visit) {
      const { list, create } = wikiPages[owner]
      const { id } = visit[owner]
      const base = baseOf(visit, owner)
      const [items, mayCreate] = await Promise.all([visit.read(list, { id }), visit.may(create, { id })])
      const isNew = mayCreate && (visit.query.new !== undefined || visit.refused !== null)
      const hasHome = items.some(({ slug }) => slug === 'home')
      if (hasHome && !isNew && visit.query.list === undefined) return { redirect: `${base}/home` }
      if (isNew) {
        const body = <WikiForm visit={visit} owner={owner} />
        return { title: 'New page', crumbs: [['Wiki', `${base}?list=1`]], body }
      }
      return {
        title: 'Wiki',
        actions: mayCreate && (
          <a class="button" href={`${base}?new=1`}>
            New page
          </a>
        ),
        body:
          items.length === 0 ? (
            <Empty title="No pages yet.">
              {mayCreate && (
                <p>
                  <a href={`${base}?new=home`}>Write the first page</a>, or push to the wiki's repository.
                </p>
              )}
            </Empty>
          ) : (
            <PageList base={base} items={items} />
          ),
      }
    },
  })

type OwnerProps = { visit: Visit; owner: Owner; slug: string; title: string }

/** The versions of a page, newest first. */
async function versionsOf({ visit, owner, slug, title }: OwnerProps): Promise<View> {
  const found = await visit.read(wikiPages[owner].versions, { id: visit[owner].id, slug, page: visit.number })
  const base = baseOf(visit, owner)
  const address = `${base}/${pathOf(slug)}`
  return {
    title: 'History',
    crumbs: [
      ['Wiki', `${base}?list=1`],
      [title, address],
    ],
    body: (
      <div>
        <ul class="rows">
          {found.items.map(({ id, short_id, message, author_name, authored_date }) => (
            <li>
              <Avatar name={author_name} />
              <div class="grow">
                <a class="strong" href={`${address}?version=${id}`}>
                  {message.split('\n', 1)[0] || 'No message'}
                </a>
                <p class="sub">
                  {author_name} · <Time at={authored_date} />
                </p>
              </div>
              <span class="sha">{short_id}</span>
            </li>
          ))}
        </ul>
        <Pages path={visit.path} page={visit.number} of={found} />
      </div>
    ),
  }
}

/** A page as it was at a version. */
async function versionOf({ visit, owner, slug }: Omit<OwnerProps, 'title'>, version: string): Promise<View> {
  const found = await visit.read(wikiPages[owner].get, { id: visit[owner].id, slug, version })
  const base = baseOf(visit, owner)
  const address = `${base}/${pathOf(slug)}`
  return {
    title: found.title,
    crumbs: [
      ['Wiki', `${base}?list=1`],
      ['History', `${address}?versions=1`],
    ],
    body: (
      <div>
        <p class="note-line">
          This is version <span class="sha">{version.slice(0, 8)}</span>. <a href={address}>The newest version</a>
        </p>
        <div class="prose">{contentOf(visit, base, found)}</div>
      </div>
    ),
  }
}

/** A page of a wiki, its versions, and the forms that change it. */
const pageOf = (owner: Owner) =>
  page({
    at: owner,
    path: 'wikis/*slug',
    performs: [wikiPages[owner].update, wikiPages[owner].delete],
    async show(visit) {
      const { list, get, update, delete: remove, create } = wikiPages[owner]
      const call = { id: visit[owner].id, slug: visit.params.slug ?? '' }
      const base = baseOf(visit, owner)
      const { version, versions } = visit.query
      if (version) return versionOf({ visit, owner, slug: call.slug }, version)
      const shown = await visit.find(get, call)
      if (!shown && (await visit.may(create, call))) {
        return { redirect: `${base}?new=1&title=${encodeURIComponent(call.slug)}` }
      }
      const found = shown ?? (await visit.read(get, call))
      if (versions !== undefined) return versionsOf({ visit, owner, slug: found.slug, title: found.title })
      const crumbs = [['Wiki', `${base}?list=1`]] as const
      const address = `${base}/${pathOf(found.slug)}`
      if (visit.query.edit !== undefined) {
        return {
          title: `Edit ${found.title}`,
          crumbs: [...crumbs, [found.title, address]],
          body: <WikiForm visit={visit} owner={owner} shown={found} />,
        }
      }
      const [items, mayWrite, mayDelete] = await Promise.all([
        visit.read(list, { id: call.id }),
        visit.may(update, call),
        visit.may(remove, call),
      ])
      return {
        title: found.title,
        crumbs,
        actions: (
          <>
            <a class="button" href={`${address}?versions=1`}>
              History
            </a>
            {mayWrite && (
              <a class="button" href={`${address}?edit=1`}>
                Edit
              </a>
            )}
            {mayWrite && (
              <a class="button" href={`${base}?new=1`}>
                New page
              </a>
            )}
            {mayDelete && (
              <Confirm label="Delete" question={`Delete the page ${found.title}?`}>
                <Do visit={visit} performs={remove} call={call} then={`${base}?list=1`} kind="danger">
                  Delete the page
                </Do>
              </Confirm>
            )}
          </>
        ),
        body: (
          <div class="two">
            <div class="prose">{contentOf(visit, base, found)}</div>
            <aside>
              <section>
                <h2>
                  <Icon name="file" /> Pages
                </h2>
                <PageList base={base} items={items} slug={found.slug} />
              </section>
            </aside>
          </div>
        ),
      }
    },
  })

/** The wikis of projects and of groups. */
export const wikis: readonly Page[] = [homeOf('project'), pageOf('project'), homeOf('group'), pageOf('group')]
