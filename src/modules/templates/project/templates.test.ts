import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Client,
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'

let server: TestServer
let people: People
let place: ProjectWithMembers
let base: string
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  place = await projectWithMembers(server, { people, path: 'p' })
  base = `/projects/${place.project.id}`
})
afterAll(() => server.stop())

const keysAt = async (client: Client, type: string, of = base) =>
  (await client.get(`${of}/templates/${type}?per_page=100`)).body.map(({ key }: { key: string }) => key)

async function commit(path: string, content: string) {
  const file = `${base}/repository/files/${encodeURIComponent(path)}`
  const { status } = await people.owner.post(file, { branch: 'main', content, commit_message: 'Add a template' })
  expect(status).toBe(201)
}

test('a project offers the templates of the instance', async () => {
  for (const type of ['dockerfiles', 'gitignores', 'gitlab_ci_ymls', 'licenses']) {
    const { status, body } = await people.guest.get(`${base}/templates/${type}`)
    expect([type, status, body.length > 10]).toEqual([type, 200, true])
    expect(Object.keys(body[0])).toEqual(['key', 'name'])
  }
  const { body } = await people.guest.get(
    `${base}/templates/licenses/MIT?fullname=a&project=b&source_template_project_id=1`,
  )
  expect(body).toMatchObject({ key: 'mit', name: 'MIT License', popular: true })
  expect(body.content).toContain(' a\n')
  expect((await people.guest.get(`${base}/templates/gitignores/C%2B%2B`)).body).toMatchObject({ name: 'C++' })
})

test('issues and merge requests have templates in the repository', async () => {
  expect(await keysAt(people.owner, 'issues')).toEqual([])
  await commit('.gitlab/issue_templates/Feature.md', 'Why?')
  await commit('.gitlab/issue_templates/Bug.md', 'What happened?')
  await commit('.gitlab/issue_templates/note.txt', 'no template')
  await commit('.gitlab/issue_templates/below/Deep.md', 'too deep')
  await commit('.gitlab/issue_templates/.md', 'no name')
  await commit('.gitlab/issue_templates/Large.md', 'x'.repeat(1_048_577))
  await commit('.gitlab/merge_request_templates/Change 🦊.md', '- [ ] tested')
  expect(await keysAt(people.guest, 'issues')).toEqual(['Bug', 'Feature', 'Large'])
  expect((await people.guest.get(`${base}/templates/issues/Bug`)).body).toEqual({
    name: 'Bug',
    content: 'What happened?',
  })
  expect((await people.reporter.get(`${base}/templates/merge_requests/Change%20%F0%9F%A6%8A`)).body.content).toBe(
    '- [ ] tested',
  )
  const hidden = ['Large', 'below%2FDeep', 'x', '..%2F..%2FREADME', 'Bug.md', 'bug', '%2E%2E']
  for (const name of hidden) {
    const { status } = await people.guest.get(`${base}/templates/issues/${name}`)
    expect([name, status]).toEqual([name, 404])
  }
  expect((await people.guest.get(`${base}/templates/issues/x`)).body).toEqual({ message: '404 Template Not Found' })
})

test('the settings of a project have a template where no file has', async () => {
  await people.owner.put(base, { issues_template: 'From the settings', merge_requests_template: 'For changes' })
  expect(await keysAt(people.guest, 'issues')).toEqual(['Bug', 'Default', 'Feature', 'Large'])
  expect((await people.guest.get(`${base}/templates/issues/Default`)).body.content).toBe('From the settings')
  expect((await people.reporter.get(`${base}/templates/merge_requests/Default`)).body.content).toBe('For changes')
  await commit('.gitlab/issue_templates/Default.md', 'From a file')
  expect((await people.guest.get(`${base}/templates/issues/Default`)).body.content).toBe('From a file')
})

test('those who cannot read issues or merge requests see no templates of them', async () => {
  expect(await keysAt(people.guest, 'merge_requests')).toEqual([])
  expect((await people.guest.get(`${base}/templates/merge_requests/Default`)).status).toBe(404)
  await people.owner.put(base, { issues_access_level: 'disabled' })
  expect(await keysAt(people.owner, 'issues')).toEqual([])
  expect((await people.owner.get(`${base}/templates/issues/Bug`)).status).toBe(404)
  await people.owner.put(base, { issues_access_level: 'enabled' })
})

test('a project without a repository has none', async () => {
  const { id } = await server.make.project('empty', people.owner, { visibility: 'public' })
  expect(await keysAt(server.anonymous, 'issues', `/projects/${id}`)).toEqual([])
  expect((await server.anonymous.get(`/projects/${id}/templates/issues/Bug`)).status).toBe(404)
  expect((await server.anonymous.get(`/projects/${id}/templates/gitignores/Go`)).status).toBe(200)
})

test('a type is one of six', async () => {
  const { status, body } = await people.guest.get(`${base}/templates/x`)
  expect([status, body.error]).toEqual([400, 'type does not have a valid value'])
  expect((await people.guest.get(`${base}/templates/constructor/x`)).status).toBe(400)
})

test('who cannot see the project finds nothing', async () => {
  for (const path of ['issues', 'issues/Bug', 'gitignores', 'licenses/mit']) {
    expect((await people.outsider.get(`${base}/templates/${path}`)).status).toBe(404)
    expect((await server.anonymous.get(`${base}/templates/${path}`)).status).toBe(404)
  }
})
