import { expect } from 'vitest'
import { makePeople, type People, type Person, type TestServer } from '../../testing/index.ts'

/** A snippet as the API shows it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into all members
export type ShownSnippet = any

/** People, an external user among them. */
export type SnippetPeople = People & { external: Person }

export async function makeSnippetPeople(server: TestServer): Promise<SnippetPeople> {
  const people = await makePeople(server)
  const external = await server.user('external')
  await server.app.platform.database.write((tx) =>
    tx.updateTable('users').set({ external: true }).where('id', '=', external.id).execute(),
  )
  return { ...people, external }
}

/** The files of a new snippet, by path. */
export type Files = Record<string, string>

export const filesOf = (files: Files) => Object.entries(files).map(([file_path, content]) => ({ file_path, content }))

/** Creates a snippet. @param options.project id of a project; without one it is personal */
export async function makeSnippet(
  who: Person,
  files: Files = { 'a.txt': 'A' },
  options: { visibility?: string; title?: string; project?: number; description?: string } = {},
): Promise<ShownSnippet> {
  const { project, visibility = 'private', title = 'Title', description } = options
  const path = project === undefined ? '/snippets' : `/projects/${project}/snippets`
  const answer = await who.post(path, { title, visibility, files: filesOf(files), description })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

/** The paths that a snippet shows. */
export const pathsOf = (snippet: ShownSnippet): string[] => snippet.files.map(({ path }: { path: string }) => path)
