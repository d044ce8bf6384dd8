import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ManualClock } from '../../../infra/clock/index.ts'
import { type Person, queriesOf, type TestServer } from '../../../testing/index.ts'
import { startTalk, type Talk, talkedAbout } from '../testing.ts'

let server: TestServer
let clock: ManualClock
let owner: Person
let developer: Person
let reporter: Person
let guest: Person
let outsider: Person
let demo: Talk['demo']

beforeAll(async () => {
  ;({ server, clock, owner, developer, reporter, guest, outsider, demo } = await startTalk())
})
afterAll(() => server.stop())

const missing = (name: string) => ({
  status: 400,
  body: { message: `400 (Bad request) "${name}" not given`, error: `${name} is missing` },
})

describe('a comment', () => {
  test('is returned with its author, and listed only for its commit', async () => {
    const made = await reporter.post(`${demo.commits}/${demo.first}/comments`, { note: 'Fine *work*' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      note: 'Fine *work*',
      path: null,
      line: null,
      line_type: null,
      author: expect.objectContaining({ id: reporter.id, username: 'reporter', state: 'active' }),
      created_at: '2026-03-01T12:00:00.000Z',
    })
    expect(Object.keys(made.body)).toEqual(['note', 'path', 'line', 'line_type', 'author', 'created_at'])
    clock.advance(1000)
    await developer.post(`${demo.commits}/${demo.first.slice(0, 8)}/comments`, { note: 'Thanks' })
    const list = await reporter.get(`${demo.commits}/${demo.first}/comments`)
    expect(list.status).toBe(200)
    expect(list.body.map(({ note }: { note: string }) => note)).toEqual(['Fine *work*', 'Thanks'])
    expect(list.body[0]).toEqual(made.body)
    expect((await reporter.get(`${demo.commits}/main/comments`)).body).toEqual([])
  })

  test('may be on an added or removed line', async () => {
    const added = { note: 'a', path: 'a.txt', line: 7, line_type: 'new' }
    expect((await reporter.post(`${demo.at}/comments`, added)).body).toMatchObject({
      path: 'a.txt',
      line: 7,
      line_type: 'new',
    })
    const removed = { note: 'b', path: 'a.txt', line: '4', line_type: 'old' }
    expect((await reporter.post(`${demo.at}/comments`, removed)).body).toMatchObject({
      path: 'a.txt',
      line: 4,
      line_type: 'old',
    })
    const moved = { note: 'c', path: 'moved-to.txt', line: 8, line_type: 'new' }
    expect((await reporter.post(`${demo.at}/comments`, moved)).body).toMatchObject({ path: 'moved-to.txt', line: 8 })
    const first = { note: 'd', path: 'a.txt', line: 1, line_type: 'new' }
    expect((await reporter.post(`${demo.commits}/${demo.first}/comments`, first)).body).toMatchObject({ line: 1 })
    const threads = (await reporter.get(`${demo.at}/discussions`)).body
    expect(threads.map(({ notes }: never) => (notes as { type: string }[])[0]?.type)).toEqual(Array(3).fill('DiffNote'))
    expect(threads[2].notes[0].position).toEqual({
      base_sha: demo.first,
      start_sha: demo.first,
      head_sha: demo.second,
      position_type: 'text',
      old_path: 'moved-from.txt',
      new_path: 'moved-to.txt',
      old_line: null,
      new_line: 8,
    })
  })

  test('on an unchanged line belongs to the commit', async () => {
    for (const [path, line, side] of [
      ['a.txt', 1, 'new'],
      ['a.txt', 99, 'new'],
      ['a.txt', -1, 'old'],
      ['moved-to.txt', 1, 'new'],
      ['none.txt', 1, 'new'],
      ['../a.txt', 1, 'new'],
      ['.git/config', 1, 'new'],
      [':(glob)*', 7, 'new'],
    ] as const) {
      const answer = await reporter.post(`${demo.at}/comments`, { note: 'x', path, line, line_type: side })
      expect([answer.status, answer.body.path, answer.body.line, answer.body.line_type]).toEqual([
        201,
        null,
        null,
        null,
      ])
    }
  })

  test('requires a text, and a complete position', async () => {
    const path = `${demo.at}/comments`
    expect(await reporter.post(path, {})).toMatchObject(missing('note'))
    expect(await reporter.post(path, { note: 'x', path: 'a.txt' })).toMatchObject(missing('line'))
    expect(await reporter.post(path, { note: 'x', path: 'a.txt', line: 1 })).toMatchObject(missing('line_type'))
    const side = await reporter.post(path, { note: 'x', path: 'a.txt', line: 1, line_type: 'both' })
    expect([side.status, side.body.error]).toEqual([400, 'line_type does not have a valid value'])
    const line = await reporter.post(path, { note: 'x', path: 'a.txt', line: 'x', line_type: 'new' })
    expect([line.status, line.body.error]).toEqual([400, 'line is invalid'])
    expect((await reporter.post(path, { note: 'x', path: '' })).status).toBe(201)
  })

  test('must not be blank or too long', async () => {
    const path = `${demo.at}/comments`
    for (const note of ['', ' \n\t']) {
      expect(await reporter.post(path, { note })).toMatchObject({
        status: 400,
        body: { message: `400 Bad request - Note {:note=>["can't be blank"]}` },
      })
    }
    expect(await reporter.post(path, { note: 'x'.repeat(1_000_001) })).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Note {:note=>["is too long (maximum is 1000000 characters)"]}' },
    })
    const longest = '💥'.repeat(600_000)
    expect((await reporter.post(path, { note: longest })).body.note).toBe(longest)
    expect((await reporter.post(path, { note: 'a\u0000b' })).body.error).toBe('note is invalid')
    expect((await reporter.post(path, { note: { a: 1 } })).body.error).toBe('note is invalid')
    const markup = `<script>alert(1)</script> '; drop table notes; --`
    expect((await reporter.post(path, { note: markup })).body.note).toBe(markup)
  })

  test('requires an existing commit', async () => {
    for (const revision of ['nothing', '0'.repeat(40), 'main~1', '..%2F..']) {
      const path = `${demo.commits}/${revision}/comments`
      expect(await reporter.get(path)).toMatchObject({ status: 404, body: { message: '404 Commit Not Found' } })
      expect(await reporter.post(path, { note: 'x' })).toMatchObject({
        status: 404,
        body: { message: '404 Commit Not Found' },
      })
    }
    const empty = await server.make.project('empty', owner)
    expect((await owner.get(`/projects/${empty.id}/repository/commits/main/comments`)).status).toBe(404)
  })
})

describe('access to comments', () => {
  test('requires reporter in a private project', async () => {
    const path = `${demo.at}/comments`
    expect(await server.anonymous.post(path, { note: 'x' })).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    })
    expect(await outsider.post(path, { note: 'x' })).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    })
    expect(await outsider.get(path)).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } })
    for (const answer of [await guest.post(path, { note: 'x' }), await guest.get(path)]) {
      expect(answer).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    }
    const reads = server.as(await server.make.token(reporter, ['read_api']))
    expect((await reads.get(path)).status).toBe(200)
    expect((await reads.post(path, { note: 'x' })).body).toMatchObject({ error: 'insufficient_scope' })
  })

  test('is open to signed-in users of a public project, but not of an archived one', async () => {
    const open = await talkedAbout(server, owner, 'open', 'public')
    const path = `${open.at}/comments`
    expect((await outsider.post(path, { note: 'Hello' })).status).toBe(201)
    expect((await server.anonymous.post(path, { note: 'x' })).status).toBe(401)
    expect((await server.anonymous.get(path)).body).toHaveLength(1)
    await owner.post(`/projects/${open.project.id}/archive`)
    expect(await owner.post(path, { note: 'x' })).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect((await server.anonymous.get(path)).body).toHaveLength(1)
    await owner.post(`/projects/${open.project.id}/unarchive`)
    await owner.put(`/projects/${open.project.id}`, { repository_access_level: 'disabled' })
    expect(await owner.get(path)).toMatchObject({ status: 404, body: { message: '404 Repository Not Found' } })
  })

  test('is limited per minute', async () => {
    const busy = await talkedAbout(server, owner, 'busy')
    await server.root.put('/application/settings', { notes_create_limit: 2 })
    clock.advance(60_000)
    const post = () => owner.post(`${busy.at}/comments`, { note: 'x' })
    expect([(await post()).status, (await post()).status]).toEqual([201, 201])
    const refused = await post()
    expect(refused).toMatchObject({
      status: 429,
      body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await server.root.post(`${busy.at}/comments`, { note: 'x' })).status).toBe(201)
    clock.advance(60_000)
    expect((await post()).status).toBe(201)
    await server.root.put('/application/settings', { notes_create_limit: 0 })
    for (let count = 0; count < 3; count += 1) expect((await post()).status).toBe(201)
  })
})

describe('the list of comments', () => {
  test('is paginated, with the same number of queries for any number of comments and authors', async () => {
    const many = await talkedAbout(server, owner, 'many', 'public')
    const people = await Promise.all(Array.from({ length: 5 }, (_, index) => server.user(`talker-${index}`)))
    const say = (index: number) => people[index % 5]?.post(`${many.at}/comments`, { note: `n${index}` })
    for (let index = 0; index < 2; index += 1) await say(index)
    const costs = async () => [
      await queriesOf(server, () => owner.get(`${many.at}/comments`)),
      await queriesOf(server, () => owner.get(`${many.at}/discussions`)),
    ]
    const few = await costs()
    for (let index = 2; index < 20; index += 1) await say(index)
    expect(await costs()).toEqual(few)
    const lengthOf = async (list: string) => (await owner.get(`${many.at}/${list}`)).body.length
    expect([await lengthOf('comments'), await lengthOf('discussions')]).toEqual([20, 20])
    const page = await owner.get(`${many.at}/comments?per_page=6&page=2`)
    expect(page.body.map(({ note }: { note: string }) => note)).toEqual(['n6', 'n7', 'n8', 'n9', 'n10', 'n11'])
    expect([page.headers.get('x-total'), page.headers.get('x-next-page')]).toEqual(['20', '3'])
    expect((await owner.get(`${many.at}/comments?page=9`)).body).toEqual([])
  })
})
