import { notFound } from '../../../../api/index.ts'
import { highlightedLines, languageOf } from '../../../highlighting/index.ts'
import {
  type ListedSnippet,
  projectSnippetsList,
  rawSnippets,
  snippetsListOwn,
  snippetsListPublic,
} from '../../../operations.ts'
import { type Page, page, type Visit } from '../../../page.ts'
import { codeTable } from '../../../parts/code.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Do } from '../../../parts/form.tsx'
import { Avatar, Copy, Empty, Icon, Pages, Time } from '../../../parts/parts.tsx'
import { Prose } from '../../../parts/writing/index.ts'
import { pathOf } from '../places.ts'
import { NewSnippet, SnippetForm } from './snippet-forms.tsx'
import { type SnippetPlace, snippetCall, snippetFiles, snippetsAt, snippetsBase } from './snippet-places.ts'
import { performedInTalk, readSnippetTalk, SnippetDiscussion } from './snippet-talk.tsx'

function Visibility({ visibility }: { visibility: string }) {
  return visibility === 'public' ? (
    <></>
  ) : (
    <span class="tagged">
      <Icon name="lock" />
      {visibility}
    </span>
  )
}

function Rows({ base, items }: { base: string; items: readonly ListedSnippet[] }) {
  return (
    <ul class="rows">
      {items.map(({ id, title, author, file_name: file, visibility, updated_at }) => (
        <li>
          <Avatar name={author.name} />
          <div class="grow">
            <a class="strong" href={`${base}/${id}`}>
              {title}
            </a>
            <Visibility visibility={visibility} />
            <p class="sub ellipsis">
              {author.name}
              {file && ` · ${file}`}
            </p>
          </div>
          <span class="meta when">
            <Time at={updated_at} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function listed(visit: Visit, place: SnippetPlace) {
  const { number } = visit
  if (place === 'project') return visit.read(projectSnippetsList, { id: visit.project.id, page: number })
  const isOwn = visit.me !== null && visit.query.public === undefined
  return visit.read(isOwn ? snippetsListOwn : snippetsListPublic, { page: number })
}

/** The snippets of a project; one's own, or the public ones, outside. */
const listAt = (place: SnippetPlace) =>
  page({
    at: place,
    path: 'snippets',
    nav: {
      section: place === 'project' ? 'Code' : '',
      label: 'Snippets',
      operation: place === 'project' ? projectSnippetsList : snippetsListOwn,
    },
    async show(visit) {
      const base = snippetsBase(visit, place)
      const call = place === 'project' ? { id: visit.project.id } : {}
      const [found, mayCreate] = await Promise.all([listed(visit, place), visit.may(snippetsAt(place).create, call)])
      const isPublic = visit.query.public !== undefined
      return {
        title: 'Snippets',
        actions: mayCreate && (
          <a class="button primary" href={`${base}/new`}>
            New snippet
          </a>
        ),
        body: (
          <div>
            {place === 'instance' && (
              <nav class="tabs" aria-label="Whose">
                <a href={base} aria-current={isPublic ? undefined : 'page'}>
                  Yours
                </a>
                <a href={`${base}?public=1`} aria-current={isPublic ? 'page' : undefined}>
                  Public
                </a>
              </nav>
            )}
            {found.items.length === 0 ? (
              <Empty title="No snippets yet.">
                {mayCreate && (
                  <p>
                    <a href={`${base}/new`}>Keep a few lines</a> that are worth a link.
                  </p>
                )}
              </Empty>
            ) : (
              <Rows base={base} items={found.items} />
            )}
            <Pages path={visit.path} page={visit.number} of={found} />
          </div>
        ),
      }
    },
  })

const newAt = (place: SnippetPlace) =>
  page({
    at: place,
    path: 'snippets/new',
    performs: [snippetsAt(place).create],
    async show(visit) {
      if (!visit.me) throw notFound()
      return {
        title: 'New snippet',
        crumbs: [['Snippets', snippetsBase(visit, place)]],
        body: <NewSnippet visit={visit} place={place} />,
      }
    },
  })

/** A snippet with its files, and its discussion where it is of a project. */
const oneAt = (place: SnippetPlace) =>
  page({
    at: place,
    path: 'snippets/:snippet',
    performs: [snippetsAt(place).delete, ...performedInTalk(place)],
    async show(visit) {
      const { get, delete: remove } = snippetsAt(place)
      const call = snippetCall(visit, place)
      const base = snippetsBase(visit, place)
      const shown = await visit.read(get, call)
      const [files, talk] = await Promise.all([snippetFiles(visit, place, shown), readSnippetTalk(visit, place)])
      const lines = await highlightedLines(
        files.map(({ path, text }) => ({ text: text.replace(/\n$/, ''), language: languageOf(path, text) })),
      )
      const isOwn = visit.me?.id === shown.author.id
      const mayChange = isOwn || (place === 'project' && (await visit.may(snippetsAt(place).update, call)))
      return {
        title: shown.title,
        crumbs: [['Snippets', base]],
        actions: mayChange && (
          <>
            <a class="button" href={`${base}/${shown.id}/edit`}>
              Edit
            </a>
            <Confirm label="Delete" question="Delete the snippet with its history?">
              <Do visit={visit} performs={remove} call={call} then={base} kind="danger">
                Delete the snippet
              </Do>
            </Confirm>
          </>
        ),
        body: (
          <div>
            <p class="by">
              <Avatar name={shown.author.name} /> <a href={`/${shown.author.username}`}>{shown.author.name}</a>
              <span class="soft">
                <Time at={shown.created_at} />
              </span>
              <Visibility visibility={shown.visibility} />
            </p>
            {shown.description && <Prose visit={visit} text={shown.description} lead />}
            {files.map(({ path, isCut }, index) => (
              <section class="panel">
                <h2 class="file-name">
                  <Icon name="file" />
                  <span class="grow">{path}</span>
                  <a class="soft" href={`${base}/${shown.id}/file/${pathOf(path)}`}>
                    Raw
                  </a>
                </h2>
                {isCut && <p class="quiet-note">Only the beginning is shown.</p>}
                <section class="scroll" tabindex={0} aria-label={path}>
                  {codeTable(lines[index] ?? [], 1, [], `F${index + 1}-`)}
                </section>
              </section>
            ))}
            <h2>Clone</h2>
            <Copy text={shown.http_url_to_repo} label="Address for HTTPS" />
            {talk && <SnippetDiscussion visit={visit} of={talk} />}
          </div>
        ),
      }
    },
  })

const editAt = (place: SnippetPlace) =>
  page({
    at: place,
    path: 'snippets/:snippet/edit',
    performs: [snippetsAt(place).update],
    async show(visit) {
      const base = snippetsBase(visit, place)
      const shown = await visit.read(snippetsAt(place).get, snippetCall(visit, place))
      const files = await snippetFiles(visit, place, shown)
      return {
        title: `Edit ${shown.title}`,
        crumbs: [
          ['Snippets', base],
          [shown.title, `${base}/${shown.id}`],
        ],
        body: <SnippetForm visit={visit} place={place} snippet={shown} files={files} />,
      }
    },
  })

/** The bytes of a file. Those of `raw_url` know no session. */
const fileAt = (place: SnippetPlace) =>
  page({
    at: place,
    path: 'snippets/:snippet/file/*path',
    async show(visit) {
      const { fileRaw } = place === 'project' ? rawSnippets.ofProject : rawSnippets.personal
      const call = { ...snippetCall(visit, place), ref: 'HEAD', file_path: visit.params.path ?? '' }
      return { file: await visit.read(fileRaw, call) }
    },
  })

const pagesAt = (place: SnippetPlace): Page[] => [
  listAt(place),
  newAt(place),
  oneAt(place),
  editAt(place),
  fileAt(place),
]

/** The snippets of projects, and those of users. */
export const snippets: readonly Page[] = [...pagesAt('project'), ...pagesAt('instance')]
