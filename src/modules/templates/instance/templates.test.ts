import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

/** All entries of a list, page by page. */
async function keysAt(path: string): Promise<string[]> {
  const keys: string[] = []
  for (let page = '1'; page !== ''; ) {
    const { status, body, headers } = await server.anonymous.get(`${path}?page=${page}`)
    expect(status).toBe(200)
    keys.push(...body.map(({ key, name }: { key: string; name: string }) => (key === name ? key : `${key}: ${name}`)))
    page = headers.get('x-next-page') ?? ''
  }
  return keys
}

/** What the contract names (24, Operations: templates). */
const named: Record<string, string> = {
  dockerfiles:
    'Binary Golang Golang-alpine HTTPd HTTPd-alpine Node Node-alpine OpenJDK OpenJDK-alpine PHP PHP-alpine Python ' +
    'Python-alpine Ruby Ruby-alpine Rust Rust-alpine Swift',
  gitignores:
    'C C++ CMake Composer Dart Elixir Go Gradle Haskell Java Julia Kotlin Laravel Lua Maven Node Objective-C OCaml Perl ' +
    'Python R Rails Ruby Rust Scala Swift Terraform TeX Unity VisualStudio',
  gitlab_ci_ymls:
    'Android Bash C++ Composer Crystal Dart Django Docker dotNET Elixir Flutter Getting-Started Go Gradle Grails Julia ' +
    'LaTeX Laravel Maven Mono Nodejs npm PHP Pages-HTML Python Ruby Rust Scala Swift Terraform',
}

test.each(Object.entries(named))('%s are listed by key for everyone, and each has a content', async (kind, words) => {
  const keys = await keysAt(`/templates/${kind}`)
  expect(keys).toEqual([...keys].sort())
  expect(words.split(' ').filter((word) => !keys.includes(word))).toEqual([])
  for (const key of keys) {
    const { status, body } = await server.anonymous.get(`/templates/${kind}/${encodeURIComponent(key)}`)
    expect([status, Object.keys(body), body.name]).toEqual([200, ['name', 'content'], key])
    expect(body.content.length).toBeGreaterThan(5)
  }
})

test('a page of 20 says how many there are', async () => {
  const { body, headers } = await server.anonymous.get('/templates/gitlab_ci_ymls')
  expect(body).toHaveLength(20)
  expect(Number(headers.get('x-total'))).toBeGreaterThan(20)
})

test.each([
  ['dockerfiles', 'dockerfile'],
  ['gitignores', 'gitignore'],
  ['gitlab_ci_ymls', 'gitlab_ci_yml'],
  ['licenses', 'License'],
])('an unknown name of %s', async (kind, noun) => {
  const names = [
    'x',
    'nodejs',
    'NODE',
    '..%2Findex.ts',
    '%2E%2E%2F%2E%2E%2Findex',

    '%F0%9F%A6%8A',
    'Node%2F',
    '%5B',
  ]
  for (const name of [...names, 'a'.repeat(4_000)]) {
    const { status, body } = await server.anonymous.get(`/templates/${kind}/${name}`)
    expect([name, status, body]).toEqual([name, 404, { message: `404 ${noun} Not Found` }])
  }
})

test('every CI configuration is valid', async () => {
  const project = await server.make.project('lint', people.owner)
  for (const key of await keysAt('/templates/gitlab_ci_ymls')) {
    const { content } = (await server.anonymous.get(`/templates/gitlab_ci_ymls/${encodeURIComponent(key)}`)).body
    const { status, body } = await people.owner.post(`/projects/${project.id}/ci/lint`, { content })
    expect([key, status, body.errors, body.warnings]).toEqual([key, 200, [], []])
  }
})

describe('licences', () => {
  test('are listed with their placeholders', async () => {
    const { body } = await server.anonymous.get('/templates/licenses?per_page=100')
    const keys = body.map(({ key }: { key: string }) => key)
    expect(keys).toEqual([...keys].sort())
    for (const key of ['agpl-3.0', 'apache-2.0', 'bsd-2-clause', 'bsd-3-clause', 'bsl-1.0', 'cc0-1.0', 'epl-2.0']) {
      expect(keys).toContain(key)
    }
    for (const key of ['gpl-2.0', 'gpl-3.0', 'lgpl-2.1', 'mit', 'mpl-2.0', 'unlicense']) expect(keys).toContain(key)
    const mit = body.find(({ key }: { key: string }) => key === 'mit')
    expect(mit).toEqual({
      key: 'mit',
      name: 'MIT License',
      nickname: null,
      html_url: 'https://spdx.org/licenses/MIT.html',
      source_url: 'https://opensource.org/license/mit',
      popular: true,
      description: expect.any(String),
      conditions: ['include-copyright'],
      permissions: ['commercial-use', 'modifications', 'distribution', 'private-use'],
      limitations: ['liability', 'warranty'],
      content: expect.stringContaining('Copyright (c) <year> <copyright holders>'),
    })
  })

  test('may be only the popular ones', async () => {
    const keysOf = async (query: string) =>
      (await server.anonymous.get(`/templates/licenses?${query}`)).body.map(({ key }: { key: string }) => key)
    expect(await keysOf('popular=true')).toEqual(['apache-2.0', 'gpl-3.0', 'mit'])
    expect((await keysOf('popular=false')).length).toBeGreaterThan(3)
    expect((await server.anonymous.get('/templates/licenses?popular=x')).status).toBe(400)
  })

  test('are filled with the year, the holder and the project', async () => {
    const year = new Date(server.app.platform.clock.now()).getUTCFullYear()
    const { body } = await server.anonymous.get('/templates/licenses/BSD-2-clause?project=a&fullname=b')
    expect(body.key).toBe('bsd-2-clause')
    expect(body.content).toContain(`Copyright (c) ${year} b`)
    const { content } = (await server.anonymous.get('/templates/licenses/gpl-3.0?project=A+tool&fullname=b')).body
    expect(content).toMatch(new RegExp(`A tool\\s+Copyright \\(C\\) ${year}\\s+b`))
    expect((await server.anonymous.get('/templates/licenses/apache-2.0?fullname=b')).body.content).toContain(
      `Copyright ${year} b`,
    )
  })

  test('have the name of the caller where none is given, and else the placeholder', async () => {
    expect((await people.guest.get('/templates/licenses/mit')).body.content).toContain('guest person')
    expect((await server.anonymous.get('/templates/licenses/mit')).body.content).toContain('<copyright holders>')
  })

  test('take values literally, up to 255 characters', async () => {
    const hostile = '$& $1 <year> 🦊 "\\'
    const { body } = await server.anonymous.get(`/templates/licenses/mit?fullname=${encodeURIComponent(hostile)}`)
    expect(body.content).toContain(hostile)
    const tooLong = await server.anonymous.get(`/templates/licenses/mit?fullname=${'x'.repeat(256)}`)
    expect(tooLong.status).toBe(400)
    expect((await server.anonymous.get('/templates/licenses/mit?fullname[a]=x')).status).toBe(400)
  })
})
