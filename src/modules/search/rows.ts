import type { Page } from '../../api/index.ts'
import { dayOf } from '../../api/index.ts'
import { mayInGroup } from '../groups/index.ts'
import { listIssues } from '../issues/index.ts'
import { listMembers } from '../members/index.ts'
import { listMergeRequests } from '../merge-requests/index.ts'
import { searchMilestones } from '../milestones/index.ts'
import { fromGroup, fromProject, inGroup, listProjects, may } from '../projects/index.ts'
import { searchSnippets } from '../snippets/index.ts'
import { listUsers, presentingUsers, presentUserBasic, usersByIds } from '../users/index.ts'
import type { Search } from './types.ts'

const none: Page<never> = { items: [], total: 0 }

/** Projects by name, path and description. */
export function findProjects({ platform, actor, place, params, page }: Search): Promise<Page<object>> {
  const { search, sort } = params
  const filter = { search: search.trim(), simple: true, ...(sort && { sort }) }
  const scope = place.group && inGroup(dayOf(platform.clock.now()), place.group, { include_subgroups: true })
  return listProjects(platform, actor, filter, page, scope)
}

/** The number that a search in a project names, such as `#12` or `12`. */
function numberIn({ params, place }: Search, sign: '#' | '!'): number | null {
  const [, iid] = new RegExp(`^${sign}?(\\d{1,9})$`).exec(params.search.trim()) ?? []
  return place.project && iid !== undefined ? Number(iid) : null
}

/** What a search asks of the lists of issues and merge requests. */
const filterOf = ({ params: { search, fields = [], sort = 'desc' } }: Search) => ({
  ...({ search, scope: 'all', order_by: 'created_at', sort } as const),
  ...(fields.length > 0 && { in: ['title' as const] }),
})

/** Tries the number that a search names, then its text. @param list finds by one or the other */
async function byNumberOrText(
  search: Search,
  sign: '#' | '!',
  list: (filter: { iids: number[] } | ReturnType<typeof filterOf>) => Promise<Page<object>>,
): Promise<Page<object>> {
  const iid = numberIn(search, sign)
  const named = iid === null ? none : await list({ iids: [iid] })
  return named.items.length > 0 ? named : list(filterOf(search))
}

/** Issues by title and description, in a project also by number. */
export async function findIssues(search: Search): Promise<Page<object>> {
  const { platform, actor, request, place: parent, page } = search
  const { state = 'all', confidential } = search.params
  if (state === 'merged') return none
  const own = { state, ...(confidential !== undefined && { confidential }) }
  return byNumberOrText(search, '#', (filter) =>
    listIssues({ platform, actor, request, parent, params: { ...filter, ...own, scope: 'all' } }, page),
  )
}

/** Merge requests by title and description, in a project also by number. */
export async function findMergeRequests(search: Search): Promise<Page<object>> {
  const { platform, actor, request, place: parent, page } = search
  if (parent.project && !may(actor, parent.project, 'read_merge_requests')) return none
  const { state = 'all' } = search.params
  return byNumberOrText(search, '!', (filter) =>
    listMergeRequests({ platform, actor, request, parent, params: { ...filter, state, scope: 'all' } }, page),
  )
}

/** Milestones by title and description. */
export async function findMilestones({ platform, actor, place, terms, params, page }: Search): Promise<Page<object>> {
  if (place.project && !may(actor, place.project, 'read_milestones')) return none
  return searchMilestones(platform, actor, place, { terms, sort: params.sort ?? 'desc' }, page)
}

/** Users by name and username: of the instance, or the members of a project or group. */
export async function findUsers({ platform, actor, place, params, page }: Search): Promise<Page<object>> {
  const { project, group } = place
  const text = params.search.trim()
  if (project && !may(actor, project, 'read_members')) return none
  if (group && !mayInGroup(actor, group, 'read_members')) return none
  const parent = project ? fromProject(project) : group && fromGroup(group)
  const found = parent
    ? await listMembers(platform, 'effective', parent, actor, { query: text }, page)
    : await listUsers(platform, { search: text }, actor, page)
  const ids = found.items.map(({ id }) => id)
  const [users, presenting] = [await usersByIds(platform.database.read, ids), await presentingUsers(platform)]
  const items = ids.flatMap((id) => {
    const user = users.get(id)
    return user ? [presentUserBasic(user, presenting)] : []
  })
  return { ...found, items: items.toSorted((left, right) => rank(right, text) - rank(left, text)) }
}

/** Exact matches come first on a page. */
const rank = ({ username, name }: { username: string; name: string }, text: string) =>
  [username, name].some((one) => one.toLowerCase() === text.toLowerCase()) ? 1 : 0

/** Snippets by title, file name and description. */
export function findSnippets({ platform, actor, terms, params, page }: Search): Promise<Page<object>> {
  return searchSnippets(platform, actor, { terms, sort: params.sort ?? 'desc' }, page)
}
