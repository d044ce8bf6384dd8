import { Gitlab, type MarkdownUploadCreatedSchema, type MarkdownUploadSchema } from '@gitbeaker/rest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../src/testing/index.ts'
import { anything, date, integer, listOf, promised, shape, text } from './promised.ts'

/** The acceptance walk of uploads (contract 08) with gitbeaker, as far as it has them. */
type Api = InstanceType<typeof Gitlab<false>>
let server: TestServer
let api: Api
let projectId: number
let groupId: number

beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.user('owner')
  projectId = (await server.make.project('p', owner)).id
  groupId = (await server.make.group('g', owner)).id
  api = new Gitlab({ host: server.url, token: owner.token })
})
afterAll(() => server?.stop())

const created = shape<MarkdownUploadCreatedSchema>({
  id: integer,
  alt: text,
  url: text,
  full_path: text,
  markdown: text,
})
const uploader = shape<MarkdownUploadSchema['uploaded_by']>({ id: integer, name: text, username: text })
const listed = shape<MarkdownUploadSchema>({
  id: integer,
  size: integer,
  filename: text,
  created_at: date,
  uploaded_by: uploader,
})

const textOf = async (blob: unknown) => (blob as Blob).text()

test('uploads of a project are created, listed, downloaded and removed', async () => {
  const file = { content: new Blob(['bytes']), filename: 'an image.png' }
  const upload = await promised(created, api.Projects.uploadForReference(projectId, file) as never)
  const { id, url, markdown } = upload as MarkdownUploadCreatedSchema
  expect(markdown).toBe(`![an_image](${url})`)
  const uploads = api.ProjectMarkdownUploads
  const [entry, ...others] = await promised(listOf(listed), uploads.all(projectId))
  expect([entry?.id, entry?.size, others]).toEqual([id, 5, []])
  expect(await textOf(await promised(anything, uploads.download(projectId, id)))).toBe('bytes')
  const [, , secret = '', name = ''] = url.split('/')
  expect(await textOf(await promised(anything, uploads.download(projectId, secret, name)))).toBe('bytes')
  await uploads.remove(projectId, secret, name)
  const again = (await api.Projects.uploadForReference(projectId, file)) as unknown as MarkdownUploadCreatedSchema
  await uploads.remove(projectId, again.id)
  expect(await uploads.all(projectId)).toEqual([])
})

test('uploads of a group are listed, downloaded and removed', async () => {
  const data = new FormData()
  data.append('file', new Blob(['bytes']), 'a.txt')
  await server.root.post(`/groups/${groupId}/uploads`, data)
  const uploads = api.GroupMarkdownUploads
  const [entry] = await promised(listOf(listed), uploads.all(groupId))
  const id = entry?.id ?? 0
  expect(await textOf(await promised(anything, uploads.download(groupId, id)))).toBe('bytes')
  await uploads.remove(groupId, id)
  expect(await uploads.all(groupId)).toEqual([])
})
