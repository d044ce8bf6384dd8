import { type Answer, type Client, clientOf } from '../../../src/testing/index.ts'

/** A group with projects, and groups below it. */
export type Tree = { id: number; projectIds: number[] }

/** How many projects are made at the same time. */
const atOnce = 6
/** How many projects a subgroup has. */
const perGroup = 50

async function made(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** A project with a repository, an issue, a comment, an upload, a member, a hook, a label and a variable, every tenth with a release. */
async function makeProject(client: Client, groupId: number, name: string, userId: number): Promise<number> {
  const wanted = { name, namespace_id: groupId, initialize_with_readme: true }
  const { id } = await made(client.post('/projects', wanted))
  const of = `/projects/${id}`
  const { iid } = await made(client.post(`${of}/issues`, { title: `issue of ${name}`, labels: 'one' }))
  await made(client.post(`${of}/issues/${iid}/notes`, { body: `comment in ${name}` }))
  const form = new FormData()
  form.set('file', new File([name.repeat(100)], 'file.txt'))
  await made(client.post(`${of}/uploads`, form))
  await made(client.post(`${of}/members`, { user_id: userId, access_level: 30 }))
  await made(client.post(`${of}/hooks`, { url: 'http://example.com/hook', push_events: false }))
  await made(client.post(`${of}/variables`, { key: 'KEY', value: name }))
  if (id % 10 === 0) await made(client.post(`${of}/releases`, { tag_name: 'v1', ref: 'main', description: name }))
  return id
}

/** Makes a tree of groups, with projects in the groups below the first. */
export async function makeTree(
  url: string,
  token: string,
  name: string,
  projects: number,
  userId: number,
): Promise<Tree> {
  const client = clientOf(url, token)
  const { id } = await made(client.post('/groups', { name, path: name }))
  const groupIds: number[] = []
  for (let number = 0; number < Math.ceil(projects / perGroup); number += 1) {
    const parent = number % 2 === 1 ? groupIds.at(-1) : id
    const path = `sub-${number}`
    groupIds.push((await made(client.post('/groups', { name: path, path, parent_id: parent }))).id)
  }
  await made(client.post(`/groups/${id}/members`, { user_id: userId, access_level: 20 }))
  await made(client.post(`/groups/${id}/labels`, { name: 'of the group', color: '#ff0000' }))
  const projectIds: number[] = []
  let next = 0
  const work = async () => {
    for (let number = next++; number < projects; number = next++) {
      const groupId = groupIds[Math.floor(number / perGroup)] as number
      projectIds.push(await makeProject(client, groupId, `p${number}`, userId))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { id, projectIds: projectIds.sort((a, b) => a - b) }
}

/** What can be seen of a tree by the API: the same text as long as nothing in it is touched. */
export async function viewOf(url: string, token: string, { id, projectIds }: Tree): Promise<string> {
  const client = clientOf(url, token)
  const paths = [`/groups/${id}`, `/groups/${id}/members`, `/groups/${id}/projects?include_subgroups=true&simple=true`]
  for (const projectId of projectIds) {
    const of = `/projects/${projectId}`
    const lists = ['issues', 'issues/1/notes', 'uploads', 'members', 'hooks', 'variables', 'releases', 'labels']
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
    seen.push(`${path} ${status} ${JSON.stringify(body)}`.replaceAll(url, ''))
  }
  return seen.join('\n')
}
