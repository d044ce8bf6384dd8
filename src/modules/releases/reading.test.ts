import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { type People, people, queriesOf, type Work, workOn } from '../../testing/work.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
let cast: People
let work: Work
let releases: string

beforeAll(async () => {
  server = await startTestServer({ clock })
  cast = await people(server)
  work = await workOn(server, cast, 'demo')
  releases = `${work.base}/releases`
})
afterAll(async () => {
  await work[Symbol.asyncDispose]()
  await server.stop()
})

type Answer = Awaited<ReturnType<typeof server.root.get>>
const tagsOf = (answer: Answer) => answer.body.map((release: { tag_name: string }) => release.tag_name)
const create = (tag_name: unknown, more: object = { ref: 'main' }, client = cast.developer) =>
  client.post(releases, { tag_name, ...more })

async function settings(project: { id: number }, changes: object): Promise<void> {
  await server.app.floor.database.write((tx) =>
    tx
      .updateTable('projects')
      .set({ settings: JSON.stringify(changes) })
      .where('id', '=', project.id)
      .execute(),
  )
}

describe('x.releases_list', () => {
  test('goes by date, in both directions, page by page, between times', async () => {
    await using own = await workOn(server, cast, 'dated')
    const path = `${own.base}/releases`
    for (const [tag, day] of [
      ['a', '2026-01-02'],
      ['b', '2026-01-03'],
      ['c', '2026-01-01'],
    ]) {
      await cast.developer.post(path, { tag_name: tag, ref: 'main', released_at: `${day}T00:00:00Z` })
      clock.advance(60_000)
    }
    const list = async (query: string) => tagsOf(await cast.reporter.get(`${path}?${query}`))
    expect(await list('')).toEqual(['b', 'a', 'c'])
    expect(await list('sort=asc')).toEqual(['c', 'a', 'b'])
    expect(await list('order_by=created_at')).toEqual(['c', 'b', 'a'])
    expect(await list('order_by=created_at&sort=asc')).toEqual(['a', 'b', 'c'])
    const second = await cast.reporter.get(`${path}?per_page=2&page=2`)
    expect([tagsOf(second), second.headers.get('x-total')]).toEqual([['c'], '3'])
    const { created_at: middle } = (await cast.reporter.get(`${path}/b`)).body
    expect(await list(`order_by=created_at&updated_after=${middle}`)).toEqual(['c', 'b'])
    expect(await list(`order_by=created_at&updated_before=${middle}`)).toEqual(['b', 'a'])
    for (const query of ['order_by=name', 'sort=x', 'updated_after=x', 'include_html_description=x', 'page=x'])
      expect((await cast.reporter.get(`${path}?${query}`)).status).toBe(400)
  })

  test('shows descriptions in HTML where asked, and no harm in it', async () => {
    await using own = await workOn(server, cast, 'described')
    const path = `${own.base}/releases`
    const description = '*a* <script>alert(1)</script> [x](javascript:alert(1))'
    await cast.developer.post(path, { tag_name: 'v1', ref: 'main', description })
    const html = '<p><em>a</em> &lt;script&gt;alert(1)&lt;/script&gt; [x](javascript:alert(1))</p>\n'
    const [listed] = (await cast.reporter.get(`${path}?include_html_description=true`)).body
    expect([listed.description, listed.description_html]).toEqual([description, html])
    expect((await cast.reporter.get(`${path}/v1?include_html_description=1`)).body.description_html).toBe(html)
    expect((await cast.reporter.get(`${path}/v1`)).body).not.toHaveProperty('description_html')
  })

  test('shows nothing of the code to guests of a private project', async () => {
    await using own = await workOn(server, cast, 'guests')
    const path = `${own.base}/releases`
    const link = { name: 'a', url: 'https://a.example/z', direct_asset_path: '/z' }
    await cast.developer.post(path, { tag_name: 'sekret', ref: 'main', description: 'd', assets: { links: [link] } })
    await cast.developer.post(path, { tag_name: 'sekret-2', ref: 'main', name: 'Told' })
    await server.app.floor.jobs.drain()
    const answer = await cast.guest.get(path)
    expect(answer.status).toBe(200)
    expect(JSON.stringify(answer.body)).not.toContain('sekret')
    const [second, first] = answer.body
    expect(second.name).toBe('Told')
    expect(first).toEqual({
      name: expect.stringMatching(/^Release-\d+$/),
      description: 'd',
      created_at: expect.any(String),
      released_at: expect.any(String),
      upcoming_release: false,
      author: expect.objectContaining({ username: 'developer' }),
      milestones: [],
      assets: {
        count: 1,
        links: [{ id: expect.any(Number), name: 'a', url: link.url, direct_asset_url: link.url, link_type: 'other' }],
      },
      _links: {},
    })
    for (const one of ['sekret', 'permalink/latest', 'sekret/assets/links', 'sekret/assets/links/1', 'nope'])
      expect(await cast.guest.get(`${path}/${one}`)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
  })

  test('costs the same number of queries for few and for many', async () => {
    const ask = (path: string) => () => cast.reporter.get(`${path}?per_page=100&include_html_description=true`)
    await using few = await workOn(server, cast, 'few')
    await using many = await workOn(server, cast, 'many')
    for (const [one, count] of [
      [few, 2],
      [many, 20],
    ] as const) {
      for (let number = 0; number < count; number += 1) {
        const links = [{ name: 'a', url: 'https://a.example' }]
        const person = number % 2 === 0 ? cast.developer : cast.maintainer
        await person.post(`${one.base}/releases`, { tag_name: `v${number}`, ref: 'main', assets: { links } })
      }
    }
    await server.app.floor.jobs.drain()
    expect((await ask(`${many.base}/releases`)()).body).toHaveLength(20)
    const [less, more] = [
      await queriesOf(server, ask(`${few.base}/releases`)),
      await queriesOf(server, ask(`${many.base}/releases`)),
    ]
    expect(more).toBe(less)
  })
})

describe('x.releases_get and x.releases_latest', () => {
  test('answer 404 where there is none', async () => {
    for (const tag of ['nope', 'ONCE', 'main', 'x'.repeat(2_000), '%', "'; drop table releases; --"]) {
      const answer = await cast.reporter.get(`${releases}/${encodeURIComponent(tag)}`)
      expect([tag, answer.status, answer.body]).toEqual([tag, 404, { message: '404 Not Found' }])
    }
    const empty = await server.make.project('empty', cast.owner)
    expect((await cast.owner.get(`/projects/${empty.id}/releases`)).body).toEqual([])
    expect(await cast.owner.get(`/projects/${empty.id}/releases/permalink/latest`)).toMatchObject({
      status: 404,
      body: { message: '404 Not Found' },
    })
  })

  test('the newest is found by its date, and its address leads nowhere else', async () => {
    await using own = await workOn(server, cast, 'latest')
    const path = `${own.base}/releases`
    const soon = new Date(clock.now().getTime() + 86_400_000).toISOString()
    await cast.developer.post(path, { tag_name: 'next', ref: 'main', released_at: soon })
    const latest = async (query = '', client = cast.reporter) => {
      const answer = await client.get(`${path}/permalink/latest${query}`)
      expect(answer.status).toBe(302)
      return answer.headers.get('location')?.replace(`${server.url}/api/v4${path}`, '')
    }
    expect(await latest()).toBe('/next')
    expect((await cast.reporter.get(`${path}/next`)).body.upcoming_release).toBe(true)
    await cast.developer.post(path, { tag_name: 'old', ref: 'main', released_at: '2020-01-01' })
    await cast.developer.post(path, { tag_name: 'new/est', ref: 'main' })
    expect(await latest()).toBe('/new%2Fest')
    clock.advance(86_400_000)
    expect(await latest()).toBe('/next')
    expect((await cast.reporter.get(`${path}/next`)).body.upcoming_release).toBe(false)
    expect(await latest('?include_html_description=true&private_token=x', cast.reporter)).toBe(
      '/next?include_html_description=true',
    )
    for (const [suffix, leadsTo] of [
      ['assets/links', '/next/assets/links'],
      ['/assets//links/', '/next/assets/links'],
      ['//evil.example/x', '/next/evil.example/x'],
      ['https://evil.example', '/next/https%3A/evil.example'],
      ['a\r\nSet-Cookie: x=1', '/next/a%0D%0ASet-Cookie%3A%20x%3D1'],
      ['a?b=c#d', '/next/a%3Fb%3Dc%23d'],
      ['\\\\evil', '/next/%5C%5Cevil'],
      ['@evil', '/next/%40evil'],
    ] as const) {
      expect(await latest(`?suffix_path=${encodeURIComponent(suffix)}`)).toBe(leadsTo)
    }
    for (const suffix of ['..', '../../1', 'a/./b', 'a/..'])
      expect(
        await cast.reporter.get(`${path}/permalink/latest?suffix_path=${encodeURIComponent(suffix)}`),
      ).toMatchObject({
        status: 400,
        body: { error: 'suffix_path is invalid' },
      })
  })
})

describe('who may', () => {
  test('read: whoever sees the project and its releases', async () => {
    await using open = await workOn(server, cast, 'open', 'public')
    const path = `${open.base}/releases`
    await cast.developer.post(path, { tag_name: 'v1', ref: 'main' })
    for (const client of [server.anonymous, cast.outsider, cast.guest]) {
      const [release] = (await client.get(path)).body
      expect([release.tag_name, 'edit_url' in release._links]).toEqual(['v1', false])
      expect((await client.get(`${path}/v1`)).status).toBe(200)
      expect((await client.get(`${path}/permalink/latest`)).status).toBe(302)
    }
    const missing = { status: 404, body: { message: '404 Not Found' } }
    await settings(open.project, { releases_access_level: 'private' })
    for (const client of [server.anonymous, cast.outsider])
      for (const one of ['', '/v1', '/permalink/latest', '/v1/assets/links'])
        expect(await client.get(`${path}${one}`)).toMatchObject(missing)
    expect((await cast.guest.get(path)).status).toBe(200)
    await settings(open.project, { releases_access_level: 'disabled' })
    expect(await cast.owner.get(path)).toMatchObject(missing)
    expect(await cast.owner.post(path, { tag_name: 'v2', ref: 'main' })).toMatchObject(missing)
    await settings(open.project, { repository_access_level: 'disabled' })
    expect(await cast.owner.get(path)).toMatchObject({ status: 404, body: { message: '404 Repository Not Found' } })
  })

  test('write: developers and above', async () => {
    for (const client of [cast.reporter, cast.guest]) {
      expect((await create('no', { ref: 'main' }, client)).status).toBe(403)
      expect((await client.delete(`${releases}/once`)).status).toBe(403)
      expect((await client.put(`${releases}/once`, { name: 'x' })).status).toBe(403)
    }
    for (const path of [releases, `${releases}/once`, `${releases}/permalink/latest`]) {
      for (const client of [cast.outsider, server.anonymous])
        expect(await client.get(path)).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } })
    }
    expect((await create('no', { ref: 'main' }, cast.outsider)).status).toBe(404)
    expect((await server.anonymous.post(releases, { tag_name: 'no' })).status).toBe(401)
    const reader = server.as(await server.make.token(cast.developer, ['read_api']))
    expect((await reader.post(releases, { tag_name: 'no' })).body.error).toBe('insufficient_scope')
    await server.app.floor.database.write((tx) =>
      tx.updateTable('projects').set({ archived: true }).where('id', '=', work.project.id).execute(),
    )
    expect((await create('no')).status).toBe(403)
    expect((await cast.reporter.get(releases)).status).toBe(200)
    await server.app.floor.database.write((tx) =>
      tx.updateTable('projects').set({ archived: false }).where('id', '=', work.project.id).execute(),
    )
  })
})
