import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRepository } from '../../../platform/repositories/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { versionOfIndex } from './code-index.ts'

let server: TestServer
let owner: Person
let outsider: Person
let project: ProjectRow

const lines = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${text(index)}\n`).join('')

const files: Record<string, string> = {
  'README.md': '# Title\n\nThe Quick brown fox\r\njumps\n',
  'src/long.ts': lines(400, (index) => (index % 90 === 7 ? `const needle${index} = "hay (.*)"` : `line ${index}`)),
  'src/near.ts': 'needle\n\n\nneedle\na\nb\nc\nd\ne\nneedle',
  'docs/needle.txt': 'one\ntwo\nthree\nfour\n',
  'docs/Ünicode.md': 'Größe NEEDLE\nÄrger äöü\n',
  'large.txt': `${'x'.repeat(1_100_000)}\nneedle\n`,
  'empty/needle': '',
}
const phrases = [
  ...[
    'needle',
    'NEEDLE',
    'needle7 =',
    'hay (.*)',
    'brown fox',
    'jumps',
    'eedl',
    'ne',
    'Größe',
    'äöü',
    'nothing like it',
  ],
  ...['needle extension:ts', '-path:docs needle', 'extension:md', 'filename:*.t*', 'line 39', 'fox\njumps', 'e = "h'],
]

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('indexer')
  outsider = await server.user('outsider')
  await server.root.put('/application/settings', { search_rate_limit: 0 })
  project = await server.make.project('indexed', owner)
  const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }))
  const binary = { action: 'create', file_path: 'bin.dat', content: Buffer.from('a\0needle').toString('base64') }
  await commit([...actions, { ...binary, encoding: 'base64' }])
})
afterAll(async () => {
  await server?.root.put('/application/settings', { search_rate_limit: 30 })
  await server?.stop()
})

async function commit(actions: object[], branch = 'main') {
  const start = branch === 'main' ? {} : { start_branch: 'main' }
  const made = await owner.post(`/projects/${project.id}/repository/commits`, {
    ...{ branch, commit_message: 'Change', actions },
    ...start,
  })
  expect(made.status).toBe(201)
  return made.body.id as string
}

const search = async (text: string, more = '') => {
  const query = `scope=blobs&per_page=100&search=${encodeURIComponent(text)}${more}`
  const { status, body } = await owner.get(`/projects/${project.id}/search?${query}`)
  expect([text, status]).toEqual([text, 200])
  return body
}
const all = async () => new Map(await Promise.all(phrases.map(async (text) => [text, await search(text)] as const)))

/** Runs with indexes of all repositories, also of the small ones of tests. */
async function withIndexes(run: () => Promise<void>): Promise<void> {
  const { config } = server.app.platform
  const before = config.searchIndexBytes
  config.searchIndexBytes = 0
  await run().finally(() => {
    config.searchIndexBytes = before
  })
}
const indexed = async () => versionOfIndex((await openRepository(server.app.platform, project)).repository)

describe('an index of the files of a repository', () => {
  test('is made by the first search, and finds what reading all files finds', async () => {
    const expected = await all()
    expect([expected.get('needle')?.length, expected.get('ne')?.length]).toEqual([
      expect.any(Number),
      expect.any(Number),
    ])
    expect(await indexed()).toBeNull()
    await withIndexes(async () => {
      await search('needle')
      await expect.poll(indexed).toMatch(/^[0-9a-f]{40}$/)
      for (const [text, found] of await all()) expect([text, found]).toEqual([text, expected.get(text)])
    })
  })

  test('follows pushes, and is not asked about other commits', async () => {
    await withIndexes(async () => {
      const id = await commit([
        { action: 'create', file_path: 'new.txt', content: 'freshly written' },
        { action: 'move', file_path: 'src/renamed.ts', previous_path: 'src/near.ts', content: files['src/near.ts'] },
        { action: 'delete', file_path: 'README.md' },
      ])
      await expect.poll(indexed).toBe(id)
      const paths = async (text: string, more = '') =>
        (await search(text, more)).map(({ path }: { path: string }) => path)
      expect(await paths('freshly')).toEqual(['new.txt'])
      expect(await paths('brown fox')).toEqual([])
      expect(await paths('needle extension:ts path:near')).toEqual([])
      expect(new Set(await paths('renamed'))).toEqual(new Set(['src/renamed.ts']))
      await commit([{ action: 'create', file_path: 'aside.txt', content: 'only aside' }], 'side')
      expect(await paths('only aside')).toEqual([])
      expect(await paths('only aside', '&ref=side')).toEqual(['aside.txt'])
    })
  })

  test('may be lost or not whole: all files are read then', async () => {
    await withIndexes(async () => {
      const { repository } = await openRepository(server.app.platform, project)
      const expected = await search('needle')
      await rm(join(repository.derivedDirectory, 'search'), { recursive: true })
      expect(await search('needle')).toEqual(expected)
      await expect.poll(indexed).not.toBeNull()
    })
  })

  test('shows nothing to others, and no part of it counts as size', async () => {
    await withIndexes(async () => {
      expect((await outsider.get(`/projects/${project.id}/search?scope=blobs&search=needle`)).status).toBe(404)
      expect((await outsider.get('/search?scope=blobs&search=freshly')).body).toEqual([])
      const { repository } = await openRepository(server.app.platform, project)
      const before = await repository.sizeBytes()
      await rm(join(repository.derivedDirectory, 'search'), { recursive: true })
      expect(await repository.sizeBytes()).toBe(before)
    })
  })
})
