import { expect } from 'vitest'
import { git, type Person, startTestServer, type TestServer, temporaryDirectory } from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'

/** What a caller says of one change. */
export type Action = Record<string, unknown>

/** An action that makes a file. */
export const create = (file_path: string, content = `${file_path}\n`): Action => ({
  action: 'create',
  file_path,
  content,
})

/** A project with people of the roles that matter to those who write. */
export type WritingPlace = {
  server: TestServer
  owner: Person
  developer: Person
  reporter: Person
}

/** A server with those people, on which first branches are not protected, so that developers may write. */
export async function startWritingServer(options?: Parameters<typeof startTestServer>[0]): Promise<WritingPlace> {
  const server = await startTestServer(options)
  const settings = await server.root.put('/application/settings', { default_branch_protection: 0 })
  expect(settings.status).toBe(200)
  const owner = await server.user('owner')
  const developer = await server.user('developer')
  return { server, owner, developer, reporter: await server.user('reporter') }
}

/** A private project of the owner, whose `main` has these files. */
export async function makeProject(
  { server, owner, developer, reporter }: WritingPlace,
  path: string,
  files: Record<string, string> = {},
): Promise<ProjectRow> {
  const project = await server.make.project(path, owner)
  await server.make.member({ project }, developer, 30)
  await server.make.member({ project }, reporter, 20)
  if (Object.keys(files).length === 0) return project
  const actions = Object.entries(files).map(([name, content]) => create(name, content))
  const made = { branch: 'main', commit_message: 'first', actions }
  const answer = await owner.post(`/projects/${project.id}/repository/commits`, made)
  expect(answer.body).toMatchObject({ message: 'first' })
  return project
}

/** Paths with mode and content at a revision, as real git shows them to whoever clones. */
export async function filesAt(
  { server, owner }: WritingPlace,
  project: ProjectRow,
  revision = 'main',
): Promise<Record<string, string>> {
  await using folder = await temporaryDirectory()
  const address = `${server.url.replace('://', `://owner:${owner.token}@`)}/${project.full_path}.git`
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
