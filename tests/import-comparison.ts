/** What two servers of an import are compared by: all that it brings, as the API tells it, without ids. */
import type { Client } from '../src/testing/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: objects of every kind are read
type Item = any

async function all(client: Client, path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; ; page += 1) {
    const { status, body } = await client.get(`${path}${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`)
    // What is switched off.
    if (status === 403) return []
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    items.push(...body)
    if (body.length < 100) return items
  }
}

const pick = (item: Item, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, item[name]]))
const sorted = (items: Item[]) => items.map((item) => JSON.stringify(item)).sort()
const names = (users: Item[]) => users.map(({ username }) => username).sort()

/** A text without the line that names its origin, and without the secrets of attached files. */
const plain = (text: string | null) =>
  (text ?? '').replace(/^\*Imported from [^\n]*\*\n\n/, '').replaceAll(/\/uploads\/[0-9a-f]{32}\//g, '/uploads/…/')
const at = (time: string | null) => time && new Date(time).toISOString()

async function notesOf(client: Client, base: string) {
  const discussions = await all(client, `${base}/discussions`)
  return discussions.flatMap(({ individual_note, notes }) => {
    const said = notes.filter(({ system }: Item) => !system)
    if (said.length === 0) return []
    const shown = said.map((note: Item) => ({
      ...{ body: plain(note.body), by: note.author.username, at: at(note.created_at) },
      ...{ internal: note.internal, resolved: note.resolved ?? false, line: note.position?.new_line ?? null },
    }))
    return [{ individual_note, notes: shown }]
  })
}

async function issuesOf(client: Client, base: string) {
  const issues = await all(client, `${base}/issues?scope=all&state=all&order_by=created_at&sort=asc`)
  const shown = []
  for (const issue of issues) {
    shown.push({
      ...pick(issue, [
        'iid',
        'title',
        'state',
        'confidential',
        'issue_type',
        'due_date',
        'weight',
        'labels',
        'discussion_locked',
      ]),
      ...{
        description: plain(issue.description),
        by: issue.author.username,
        milestone: issue.milestone?.title ?? null,
      },
      ...{ created: at(issue.created_at), updated: at(issue.updated_at), closed: at(issue.closed_at) },
      ...{
        assignees: names(issue.assignees),
        estimate: issue.time_stats.time_estimate,
        spent: issue.time_stats.total_time_spent,
      },
      notes: await notesOf(client, `${base}/issues/${issue.iid}`),
    })
  }
  return shown
}

async function requestsOf(client: Client, base: string) {
  const requests = await all(client, `${base}/merge_requests?scope=all&state=all&order_by=created_at&sort=asc`)
  const shown = []
  for (const request of requests) {
    const path = `${base}/merge_requests/${request.iid}`
    shown.push({
      ...pick(request, ['iid', 'title', 'state', 'source_branch', 'target_branch', 'labels', 'draft']),
      ...{
        description: plain(request.description),
        by: request.author.username,
        milestone: request.milestone?.title ?? null,
      },
      ...{ assignees: names(request.assignees), reviewers: names(request.reviewers) },
      // What was squashed has its squashed commit as its last version.
      sha: request.squash_commit_sha ?? request.sha,
      commits: request.squash_commit_sha
        ? [request.squash_commit_sha]
        : (await all(client, `${path}/commits`)).map(({ id }) => id),
      notes: await notesOf(client, path),
    })
  }
  return shown
}

async function imagesOf(client: Client, base: string) {
  const tags = []
  for (const { id, path } of await all(client, `${base}/registry/repositories`)) {
    for (const { name } of await all(client, `${base}/registry/repositories/${id}/tags`)) {
      const { body } = await client.get(`${base}/registry/repositories/${id}/tags/${name}`)
      tags.push({ path, ...pick(body, ['name', 'digest', 'total_size']) })
    }
  }
  return sorted(tags)
}

async function schedulesOf(client: Client, base: string) {
  const schedules = []
  for (const { id } of await all(client, `${base}/pipeline_schedules`)) {
    const { body } = await client.get(`${base}/pipeline_schedules/${id}`)
    const variables = body.variables.map((one: Item) => pick(one, ['key', 'value', 'variable_type']))
    schedules.push({ ...pick(body, ['description', 'ref', 'cron', 'cron_timezone']), variables })
  }
  return sorted(schedules)
}

async function snippetsOf(client: Client, base: string) {
  const snippets = []
  for (const snippet of await all(client, `${base}/snippets${base === '' ? '/all' : ''}`)) {
    if (base === '' && snippet.project_id !== null) continue
    const { body } = await client.get(`${base}/snippets/${snippet.id}/raw`)
    const single = (await client.get(`${base}/snippets/${snippet.id}`)).body
    const files = single.files.map(({ path }: Item) => path)
    snippets.push({ ...pick(snippet, ['title', 'visibility']), description: plain(snippet.description), files, body })
  }
  return sorted(snippets)
}

async function classificationOf(client: Client, base: string, isGroup: boolean) {
  const labels = await all(client, `${base}/labels?include_ancestor_groups=false`)
  const milestones = await all(client, `${base}/milestones`)
  const variables = await all(client, `${base}/variables`)
  const members = await all(client, `${base}/members`)
  const variableMembers = ['key', 'value', 'variable_type', 'protected', 'masked', 'raw', 'environment_scope']
  return {
    labels: sorted(
      labels
        .filter(({ is_project_label }) => isGroup || is_project_label)
        .map((label) => pick(label, ['name', 'color', 'description'])),
    ),
    milestones: sorted(milestones.map((one) => pick(one, ['title', 'description', 'state', 'due_date', 'start_date']))),
    variables: sorted(variables.filter(({ hidden }) => !hidden).map((one) => pick(one, variableMembers))),
    members: sorted(
      members
        .filter(({ username }) => username !== 'root')
        .map((one) => pick(one, ['username', 'access_level', 'expires_at'])),
    ),
    wiki: sorted(
      (await all(client, `${base}/wikis?with_content=true`)).map((page) => pick(page, ['slug', 'title', 'content'])),
    ),
  }
}

async function projectOf(client: Client, project: Item) {
  const base = `/projects/${project.id}`
  const { body } = await client.get(base)
  const branches = await all(client, `${base}/repository/branches`)
  const tags = await all(client, `${base}/repository/tags`)
  const releases = await all(client, `${base}/releases`)
  return {
    ...pick(body, ['path_with_namespace', 'name', 'description', 'visibility', 'topics', 'default_branch', 'archived']),
    ...pick(body, ['issues_access_level', 'wiki_access_level', 'builds_access_level', 'merge_method']),
    ...(await classificationOf(client, base, false)),
    branches: branches.map(({ name, commit }) => `${name} ${commit.id}`),
    tags: sorted(tags.map(({ name, target, message }) => ({ name, target, message }))),
    protected: sorted(
      (await all(client, `${base}/protected_branches`)).map(
        ({ name, push_access_levels: [push], merge_access_levels: [merge] }) => ({
          ...{ name, push: push?.access_level, merge: merge?.access_level },
        }),
      ),
    ),
    releases: releases.map((release) => ({
      ...pick(release, ['tag_name', 'name', 'released_at']),
      ...{
        description: plain(release.description),
        milestones: release.milestones?.map(({ title }: Item) => title) ?? [],
      },
      links: release.assets.links.map((link: Item) => pick(link, ['name', 'url', 'link_type'])),
    })),
    issues: await issuesOf(client, base),
    requests: await requestsOf(client, base),
    snippets: await snippetsOf(client, base),
    schedules: await schedulesOf(client, base),
    images: await imagesOf(client, base),
  }
}

/** The groups and projects of a server by their paths. */
export async function worldOf(
  client: Client,
): Promise<{ groups: Record<string, Item>; projects: Record<string, Item>; snippets: string[] }> {
  const groups: Record<string, Item> = {}
  for (const group of await all(client, '/groups?all_available=true')) {
    const described = pick(group, ['name', 'description', 'visibility'])
    groups[group.full_path] = { ...described, ...(await classificationOf(client, `/groups/${group.id}`, true)) }
  }
  const projects: Record<string, Item> = {}
  for (const project of await all(client, '/projects?order_by=id&sort=asc')) {
    projects[project.path_with_namespace] = await projectOf(client, project)
  }
  return { groups, projects, snippets: await snippetsOf(client, '') }
}
