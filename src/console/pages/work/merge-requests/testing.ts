import { imported, importStream, type Person, startTestServer, type TestServer } from '../../../../testing/index.ts'
import { type Browser, personWithBrowser, visitorOf } from '../../code/testing.ts'

/** Text that would run where it is not escaped. */
export const script = '<script>alert(1)</script>'

const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
const text = (changed: Record<number, string> = {}) =>
  `${lines.map((line, index) => changed[index + 1] ?? line).join('\n')}\n`

const stream = importStream([{ message: 'First\n', files: [['100644', 'a.txt', text()]] }])

type Visitor = Person & { browser: Browser }

/** A project with a branch that changes two files, and people of several roles with their browsers. */
export type Place = {
  server: TestServer
  owner: Visitor
  developer: Visitor
  reporter: Visitor
  guest: Visitor
  anonymous: Browser
  id: string
  /** Of the API. */
  at: string
  /** Of the pages. */
  base: string
}

export async function startPlace(): Promise<Place> {
  const server = await startTestServer()
  const owner = await personWithBrowser(server, 'owner')
  const project = await imported(server, owner, 'demo', stream)
  const files = `/projects/${project.id}/repository`
  await owner.post(`${files}/branches`, { branch: 'feature', ref: 'main' })
  const changed = text({ 5: `const five = '${script}'`, 20: 'twenty' })
  await owner.post(`${files}/commits`, {
    ...{ branch: 'feature', commit_message: `Change ${script}\n\nBecause.` },
    actions: [
      { action: 'update', file_path: 'a.txt', content: changed },
      { action: 'create', file_path: `dir/b "${script.replaceAll('/', '')}".ts`, content: 'one\ntwo\n' },
    ],
  })
  const member = async (name: string, level: number) => {
    const person = await personWithBrowser(server, name)
    await server.make.member({ project }, person, level)
    return person
  }
  return {
    ...{ server, owner, anonymous: visitorOf(server) },
    developer: await member('developer', 30),
    reporter: await member('reporter', 20),
    guest: await member('guest', 10),
    id: String(project.id),
    at: `/projects/${project.id}/merge_requests`,
    base: '/owner/demo/-/merge_requests',
  }
}

/** Makes a merge request of a new branch with one changed line. @returns its number */
export async function openRequest({ developer, id, at }: Place, branch: string, params: object = {}): Promise<number> {
  const files = `/projects/${id}/repository`
  await developer.post(`${files}/branches`, { branch, ref: 'main' })
  const actions = [{ action: 'update', file_path: 'a.txt', content: text({ 10: branch }) }]
  await developer.post(`${files}/commits`, { branch, commit_message: branch, actions })
  const made = await developer.post(at, { source_branch: branch, target_branch: 'main', title: branch, ...params })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body.iid
}
