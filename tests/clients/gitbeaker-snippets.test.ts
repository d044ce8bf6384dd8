import { type ExpandedSnippetSchema, Gitlab, type SnippetSchema } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../src/testing/index.ts'
import { anything, date, integer, listOf, orNull, promised, shape, text } from './promised.ts'

/** The acceptance walk of snippets (contract 09) with gitbeaker. */
type Api = InstanceType<typeof Gitlab<false>>
let server: TestServer
let root: Api
let api: Api
let theirs: Api
let projectId: number

beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.user('owner')
  const other = await server.user('other')
  projectId = (await server.make.project('p', owner)).id
  root = new Gitlab({ host: server.url, token: server.rootToken })
  api = new Gitlab({ host: server.url, token: owner.token })
  theirs = new Gitlab({ host: server.url, token: other.token })
})
afterAll(() => server?.stop())

const listed = {
  id: integer,
  title: text,
  file_name: text,
  description: orNull(text),
  author: anything,
  updated_at: date,
  created_at: date,
  project_id: orNull(integer),
  web_url: text,
  visibility: text,
  raw_url: text,
}
const summary = shape<SnippetSchema>(listed)
const detail = shape<ExpandedSnippetSchema>({
  ...listed,
  expires_at: orNull(date),
  ssh_url_to_repo: text,
  http_url_to_repo: text,
  files: listOf(shape<{ path: string; raw_url: string }>({ path: text, raw_url: text })),
})

/** The status and the message of a refusal. */
async function refusal(call: Promise<unknown>): Promise<[number | undefined, string]> {
  const error = await call.then(
    () => new Error('was not refused'),
    (reason: Error) => reason,
  )
  return [(error as { cause?: { response?: Response } }).cause?.response?.status, error.message]
}

const files = [
  { filePath: 'b.txt', content: 'B' },
  { filePath: 'a/x y.rb', content: 'A' },
]

describe('personal snippets', () => {
  let id: number

  test('are created, shown and changed', async () => {
    const made = await promised(detail, api.Snippets.create('T', { visibility: 'private', description: 'D', files }))
    id = made.id
    expect(made.files?.map(({ path }) => path)).toEqual(['a/x y.rb', 'b.txt'])
    await promised(detail, api.Snippets.show(id))
    expect(await api.Snippets.showContent(id)).toBe('A')
    expect(await api.Snippets.showRepositoryFileContent(id, 'main', 'a/x y.rb')).toBe('A')
    const changed = await api.Snippets.edit(id, {
      files: [
        { action: 'move', previousPath: 'b.txt', filePath: 'c.txt' },
        { action: 'delete', filePath: 'a/x y.rb' },
      ],
    })
    expect(changed.file_name).toBe('c.txt')
    expect(await refusal(theirs.Snippets.show(id))).toEqual([404, '404 Snippet Not Found'])
    expect(await refusal(theirs.Snippets.edit(id, { description: 'x' }))).toEqual([404, '404 Snippet Not Found'])
  })

  test('are listed', async () => {
    await api.Snippets.edit(id, { visibility: 'public' })
    const [own] = await promised(listOf(summary), api.Snippets.all())
    expect(own?.id).toBe(id)
    expect((await theirs.Snippets.all({ public: true })).map((one) => one.id)).toEqual([id])
    expect(await theirs.Snippets.all()).toEqual([])
  })

  test('show administrators who sent them, and are removed', async () => {
    expect(await root.Snippets.showUserAgentDetails(id)).toMatchObject({ akismet_submitted: false })
    expect((await refusal(api.Snippets.showUserAgentDetails(id)))[0]).toBe(403)
    await api.Snippets.remove(id)
    expect(await refusal(api.Snippets.remove(id))).toEqual([404, '404 Snippet Not Found'])
  })
})

describe('snippets of a project', () => {
  test('are created, listed, changed and removed', async () => {
    const made = await promised(detail, api.ProjectSnippets.create(projectId, 'T', { visibility: 'internal', files }))
    const { id } = made
    const [found] = await promised(listOf(summary), api.ProjectSnippets.all(projectId))
    expect([found?.id, found?.project_id]).toEqual([id, projectId])
    await promised(detail, api.ProjectSnippets.show(projectId, id))
    expect(await api.ProjectSnippets.showContent(projectId, id)).toBe('A')
    expect(await api.ProjectSnippets.showRepositoryFileContent(projectId, id, 'main', 'b.txt')).toBe('B')
    const update = [{ action: 'update' as const, filePath: 'b.txt', content: 'B2' }]
    await api.ProjectSnippets.edit(projectId, id, { files: update })
    expect(await api.ProjectSnippets.showRepositoryFileContent(projectId, id, 'main', 'b.txt')).toBe('B2')
    expect(await refusal(theirs.ProjectSnippets.show(projectId, id))).toEqual([404, '404 Project Not Found'])
    expect(await root.ProjectSnippets.showUserAgentDetails(projectId, id)).toMatchObject({ akismet_submitted: false })
    await api.ProjectSnippets.remove(projectId, id)
    expect(await refusal(api.ProjectSnippets.show(projectId, id))).toEqual([404, '404 Snippet Not Found'])
  })
})
