import type { Operation, Param, ParamSet } from '../../src/api/index.ts'
import { modules } from '../../src/modules.ts'
import { first, focus, type Size } from './size.ts'

/** Who asks: an administrator, a person with many memberships, or one with few. */
export type Who = 'root' | 'person' | 'guest'

/** One request of a list. */
export type Request = { who: Who; path: string }

const isList = ({ method, list, result }: Operation) =>
  method === 'GET' && (list !== undefined || 'pageOf' in result[1] || result[1].type === 'array')

/** The lists among the mounted operations. */
export const lists = modules.flatMap(({ operations }) => operations.filter(isList))

/** Lists of what is in a Git repository or computed from one: their time does not depend on the tables. */
const ofGit =
  /:sha|:file_path|\/repository\/|\/diffs$|:merge_request_iid\/commits$|:merge_request_iid\/(versions|pipelines)$|\/wikis$/

/** Lists of what is not in tables, or which answer only where replication is configured. */
const notSeeded = /^\/geo|^\/features|export_relations/

const digits = (number: number, length: number) => number.toString(16).padStart(length, '0')

/** The values of the parameters in paths: rows that have most of the others. */
function idsOf(size: Size): (operation: Operation, name: string) => string | number | undefined {
  const { person, project, group, row } = focus(size)
  return ({ path, subject }, name) => {
    const isOfGroup = path.startsWith('/groups/')
    const byName: Record<string, string | number> = {
      id_or_username: person,
      issue_iid: 2,
      merge_request_iid: 2,
      epic_iid: 2,
      alert_iid: 2,
      tag_name: 'v2',
      user_id: first + 8,
      milestone_id: isOfGroup ? 1_000_002 : row,
      hook_id: isOfGroup ? 10_002 : row,
      discussion_id: digits(1, 40),
      note_id: 1,
    }
    if (name !== 'id') return byName[name] ?? (name.endsWith('_id') ? row : undefined)
    const bySubject: Record<string, number> = { project, group, issue: project, merge_request: project }
    if (path.startsWith('/projects/')) return project
    if (isOfGroup) return group
    return path.startsWith('/users/') ? person : (bySubject[subject.name] ?? row)
  }
}

const middle = '2023-11-15T00:00:00Z'

/** Values by which lists are filtered: some that many rows have, some that few have, and some that none has. */
const valuesByName: Readonly<Record<string, readonly string[]>> = {
  search: ['nowhere', 'needle', 'common', 'user77', 'project77', 'e', 'number 77', 'service'],
  query: ['nowhere', 'user77', 'Person', 'guest1'],
  public_email: ['user75@example.com'],
  username: ['user77'],
  extern_uid: ['uid76&provider=ldapmain'],
  author_username: ['user1', 'user77', 'nobody'],
  assignee_username: ['user1', 'user77'],
  reviewer_username: ['user1'],
  merge_user_username: ['user1'],
  approved_by_usernames: ['user77'],
  author_id: [`${first + 1}`, `${first + 77}`],
  assignee_id: ['None', 'Any', `${first + 1}`],
  reviewer_id: ['None', 'Any', `${first + 1}`],
  merge_user_id: [`${first + 1}`],
  approved_by_ids: ['Any', 'None', `${first + 78}`],
  approver_ids: ['Any', 'None'],
  milestone: ['Any', 'None', 'v4', 'Upcoming', 'Started', 'nowhere'],
  labels: ['label4', 'label50', 'label4,label6', 'Any', 'None', 'nowhere'],
  my_reaction_emoji: ['thumbsup', 'None', 'Any'],
  weight: ['3', 'Any', 'None'],
  iids: ['10'],
  epic_id: ['Any', 'None', `${first + 2}`],
  iteration_id: ['Any', 'None', `${first + 7}`],
  iteration_title: ['Iteration 7'],
  health_status: ['at_risk', 'Any', 'None'],
  source_branch: ['feature-4'],
  target_branch: ['main'],
  source_project_id: [`${first + 1}`],
  topic: ['topic3'],
  topic_id: ['3'],
  with_programming_language: ['Ruby', 'TypeScript'],
  repository_storage: ['default', 'other'],
  ref: ['branch2', 'nowhere'],
  sha: [digits(10, 40)],
  name: ['nightly'],
  package_name: ['nowhere', 'package77', 'e', 'age 7'],
  package_version: ['1.0.77', 'nowhere'],
  tag_list: ['docker'],
  version_prefix: ['1.'],
  system_id: ['s7'],
  in: ['title'],
  title: ['v4'],
  user_id: [`${first + 1}`],
  user_ids: [`${first + 5}`],
  skip_users: [`${first + 5}`],
  skip_groups: ['5'],
  relation: ['direct', 'inherited'],
  project_id: [`${first + 1}`],
  environment_name: ['production'],
  monitoring_tool: ['Prometheus'],
  marked_for_deletion_on: ['2026-11-01'],
  from: ['2026-01-01'],
  two_factor: ['enabled', 'disabled'],
  include_ancestor_groups: ['false', 'true'],
  with_shared: ['false'],
  id_after: [`${first + 50}`],
  id_before: [`${first + 50}`],
  status: ['triggered', 'success', '200'],
  scope: ['success', 'failed', 'running', 'active', 'paused', 'online'],
  group_id: [`${first + 1}`],
  type: ['Issue', 'MergeRequest'],
  last: ['v5'],
  severity: ['critical'],
}

/** Filters whose value is an object or several parameters. */
const pairsByName: Readonly<Record<string, readonly string[]>> = {
  custom_attributes: ['custom_attributes[color]=red', 'custom_attributes[color]=blue'],
  not: [
    'not[labels]=label4',
    'not[milestone]=v4',
    `not[author_id]=${first + 1}`,
    'not[search]=common',
    'not[iids][]=10',
  ],
}

/** Needs another parameter, or restricts nothing. */
const companions: Readonly<Record<string, string>> = {
  updated_after: 'order_by=updated_at',
  updated_before: 'order_by=updated_at',
}

function pairsOf(path: string, name: string, { schema }: Param<unknown>): string[] {
  if (pairsByName[name]) return [...pairsByName[name]]
  const { type, enum: words, format, items } = schema as Record<string, unknown> & { items?: { enum?: string[] } }
  const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'))
  const allowed = (words ?? items?.enum) as string[] | undefined
  const texts = allowed ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  const values =
    texts ??
    valuesByName[name] ??
    (format === 'date-time' || format === 'date' ? [middle.slice(0, format === 'date' ? 10 : 20)] : [])
  const key = isArray && !/^(labels|assignee_username|in|topic)$/.test(name) ? `${name}[]` : name
  const isProjects = /\/(projects|forks|shared|starred_projects|contributed_projects)$/.test(path)
  const also = isProjects && companions[name] ? `&${companions[name]}` : ''
  return values.map((value) => `${key}=${value}${also}`)
}

function queriesOf({ path, params = {}, list }: Operation): { queries: string[]; unknown: string[] } {
  const { order_by: orders, sort, ...others } = params as ParamSet
  const unknown: string[] = []
  const queries = Object.entries(others)
    .filter(([name]) => !path.includes(`:${name}`))
    .flatMap(([name, param]) => {
      const pairs = pairsOf(path, name, param)
      if (pairs.length === 0) unknown.push(name)
      return pairs
    })
  const words = (param: Param<unknown> | undefined) => (param?.schema as { enum?: string[] } | undefined)?.enum ?? []
  const directions = words(sort)
  for (const order of words(orders)) {
    queries.push(
      ...(directions.length > 0 ? directions : ['']).map((way) => `order_by=${order}${way && `&sort=${way}`}`),
    )
    if (order === 'similarity') queries.push('order_by=similarity&search=project77')
  }
  if (words(orders).length === 0) queries.push(...directions.map((way) => `sort=${way}`))
  for (const [order, ways] of Object.entries(list?.keyset ?? {})) {
    queries.push(...ways.map((way) => `pagination=keyset&order_by=${order}&sort=${way}`))
  }
  return { queries, unknown }
}

/**
 * Every list with its defaults, with each value of each filter and in each order, as everybody for whom it differs.
 * @returns the requests, and what is not among them
 */
export function requestsOf(size: Size): { requests: Request[]; left: string[] } {
  const idOf = idsOf(size)
  const left: string[] = []
  const requests: Request[] = []
  for (const operation of lists) {
    const { path } = operation
    if (ofGit.test(path) || notSeeded.test(path)) {
      left.push(`${path}: ${ofGit.test(path) ? 'reads a repository' : 'not in tables that grow'}`)
      continue
    }
    const address = path.replace(/:(\w+)/g, (_, name) => String(idOf(operation, name) ?? left.push(`${path}: ${name}`)))
    const { queries, unknown } = queriesOf(operation)
    if (unknown.length > 0) left.push(`${path}: no value for ${unknown.join(', ')}`)
    // Filters as who sees everything, and those by the caller's own roles as a person who has many.
    const ofInstance = operation.subject.name === 'instance'
    for (const query of ['', ...queries]) {
      const byRole = ofInstance && /^(membership|owned|min_access_level|starred|scope)=/.test(query)
      const filtering: Who[] = byRole || !ofInstance ? ['person'] : ['root']
      const everybody: Who[] = query === '' ? ['root', 'person', 'guest'] : filtering
      for (const who of everybody) requests.push({ who, path: query ? `${address}?${query}` : address })
    }
  }
  requests.push({ who: 'person', path: '/user' }, { who: 'root', path: '/user' }, { who: 'guest', path: '/user' })
  return { requests, left }
}
