import { afterAll, beforeAll, expect } from 'vitest'
import {
  type Client,
  git,
  httpUrl,
  makePeople,
  type People,
  projectWithMembers,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'

/** An action as a request gives it. */
export type Action = Record<string, unknown>

/** An action that creates a file. */
export const create = (file_path: string, content = `${file_path}\n`): Action => ({
  action: 'create',
  file_path,
  content,
})

/** A server, and users for its projects. */
type WritingPlace = People & { server: TestServer }

/** Starts a server on which first branches are not protected, so that developers may write. */
async function startWritingServer(options?: Parameters<typeof startTestServer>[0]): Promise<WritingPlace> {
  const server = await startTestServer(options)
  const settings = await server.root.put('/application/settings', { default_branch_protection: 0 })
  expect(settings.status).toBe(200)
  return { server, ...(await makePeople(server)) }
}

/** A private project of the owner, whose `main` has these files. */
export async function makeProject(
  { server, ...people }: WritingPlace,
  path: string,
  files: Record<string, string> = {},
): Promise<ProjectRow> {
  const { project } = await projectWithMembers(server, { people, path })
  if (Object.keys(files).length === 0) return project
  const actions = Object.entries(files).map(([name, content]) => create(name, content))
  const made = { branch: 'main', commit_message: 'first', actions }
  const answer = await people.owner.post(`/projects/${project.id}/repository/commits`, made)
  expect(answer.body).toMatchObject({ message: 'first' })
  return project
}

/** Paths with mode and content at a revision, read by git from a clone. */
export async function filesAt(
  { server, owner }: WritingPlace,
  project: ProjectRow,
  revision = 'main',
): Promise<Record<string, string>> {
  await using folder = await temporaryDirectory()
  const address = httpUrl(server, owner, project.full_path)
  const cloned = await git(folder.path, 'clone', '--quiet', '--mirror', address, 'copy')
  expect(cloned.stderr + cloned.code).toMatch(/0$/)
  const copy = `${folder.path}/copy`
  const checked = await git(copy, 'fsck', '--strict', '--no-dangling')
  expect(checked.code).toBe(0)
  const { stdout } = await git(copy, 'ls-tree', '-r', '-z', revision)
  const files: Record<string, string> = {}
  for (const line of stdout.split('\0').filter((text) => text !== '')) {
    const [, mode = '', type = '', oid = '', path = ''] = /^(\d+) (\w+) (\w+)\t(.*)$/s.exec(line) ?? []
    const content = type === 'blob' ? (await git(copy, 'cat-file', 'blob', oid)).stdout : oid
    files[path] = mode === '100644' ? content : `${mode} ${content}`
  }
  return files
}

export const commitsOf = (project: { id: number }) => `/projects/${project.id}/repository/commits`

export const message = (text: string) => ({ message: text })

export let place: WritingPlace
/** The project `demo`, whose `main` has two files. */
export let demo: ProjectRow

/** Starts a server before the tests of a file and stops it after them. */
export function serveWritingForTests(options?: Parameters<typeof startTestServer>[0]): void {
  beforeAll(async () => {
    place = await startWritingServer(options)
  })
  afterAll(() => place.server.stop())
}

/** The same, with `demo` in it. */
export function serveDemoForTests(): void {
  serveWritingForTests()
  beforeAll(async () => {
    demo = await makeProject(place, 'demo', { 'README.md': 'hello\n', 'docs/guide.md': 'guide\n' })
  })
}

/** Requests a commit on `main`; default of `demo`, by a developer. */
export const write = (body: Record<string, unknown>, of: ProjectRow = demo, as: Client = place.developer) =>
  as.post(commitsOf(of), { branch: 'main', commit_message: 'change', ...body })
