import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { type Answer, type Client, clientOf } from '../../../src/testing/index.ts'
import { imageClient } from '../images/client.ts'
import { pushImage } from '../images/workload.ts'
import { openLedger } from '../ledger.ts'
import type { Installation } from '../process.ts'
import { withDatabase } from './remains.ts'

/** A group with projects, and groups below it. */
export type Tree = { id: number; path: string; projectIds: number[]; groupIds: number[] }

/** Where a tree is made, and a user who becomes a member everywhere. */
type Site = { url: string; token: string; userId: number }

/** How many projects are made at the same time. */
const atOnce = 6
/** How many projects a subgroup has. */
const perGroup = 50
/** How deep groups are nested, with the first one. */
const levels = 5
/** What takes long to make is in every so many projects and groups. */
const [someProjects, fewProjects, someGroups] = [10, 25, 2]

const layers = 10

async function made(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

function fileForm(content: string): FormData {
  const form = new FormData()
  form.set('file', new File([content], 'file.txt'))
  return form
}

/** An image of the project, of which layers are shared with other projects. */
async function makeImage({ url, token }: Site, path: string, number: number): Promise<void> {
  const client = imageClient(url, `Basic ${Buffer.from(`root:${token}`).toString('base64')}`)
  const load = { client, ledger: openLedger(), random: () => (number % layers) / layers, layers, workers: 1 }
  await pushImage({ ...load, repositories: [path], deletes: false, isOver: () => false }, path, 'latest', path)
}

/**
 * Makes a project with an issue, a comment, an upload, a member, a hook, a label and a variable; some with commits, a wiki, a release, a
 * merge request, a snippet and a pipeline, a few with an image.
 */
async function makeProject(site: Site, client: Client, groupId: number, number: number): Promise<number> {
  const name = `p${number}`
  const hasCommits = number % someProjects === 0
  const wanted = { name, namespace_id: groupId, initialize_with_readme: hasCommits }
  const { id, path_with_namespace: path } = await made(client.post('/projects', wanted))
  const of = `/projects/${id}`
  const { iid } = await made(client.post(`${of}/issues`, { title: `issue of ${name}`, labels: 'one' }))
  await made(client.post(`${of}/issues/${iid}/notes`, { body: `comment in ${name}` }))
  await made(client.post(`${of}/uploads`, fileForm(name.repeat(100))))
  await made(client.post(`${of}/members`, { user_id: site.userId, access_level: 30 }))
  await made(client.post(`${of}/hooks`, { url: 'http://example.com/hook', push_events: false }))
  await made(client.post(`${of}/variables`, { key: 'KEY', value: name }))
  if (number % fewProjects === 0) await makeImage(site, path, number)
  if (!hasCommits) return id
  const file = { branch: 'change', start_branch: 'main', commit_message: 'a change', content: 'job: {script: make}\n' }
  await made(client.post(`${of}/repository/files/.gitlab-ci.yml`, file))
  await made(client.post(`${of}/merge_requests`, { title: name, source_branch: 'change', target_branch: 'main' }))
  await made(client.post(`${of}/wikis`, { title: 'page', content: name }))
  await made(client.post(`${of}/releases`, { tag_name: 'v1', ref: 'main', description: name }))
  await made(client.post(`${of}/snippets`, { title: name, visibility: 'private', file_name: 'a', content: name }))
  return id
}

/** Makes a subgroup; some have a wiki. */
async function makeGroup(client: Client, parent: number, number: number): Promise<number> {
  const path = `sub-${number}`
  const { id } = await made(client.post('/groups', { name: path, path, parent_id: parent }))
  await made(client.post(`/groups/${id}/labels`, { name: `of ${path}`, color: '#ff0000' }))
  await made(client.post(`/groups/${id}/milestones`, { title: `of ${path}` }))
  await made(client.post(`/groups/${id}/variables`, { key: 'KEY', value: path }))
  if (number % someGroups === 0) await made(client.post(`/groups/${id}/wikis`, { title: 'page', content: path }))
  return id
}

/** Makes a tree of groups, five levels deep, with projects in the groups below the first. */
export async function makeTree(site: Site, path: string, projects: number): Promise<Tree> {
  const client = clientOf(site.url, site.token)
  const { id } = await made(client.post('/groups', { name: path, path }))
  const groupIds: number[] = []
  for (let number = 0; number < Math.ceil(projects / perGroup); number += 1) {
    const parent = number % (levels - 1) === 0 ? id : (groupIds.at(-1) as number)
    groupIds.push(await makeGroup(client, parent, number))
  }
  await made(client.post(`/groups/${id}/members`, { user_id: site.userId, access_level: 20 }))
  const projectIds: number[] = []
  let next = 0
  const work = async () => {
    for (let number = next++; number < projects; number = next++) {
      const groupId = groupIds[Math.floor(number / perGroup)] as number
      projectIds.push(await makeProject(site, client, groupId, number))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { id, path, projectIds: projectIds.sort((a, b) => a - b), groupIds }
}

/**
 * Gives the projects of a tree that have no commits those of one that has some: each repository is on the disk then. Git would take
 * minutes to make a thousand. The server must not run.
 */
export async function copyRepositories(installation: Installation, { projectIds }: Tree): Promise<void> {
  await withDatabase(installation, async (query) => {
    const rows = await query(`select generation, disk_path from repositories
      where project_id in (${projectIds}) and kind = 'project' order by generation desc`)
    const placeOf = (row?: Record<string, unknown>) => join(installation.data, 'repositories', String(row?.disk_path))
    for (const row of rows.filter(({ generation }) => Number(generation) === 0)) {
      await cp(placeOf(rows[0]), placeOf(row), { recursive: true })
    }
    await query(`update repositories set generation = 1 where project_id in (${projectIds}) and generation = 0`)
  })
}

/** What can be seen of a tree by the API: the same text as long as nothing in it is touched. */
export async function viewOf(url: string, token: string, { id, projectIds, groupIds }: Tree): Promise<string> {
  const client = clientOf(url, token)
  const paths = [`/groups/${id}`, `/groups/${id}/members`, `/groups/${id}/projects?include_subgroups=true&simple=true`]
  for (const groupId of groupIds) {
    paths.push(...['labels', 'milestones', 'variables', 'wikis/page'].map((list) => `/groups/${groupId}/${list}`))
  }
  for (const projectId of projectIds) {
    const of = `/projects/${projectId}`
    const lists = [
      ...['issues', 'issues/1/notes', 'uploads', 'members', 'hooks', 'variables', 'releases', 'labels'],
      ...['merge_requests', 'pipelines', 'snippets', 'wikis/page', 'registry/repositories?tags=true'],
    ]
    paths.push(
      ...lists.map((list) => `${of}/${list}`),
      `${of}/repository/branches`,
      `${of}/repository/files/README.md?ref=main`,
    )
  }
  const seen: string[] = []
  for (const path of paths) {
    const { status, body } = await client.get(path)
    // Another start has another port.
    seen.push(`${path} ${status} ${JSON.stringify(body)}`.replaceAll(url, '').replaceAll(new URL(url).host, ''))
  }
  return seen.join('\n')
}
