import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { isVendored, languageDetector } from './detect.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

test.each([
  ['main.ts', 'TypeScript'],
  ['main.d.ts', 'TypeScript'],
  ['a.rb', 'Ruby'],
  ['Gemfile', 'Ruby'],
  ['a.h', 'C'],
  ['a.hpp', 'C++'],
  ['lib.rs', 'Rust'],
  ['index.php', 'PHP'],
  ['x.py', 'Python'],
  ['A.JAVA', 'Java'],
  ['style.css', 'CSS'],
  ['index.html', 'HTML'],
  ['Dockerfile', 'Dockerfile'],
  ['README.md', null],
  ['x.m', 'Objective-C'],
  ['data.json', null],
  ['.ts', 'TypeScript'],
  ['no extension', null],
  ['__proto__', null],
])('the file %j is in %j', async (name, language) => {
  expect((await languageDetector())(name)).toBe(language)
})

test('files of others are not counted', () => {
  expect(['vendor/a.rb', 'a/node_modules/b.js', 'app.min.js'].map(isVendored)).toEqual([true, true, true])
  expect(['vendors/a.rb', 'src/a.js'].map(isVendored)).toEqual([false, false])
})

test('a project shows the shares of its languages, and is found by them', async () => {
  const { body: project } = await owner.post('/projects', { name: 'polyglot' })
  const path = `/projects/${project.id}`
  const shares = async () => (await owner.get(`${path}/languages`)).body
  expect(await shares()).toEqual({})
  const create = (file_path: string, content: string) => ({ action: 'create', file_path, content })
  const commit = (actions: object[]) =>
    owner.post(`${path}/repository/commits`, { branch: 'main', commit_message: 'x', actions })
  const files = [create('a.rb', 'x'.repeat(200)), create('b/c.py', 'x'.repeat(50)), create('b/d.py', 'x'.repeat(50))]
  await commit([...files, create('README.md', 'x'.repeat(900)), create('vendor/v.js', 'x'.repeat(900))])
  expect(Object.entries(await shares())).toEqual([
    ['Ruby', 66.67],
    ['Python', 33.33],
  ])
  const found = async (name: string) =>
    (await owner.get(`/projects?with_programming_language=${name}&simple=true`)).body.map(
      ({ id }: { id: number }) => id,
    )
  expect([await found('ruby'), await found('Go')]).toEqual([[project.id], []])
  await commit([{ action: 'delete', file_path: 'a.rb' }, create('main.go', 'x')])
  await server.app.platform.jobs.drain()
  expect([await found('ruby'), await found('Go')]).toEqual([[], [project.id]])
})
