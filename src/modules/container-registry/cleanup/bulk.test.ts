import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import {
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { type RegistryRows, registryRows } from '../images/testing.ts'
import { deleteTagsJob } from './bulk.ts'

let clock: ManualClock
let server: TestServer
let people: ProjectWithMembers
let rows: RegistryRows
let base: string

beforeAll(async () => {
  clock = manualClock({ start: '2026-05-01T00:00:00.000Z' })
  server = await startTestServer({ clock })
  people = await projectWithMembers(server)
  rows = registryRows(server)
  base = `/projects/${people.project.id}/registry/repositories`
})
afterAll(() => server.stop())

let number = 0
let id: number
/** Tags of images that are so many days old. */
const agesInDays = { v1: 5, v2: 4, v3: 3, latest: 2, rc1: 1 }
beforeEach(async () => {
  number += 1
  id = await rows.repository(people.project, `r${number}`)
  await rows.agedImages(id, `${number}`, agesInDays)
})

const drain = () => server.app.platform.jobs.drain()
const ask = (query: string | Record<string, string>, client = people.maintainer, repositoryId = id) =>
  client.delete(`${base}/${repositoryId}/tags?${new URLSearchParams(query)}`)

/** The tags that are left after an accepted call. */
async function leftAfter(query: Record<string, string>): Promise<string[]> {
  expect(await ask(query)).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
  await drain()
  return rows.tagNames(id)
}

describe('the deletion of many tags', () => {
  test.each<[Record<string, string>, string[]]>([
    [{ name_regex_delete: '.*' }, ['latest']],
    [{ name_regex_delete: 'v.*', name_regex_keep: 'v2', keep_n: '1', older_than: '1d' }, ['latest', 'rc1', 'v2', 'v3']],
    [{ name_regex_delete: 'v1|rc' }, ['latest', 'rc1', 'v2', 'v3']],
    [{ name_regex_delete: 'V1' }, ['latest', 'rc1', 'v1', 'v2', 'v3']],
    [{ name_regex_delete: '.*', name_regex_keep: '.*' }, ['latest', 'rc1', 'v1', 'v2', 'v3']],
    [{ name_regex_delete: '.*', name_regex_keep: '' }, ['latest']],
    [{ name_regex_delete: '.*', keep_n: '2' }, ['latest', 'rc1', 'v3']],
    [{ name_regex_delete: '.*', keep_n: '-5' }, ['latest']],
    [{ name_regex_delete: '.*', older_than: '3 days and 12 hours' }, ['latest', 'rc1', 'v3']],
    [{ name_regex_delete: '', name_regex: '.*' }, ['latest', 'rc1', 'v1', 'v2', 'v3']],
    [{ name_regex_delete: 'rc1', name_regex: '.*' }, ['latest', 'v1', 'v2', 'v3']],
  ])('by %j leaves %j', async (query, left) => {
    expect(await leftAfter(query)).toEqual(left)
  })

  test('takes its parameters from a JSON body or a form, and marks the deprecated one', async () => {
    const json = await people.maintainer.delete(`${base}/${id}/tags`, { body: { name_regex_delete: 'v1', keep_n: 0 } })
    expect([json.status, json.headers.get('deprecation')]).toEqual([202, null])
    await drain()
    clock.advance(3_600_000)
    const body = new URLSearchParams({ name_regex: 'v\\d+' })
    const form = await people.maintainer.delete(`${base}/${id}/tags`, { body })
    expect([form.status, form.headers.get('deprecation')]).toEqual([202, 'true'])
    await drain()
    expect(await rows.tagNames(id)).toEqual(['latest', 'rc1'])
  })

  test('reports invalid parameters, which do not count as a call', async () => {
    const errors: [Record<string, string>, string][] = [
      [{}, 'name_regex, name_regex_delete are missing, at least one parameter must be provided'],
      [
        { name_regex_delete: '*x' },
        'name_regex_delete is an invalid regexp: missing argument to repetition operator: `*`',
      ],
      [{ name_regex: '(?=a)' }, 'name_regex is an invalid regexp: invalid or unsupported Perl syntax: `(?=`'],
      [
        { name_regex_delete: 'a', name_regex_keep: '\\1' },
        'name_regex_keep is an invalid regexp: invalid escape sequence: `\\1`',
      ],
      [{ name_regex_delete: 'a', keep_n: 'many' }, 'keep_n is invalid'],
      [{ name_regex_delete: 'a', older_than: 'yesterday' }, 'older_than is invalid'],
      [{ name_regex_delete: 'a', older_than: '0d' }, 'older_than is invalid'],
      [{ name_regex_delete: 'a', older_than: '-1d' }, 'older_than is invalid'],
      [{ name_regex_delete: 'a', older_than: '' }, 'older_than is invalid'],
      [{ 'name_regex_delete[a]': 'b' }, 'name_regex_delete is invalid'],
      [{ name_regex_delete: '\u0000' }, 'name_regex_delete is invalid'],
      [
        { name_regex_delete: '.{1000}'.repeat(200) },
        'name_regex_delete is an invalid regexp: pattern too large - compile failed',
      ],
    ]
    for (const [query, error] of errors) expect(await ask(query)).toMatchObject({ status: 400, body: { error } })
    expect((await ask({})).body.message).toBe('400 (Bad request) "name_regex", "name_regex_delete" not given')
    expect((await ask({ name_regex_delete: '*x' })).body.message).toEqual({
      name_regex_delete: ['is an invalid regexp: missing argument to repetition operator: `*`'],
    })
    expect((await ask({ name_regex_delete: 'v1' }, people.developer)).status).toBe(403)
    expect((await ask({ name_regex_delete: 'v1' }, people.maintainer, 99999999)).status).toBe(404)
    expect((await ask({ name_regex_delete: 'v1' })).status).toBe(202)
  })

  test('is accepted once an hour for a repository', async () => {
    expect((await ask({ name_regex_delete: 'x' })).status).toBe(202)
    clock.advance(600_000)
    const again = await ask({ name_regex_delete: 'y' })
    expect(again).toMatchObject({
      status: 429,
      body: {
        message:
          'This request has already been made. You can run this at most once an hour for a given container repository',
      },
    })
    expect(again.headers.get('retry-after')).toBe('3000')
    const other = await rows.repository(people.project, `other${number}`)
    expect((await ask({ name_regex_delete: 'x' }, people.maintainer, other)).status).toBe(202)
    clock.advance(2_999_999)
    expect((await ask({ name_regex_delete: 'y' })).headers.get('retry-after')).toBe('1')
    clock.advance(1)
    expect((await ask({ name_regex_delete: 'y' })).status).toBe(202)
  })

  test('is accepted once of several simultaneous calls', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask({ name_regex_delete: 'v1' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 429, 429, 429, 429])
  })

  /** Runs the job of an accepted call of this caller. */
  async function runFor(caller: { id: number }, asAdministrator = false): Promise<string[]> {
    const payload = {
      repositoryId: id,
      requester: { userId: caller.id, isAdministrator: asAdministrator },
      rules: { deletePattern: '.*', keepPattern: null, keepCount: 0, olderThanSeconds: null },
    }
    const { signal } = new AbortController()
    await deleteTagsJob.run(server.app.platform, payload, { jobId: 0, attempt: 1, signal })
    return rows.tagNames(id)
  }

  test('has no effect for a caller who is below developer when it runs', async () => {
    expect(await runFor(people.reporter)).toHaveLength(5)
    expect(await runFor(people.outsider)).toHaveLength(5)
    expect(await runFor(people.outsider, true)).toHaveLength(5)
    expect(await runFor({ id: 99999999 })).toHaveLength(5)
    expect(await runFor(people.developer)).toEqual(['latest'])
  })

  test('works for administrators without a role', async () => {
    expect(await runFor({ id: 1 }, true)).toEqual(['latest'])
  })

  test('has no effect for a caller who is blocked when it runs, nor in a repository that is being deleted', async () => {
    const caller = await server.user('soon-blocked')
    await server.make.member({ project: people.project }, caller, 50)
    await rows.change(id, { status: 'delete_failed' })
    expect(await runFor(caller)).toHaveLength(5)
    await rows.change(id, { status: null })
    const { database } = server.app.platform
    const setState = (state: 'blocked' | 'active') =>
      database.write((tx) => tx.updateTable('users').set({ state }).where('id', '=', caller.id).execute())
    await setState('blocked')
    expect(await runFor(caller)).toHaveLength(5)
    await setState('active')
    expect(await runFor(caller)).toEqual(['latest'])
  })
})
