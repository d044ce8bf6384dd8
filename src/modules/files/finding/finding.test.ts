import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ImportedFile, importStream, type Person, type TestServer } from '../../../testing/index.ts'
import { elsewhere, startWithReaders } from '../testing.ts'
import { rankOf } from './ranks.ts'

const paths = ['README.md', 'src/app.ts', 'src/app.test.ts', 'src/map/README.md', 'src/map/paper.ts', 'tests/app.ts']

let server: TestServer
let reporter: Person
let base: string

beforeAll(async () => {
  const files = paths.map((path): ImportedFile => ['100644', path, 'x\n'])
  const first = { message: 'First', files: [...files, ['160000', 'src/app', elsewhere] as ImportedFile] }
  const second = { message: 'Second', files: [['100644', 'new\\nline', 'x\n'] as ImportedFile], branch: 'other' }
  const started = await startWithReaders('finding', importStream([first, second]))
  ;({ server, reporter } = started)
  base = `/projects/${started.project.id}/repository/files`
})
afterAll(() => server.stop())

async function found(query: string): Promise<string[]> {
  const { body } = await reporter.get(`${base}?${query}`)
  return body.map(({ path }: { path: string }) => path)
}

describe('x.files_find', () => {
  test('finds files by letters of their paths, the best first', async () => {
    expect(await found('search=app.ts')).toEqual(['src/app.ts', 'tests/app.ts', 'src/app.test.ts', 'src/map/paper.ts'])
    expect(await found('search=APE')).toEqual(['src/map/paper.ts', 'src/app.test.ts', 'src/map/README.md'])
    expect(await found('search=map%20read')).toEqual(['src/map/README.md'])
    expect(await found('search=smp')).toEqual(['src/map/paper.ts', 'src/map/README.md'])
    expect(await found('search=none')).toEqual([])
    expect(await found(`search=${'a'.repeat(1_001)}`)).toEqual([])
  })

  test('lists all files in the order of the tree without letters, in pages', async () => {
    expect(await found('')).toEqual([
      ...['README.md', 'src/app.test.ts', 'src/app.ts', 'src/map/README.md', 'src/map/paper.ts', 'tests/app.ts'],
    ])
    const second = await reporter.get(`${base}?search=&per_page=4&page=2`)
    expect(second.body).toEqual([
      { path: 'src/map/paper.ts', name: 'paper.ts' },
      { path: 'tests/app.ts', name: 'app.ts' },
    ])
    expect(second.headers.get('x-next-page')).toBe('')
  })

  test('reads another revision, and answers 404 for none', async () => {
    expect(await found('ref=other')).toEqual(['new\\nline'])
    const none = await reporter.get(`${base}?ref=none`)
    expect([none.status, none.body]).toEqual([404, { message: '404 Tree Not Found' }])
  })
})

test.each([
  ['readme.md', 'docs/README.md', 0],
  ['read', 'docs/README.md', 1],
  ['adm', 'docs/README.md', 2],
  ['cs/r', 'docs/README.md', 3],
  ['rdm', 'docs/README.md', 4],
  ['drm', 'docs/README.md', 5],
  ['d r m', 'docs/README.md', 5],
  ['mr', 'docs/R.x', null],
])('%s in %s has rank %s', (search, path, rank) => {
  expect(rankOf(search)(path)).toBe(rank)
})
