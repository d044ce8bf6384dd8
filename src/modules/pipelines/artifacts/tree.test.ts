import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer, zipOf } from '../../../testing/index.ts'
import { projectWithConfig } from '../testing.ts'
import { storeArtifact } from './artifacts.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

async function uploaded(path: string, content: Buffer, accessLevel: 'all' | 'developer' = 'all') {
  const project = await projectWithConfig(server, owner, path, 'one: {script: a}')
  await server.app.platform.jobs.drain()
  const [{ id }] = (await owner.get(`/projects/${project.id}/jobs`)).body
  const file = { fileType: 'archive', fileFormat: 'zip', fileName: 'a.zip', accessLevel, maxBytes: 1e9 } as const
  const job = { id, project_id: project.id }
  await storeArtifact(server.app.platform, job, { ...file, content: Readable.from([content]), expireAt: null })
  return { project, tree: `/projects/${project.id}/jobs/${id}/artifacts/tree` }
}

const linesOf = (items: { path: string; type: string; size?: number }[]) =>
  items.map(({ path, type, size }) => [type, path, size].filter((part) => part !== undefined).join(' '))

test('x.job_artifacts_tree lists a folder: directories first, then files with their sizes', async () => {
  const files = { 'out/': '', 'out/b.txt': 'hello', 'out/a.txt': '', 'out/deep/x/y': 'x', é: 'ab', 'z.txt': '1' }
  const { tree } = await uploaded('listed', zipOf(files))
  expect(linesOf((await owner.get(tree)).body)).toEqual(['directory out/', 'file z.txt 1', 'file é 2'])
  const inside = ['directory out/deep/', 'file out/a.txt 0', 'file out/b.txt 5']
  expect(linesOf((await owner.get(`${tree}?path=out`)).body)).toEqual(inside)
  expect(linesOf((await owner.get(`${tree}?path=out/`)).body)).toEqual(inside)
  expect(linesOf((await owner.get(`${tree}?path=out/deep`)).body)).toEqual(['directory out/deep/x/'])
  for (const absent of ['ou', 'z.txt', 'out/c']) {
    expect(await owner.get(`${tree}?path=${absent}`)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  }
  const [folder, file] = (await owner.get(tree)).body
  expect(folder).toEqual({ name: 'out', path: 'out/', type: 'directory', mode: '040755' })
  expect(file).toEqual({
    name: 'z.txt',
    path: 'z.txt',
    type: 'file',
    size: 1,
    mode: expect.stringMatching(/^100\d{3}$/),
  })
  expect(linesOf((await owner.get(`${tree}?recursive=true`)).body)).toEqual([
    ...['directory out/', 'directory out/deep/', 'directory out/deep/x/'],
    ...['file out/a.txt 0', 'file out/b.txt 5', 'file out/deep/x/y 1', 'file z.txt 1', 'file é 2'],
  ])
  expect(linesOf((await owner.get(`${tree}?recursive=true&path=out/deep`)).body)).toEqual([
    ...['directory out/deep/x/', 'file out/deep/x/y 1'],
  ])
  const second = await owner.get(`${tree}?path=out&per_page=2&page=2`)
  expect([second.body.length, second.headers.get('x-total')]).toEqual([1, '3'])
})

test('names that no path may have are left out', async () => {
  const odd = { '../up': '1', '/root': '1', 'a//b': '1', 'a/../c': '1', './d': '1', '<img src=x>': '1' }
  const { tree } = await uploaded('odd', zipOf(odd))
  expect(linesOf((await owner.get(tree)).body)).toEqual(['file <img src=x> 1'])
  expect((await owner.get(`${tree}?path=..`)).status).toBe(404)
})

test('a folder shows its first 10,000 entries', async () => {
  const names = Array.from({ length: 10_010 }, (_, index) => [`f${index}`, ''] as const)
  const { tree } = await uploaded('many', zipOf(Object.fromEntries(names), true))
  expect((await owner.get(tree)).headers.get('x-total')).toBe('10000')
})

test('what is no archive has no entries, and access is that of the archive', async () => {
  const broken = await uploaded('broken', Buffer.from('no archive'))
  expect(await owner.get(broken.tree)).toMatchObject({ status: 200, body: [] })
  const { project, tree } = await uploaded('closed', zipOf({ a: '1' }), 'developer')
  const reporter = await server.user('reporter')
  await server.make.member({ project }, reporter, 20)
  expect((await reporter.get(tree)).status).toBe(403)
  expect((await owner.get(tree)).status).toBe(200)
  expect((await owner.get(tree.replace(/\d+\/artifacts\/tree/, '999999/artifacts/tree'))).status).toBe(404)
})
