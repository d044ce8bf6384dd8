import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestServer } from '../../../testing/index.ts'
import { startWithFiles } from './testing.ts'

let server: TestServer
let reporter: Person
/** Commits of `main`, newest first. */
let commits: string[]
let at: (path: string, rest?: string) => string

beforeAll(async () => {
  ;({ server, reporter, commits, at } = await startWithFiles())
})
afterAll(() => server.stop())

describe('x.files_blame', () => {
  test('returns the commit of each line', async () => {
    const { status, headers, body } = await reporter.get(at('README.md', '/blame?ref=main'))
    expect(status).toBe(200)
    expect(body.map(({ commit, lines }: { commit: { id: string }; lines: string[] }) => [commit.id, lines])).toEqual([
      [commits[1], ['# Hello']],
      [commits[0], ['there']],
      [commits[1], ['world']],
    ])
    expect(body[1].commit).toEqual({
      id: commits[0],
      parent_ids: [commits[1]],
      message: 'second\n',
      authored_date: '2023-11-14T22:13:21.000Z',
      author_name: 'Ada',
      author_email: 'ada@example.com',
      committed_date: '2023-11-14T22:13:21.000Z',
      committer_name: 'Ada',
      committer_email: 'ada@example.com',
    })
    expect(headers.get('x-gitlab-file-path')).toBe('README.md')
    expect((await reporter.head(at('README.md', '/blame?ref=main'))).headers.get('x-gitlab-size')).toBe('20')
    expect((await reporter.head(at('README.md', '/blame'))).status).toBe(400)
  })

  test('supports a range of lines', async () => {
    const lines = async (start: number | string, end: number | string) => {
      const answer = await reporter.get(at('README.md', `/blame?ref=main&range[start]=${start}&range[end]=${end}`))
      return answer.status === 200 ? answer.body.flatMap((one: { lines: string[] }) => one.lines) : answer.body
    }
    expect(await lines(2, 3)).toEqual(['there', 'world'])
    expect(await lines(3, 99)).toEqual(['world'])
    expect(await lines(1, '9223372036854775807')).toHaveLength(3)
    expect(await lines(50, 60)).toEqual([])
    expect(await lines(3, 2)).toEqual({ message: 'range[start] must be less than or equal to range[end]' })
    expect((await lines(0, 2)).error).toBe('range[start] does not have a valid value')
    expect((await lines('x', 2)).error).toBe('range[start] is invalid')
    const only = await reporter.get(at('README.md', '/blame?ref=main&range[start]=1'))
    expect([only.status, only.body.error]).toEqual([400, 'range[end] is missing'])
    const other = await reporter.get(at('README.md', '/blame?ref=main&range[end]=1'))
    expect(other.body.error).toBe('range[start] is missing')
    expect((await reporter.get(at('README.md', '/blame?ref=main&range=1'))).body.error).toBe('range is invalid')
  })

  test('refuses invalid ranges', async () => {
    expect((await reporter.get(at('README.md', '/blame'))).body.error).toBe('ref is missing, ref is empty')
    expect((await reporter.get(at('nope', '/blame?ref=main'))).body).toEqual({ message: '404 File Not Found' })
    expect((await reporter.get(at('lib', '/blame?ref=main'))).body).toEqual({ message: '404 File Not Found' })
    expect((await reporter.get(at('README.md', '/blame?ref=nope'))).body).toEqual({ message: '404 Commit Not Found' })
    expect((await reporter.get(at('empty', '/blame?ref=main'))).body).toEqual([])
    expect(await reporter.get(at('large.bin', '/blame?ref=main'))).toMatchObject({
      status: 400,
      body: { message: 'The file is too large to be blamed' },
    })
    expect((await reporter.get(at('lib/li\nne', '/blame?ref=main'))).body[0].lines).toEqual(['newline'])
  })
})
