import { ApiError } from '../../../api/index.ts'
import { baseOf } from '../../frame/addresses.ts'
import type { Html } from '../../html/index.ts'
import { groupSearch, instanceSearch, projectSearch, projectsGet } from '../../operations.ts'
import { type Level, page, type View, type Visit } from '../../page.ts'
import { Empty, Pages, withQuery } from '../../parts/parts.tsx'
import { showNames } from '../home/explore.tsx'
import { type Result, Results } from './results.tsx'

/** The tabs of a search, in their order. */
const labels = {
  blobs: 'Files',
  commits: 'Commits',
  issues: 'Issues',
  merge_requests: 'Merge requests',
  notes: 'Comments',
  milestones: 'Milestones',
  wiki_blobs: 'Wiki',
  users: 'People',
  projects: 'Projects',
  snippet_titles: 'Snippets',
} as const
type Scope = keyof typeof labels

const scopesAt: Readonly<Record<Level, readonly Scope[]>> = {
  project: ['blobs', 'commits', 'issues', 'merge_requests', 'notes', 'milestones', 'wiki_blobs', 'users'],
  group: ['issues', 'merge_requests', 'blobs', 'commits', 'notes', 'milestones', 'wiki_blobs', 'users', 'projects'],
  instance: ['issues', 'merge_requests', 'blobs', 'commits', 'notes', 'milestones', 'wiki_blobs', 'snippet_titles'],
}

/** The scope of an address; null for the names of projects, groups and people. */
function scopeOf({ query, me }: Visit, at: Level): Scope | null {
  const asked = scopesAt[at].find((scope) => scope === query.scope)
  if (!me) return null
  return asked ?? (at === 'instance' ? null : (scopesAt[at][0] ?? null))
}

function ScopeTabs({ visit, at, scope }: { visit: Visit; at: Level; scope: Scope | null }): Html {
  const address = (of: Scope | null) => withQuery(visit.path, { scope: of, page: null })
  const search = visit.query.search ?? ''
  return (
    <nav class="tabs" aria-label="What is searched">
      {at === 'instance' && (
        <a href={address(null)} aria-current={scope === null ? 'page' : undefined}>
          Names
        </a>
      )}
      {scopesAt[at].map((one) => (
        <a href={address(one)} aria-current={one === scope ? 'page' : undefined}>
          {labels[one]}
        </a>
      ))}
      {at !== 'instance' && <a href={`/search?search=${encodeURIComponent(search)}`}>Everywhere</a>}
    </nav>
  )
}

type Asked = { scope: Scope; search: string; page: number; state?: string; ref?: string }

function read(visit: Visit, at: Level, asked: Asked) {
  if (at === 'project') return visit.read(projectSearch, { ...asked, id: visit.project.id } as never)
  if (at === 'group') return visit.read(groupSearch, { ...asked, id: visit.group.id } as never)
  return visit.read(instanceSearch, asked as never)
}

const sentences: Readonly<Record<number, string>> = {
  400: 'This is searched in single projects and in smaller groups only.',
  408: 'The search took too long. Search in a single project, or for a longer text.',
  429: 'Too many searches. Try again in a minute.',
  503: 'Too many searches run at the moment. Try again.',
}

/** What a search has found, or a sentence that says why it did not run. */
async function found(visit: Visit, at: Level, asked: Asked) {
  try {
    return await read(visit, at, asked)
  } catch (error) {
    const sentence = error instanceof ApiError ? sentences[error.status] : undefined
    if (sentence === undefined) throw error
    return sentence
  }
}

/** The paths of the projects of results. */
async function pathsOf(visit: Visit, at: Level, items: readonly Result[]): Promise<ReadonlyMap<number, string>> {
  if (at === 'project') return new Map([[visit.project.id, visit.project.path_with_namespace]])
  const ids = [...new Set(items.flatMap(({ web_url: url, project_id: id }) => (url ? [] : (id ?? []))))]
  const projects = await Promise.all(ids.map((id) => visit.find(projectsGet, { id: String(id) })))
  return new Map(projects.flatMap((one) => (one ? [[one.id, one.path_with_namespace] as const] : [])))
}

/** The text of a search of files without its filters, which is marked in the results. */
const phraseOf = (search: string) => search.replace(/(?<!\S)-?(?:filename|path|extension):\S+/gi, '').trim()

async function showScope(visit: Visit, at: Level, scope: Scope): Promise<Html> {
  const { search = '', state, ref } = visit.query
  if (search.trim() === '') return <Empty title="Enter a text above." />
  const asked = { scope, search, page: visit.number, ...(state && { state }), ...(ref && at === 'project' && { ref }) }
  const answer = await found(visit, at, asked)
  if (typeof answer === 'string') return <Empty title={answer} />
  const items = answer.items as readonly Result[]
  if (items.length === 0) return <Empty title="Nothing was found." />
  const paths = await pathsOf(visit, at, items)
  return (
    <div>
      <Results scope={scope} items={items} phrase={phraseOf(search)} paths={paths} />
      <Pages path={visit.path} page={visit.number} of={answer} />
    </div>
  )
}

/** The search of a project, of a group or of the instance: its address says what is searched, and where. */
const searchAt = (at: Level) =>
  page({
    at,
    path: 'search',
    async show(visit): Promise<View> {
      const scope = scopeOf(visit, at)
      const { search = '' } = visit.query
      const names = scope === null && at === 'instance' ? await showNames(visit) : null
      const title = search === '' ? 'Search' : `Search for “${search}”`
      if (!visit.me && at !== 'instance') return { title, body: <Empty title="Sign in to search." /> }
      return {
        title,
        body: (
          <div>
            {visit.me && (
              <search>
                {at !== 'instance' && (
                  <form method="get" action={`${baseOf(visit, at)}/-/search`} class="filters">
                    <input type="search" name="search" value={search} aria-label="Text" />
                    {scope && <input type="hidden" name="scope" value={scope} />}
                    <button>Search</button>
                  </form>
                )}
                <ScopeTabs visit={visit} at={at} scope={scope} />
              </search>
            )}
            {names ?? (scope && (await showScope(visit, at, scope)))}
          </div>
        ),
      }
    },
  })

export const searchPages = [searchAt('instance'), searchAt('project'), searchAt('group')]
