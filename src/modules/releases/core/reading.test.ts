import { describe, expect, test } from 'vitest'
import { projectWithTwoCommits, queriesOf } from '../../../testing/index.ts'
import {
  clock,
  create,
  people,
  releases,
  serveReleasesForTests,
  server,
  setSettings,
  tagsOf,
  work,
} from '../testing.ts'

serveReleasesForTests()

describe('x.releases_list', () => {
  test('sorts by date in both directions, in pages, and filters by time', async () => {
    await using own = await projectWithTwoCommits(server, { people, path: 'dated' })
    const path = `${own.base}/releases`
    for (const [tag, day] of [
      ['a', '2026-01-02'],
      ['b', '2026-01-03'],
      ['c', '2026-01-01'],
    ]) {
      await people.developer.post(path, { tag_name: tag, ref: 'main', released_at: `${day}T00:00:00Z` })
      clock.advance(60_000)
    }
    const list = async (query: string) => tagsOf(await people.reporter.get(`${path}?${query}`))
    expect(await list('')).toEqual(['b', 'a', 'c'])
    expect(await list('sort=asc')).toEqual(['c', 'a', 'b'])
    expect(await list('order_by=created_at')).toEqual(['c', 'b', 'a'])
    expect(await list('order_by=created_at&sort=asc')).toEqual(['a', 'b', 'c'])
    const second = await people.reporter.get(`${path}?per_page=2&page=2`)
    expect([tagsOf(second), second.headers.get('x-total')]).toEqual([['c'], '3'])
    const { created_at: middle } = (await people.reporter.get(`${path}/b`)).body
    expect(await list(`order_by=created_at&updated_after=${middle}`)).toEqual(['c', 'b'])
    expect(await list(`order_by=created_at&updated_before=${middle}`)).toEqual(['b', 'a'])
    for (const query of ['order_by=name', 'sort=x', 'updated_after=x', 'include_html_description=x', 'page=x'])
      expect((await people.reporter.get(`${path}?${query}`)).status).toBe(400)
  })

  test('shows sanitised HTML descriptions on request', async () => {
    await using own = await projectWithTwoCommits(server, { people, path: 'described' })
    const path = `${own.base}/releases`
    const description = '*a* <script>alert(1)</script> [x](javascript:alert(1))'
    await people.developer.post(path, { tag_name: 'v1', ref: 'main', description })
    const html = '<p><em>a</em> &lt;script&gt;alert(1)&lt;/script&gt; [x](javascript:alert(1))</p>\n'
    const [listed] = (await people.reporter.get(`${path}?include_html_description=true`)).body
    expect([listed.description, listed.description_html]).toEqual([description, html])
    expect((await people.reporter.get(`${path}/v1?include_html_description=1`)).body.description_html).toBe(html)
    expect((await people.reporter.get(`${path}/v1`)).body).not.toHaveProperty('description_html')
  })

  test('hides what comes from the code from guests of a private project', async () => {
    await using own = await projectWithTwoCommits(server, { people, path: 'guests' })
    const path = `${own.base}/releases`
    const link = { name: 'a', url: 'https://a.example/z', direct_asset_path: '/z' }
    await people.developer.post(path, { tag_name: 'sekret', ref: 'main', description: 'd', assets: { links: [link] } })
    await people.developer.post(path, { tag_name: 'sekret-2', ref: 'main', name: 'Told' })
    await server.app.platform.jobs.drain()
    const answer = await people.guest.get(path)
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
      expect(await people.guest.get(`${path}/${one}`)).toMatchObject({
        status: 403,
        body: { message: '403 Forbidden' },
      })
  })

  test('takes a constant number of queries', async () => {
    const ask = (path: string) => () => people.reporter.get(`${path}?per_page=100&include_html_description=true`)
    await using few = await projectWithTwoCommits(server, { people, path: 'few' })
    await using many = await projectWithTwoCommits(server, { people, path: 'many' })
    for (const [one, count] of [
      [few, 2],
      [many, 20],
    ] as const) {
      for (let number = 0; number < count; number += 1) {
        const links = [{ name: 'a', url: 'https://a.example' }]
        const person = number % 2 === 0 ? people.developer : people.maintainer
        await person.post(`${one.base}/releases`, { tag_name: `v${number}`, ref: 'main', assets: { links } })
      }
    }
    await server.app.platform.jobs.drain()
    expect((await ask(`${many.base}/releases`)()).body).toHaveLength(20)
    const [less, more] = [
      await queriesOf(server, ask(`${few.base}/releases`)),
      await queriesOf(server, ask(`${many.base}/releases`)),
    ]
    expect(more).toBe(less)
  })
})

describe('x.releases_get and x.releases_latest', () => {
  test('answer 404 when there is none', async () => {
    for (const tag of ['nope', 'ONCE', 'main', 'x'.repeat(2_000), '%', "'; drop table releases; --"]) {
      const answer = await people.reporter.get(`${releases}/${encodeURIComponent(tag)}`)
      expect([tag, answer.status, answer.body]).toEqual([tag, 404, { message: '404 Not Found' }])
    }
    const empty = await server.make.project('empty', people.owner)
    expect((await people.owner.get(`/projects/${empty.id}/releases`)).body).toEqual([])
    expect(await people.owner.get(`/projects/${empty.id}/releases/permalink/latest`)).toMatchObject({
      status: 404,
      body: { message: '404 Not Found' },
    })
  })

  test('find the latest release by date and build a safe address', async () => {
    await using own = await projectWithTwoCommits(server, { people, path: 'latest' })
    const path = `${own.base}/releases`
    const soon = new Date(clock.now().getTime() + 86_400_000).toISOString()
    await people.developer.post(path, { tag_name: 'next', ref: 'main', released_at: soon })
    const latest = async (query = '', client = people.reporter) => {
      const answer = await client.get(`${path}/permalink/latest${query}`)
      expect(answer.status).toBe(302)
      return answer.headers.get('location')?.replace(`${server.url}/api/v4${path}`, '')
    }
    expect(await latest()).toBe('/next')
    expect((await people.reporter.get(`${path}/next`)).body.upcoming_release).toBe(true)
    await people.developer.post(path, { tag_name: 'old', ref: 'main', released_at: '2020-01-01' })
    await people.developer.post(path, { tag_name: 'new/est', ref: 'main' })
    expect(await latest()).toBe('/new%2Fest')
    clock.advance(86_400_000)
    expect(await latest()).toBe('/next')
    expect((await people.reporter.get(`${path}/next`)).body.upcoming_release).toBe(false)
    expect(await latest('?include_html_description=true&private_token=x', people.reporter)).toBe(
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
        await people.reporter.get(`${path}/permalink/latest?suffix_path=${encodeURIComponent(suffix)}`),
      ).toMatchObject({
        status: 400,
        body: { error: 'suffix_path is invalid' },
      })
    for (const [suffix, leadsTo] of [
      ['/assets/links', '/next/assets/links'],
      ['/downloads/bin/a%20b%3Fc', '/next/downloads/bin/a%20b%3Fc'],
      ['/evil%2F%2Fevil.example', '/next/evil/evil.example'],
      ['/a/b?suffix_path=c&include_html_description=false', '/next/a/b?include_html_description=false'],
      ['/', '/next'],
    ] as const) {
      expect(await latest(suffix)).toBe(leadsTo)
    }
    expect(await people.reporter.get(`${path}/permalink/latest/a%2F..%2F..`)).toMatchObject({ status: 400 })
    expect(await people.reporter.post(`${path}/permalink/latest/a`, {})).toMatchObject({ status: 405 })
  })
})

describe('access', () => {
  test('read: callers who may see the project and its releases', async () => {
    await using open = await projectWithTwoCommits(server, { people, path: 'open', visibility: 'public' })
    const path = `${open.base}/releases`
    await people.developer.post(path, { tag_name: 'v1', ref: 'main' })
    for (const client of [server.anonymous, people.outsider, people.guest]) {
      const [release] = (await client.get(path)).body
      expect([release.tag_name, 'edit_url' in release._links]).toEqual(['v1', false])
      expect((await client.get(`${path}/v1`)).status).toBe(200)
      expect((await client.get(`${path}/permalink/latest`)).status).toBe(302)
    }
    const missing = { status: 404, body: { message: '404 Not Found' } }
    await setSettings(open.project, { releases_access_level: 'private' })
    for (const client of [server.anonymous, people.outsider])
      for (const one of ['', '/v1', '/permalink/latest', '/v1/assets/links'])
        expect(await client.get(`${path}${one}`)).toMatchObject(missing)
    expect((await people.guest.get(path)).status).toBe(200)
    await setSettings(open.project, { releases_access_level: 'disabled' })
    expect(await people.owner.get(path)).toMatchObject(missing)
    expect(await people.owner.post(path, { tag_name: 'v2', ref: 'main' })).toMatchObject(missing)
    await setSettings(open.project, { repository_access_level: 'disabled' })
    expect(await people.owner.get(path)).toMatchObject({ status: 404, body: { message: '404 Repository Not Found' } })
  })

  test('to write requires the scope api and a project that is not archived', async () => {
    const reader = server.as(await server.make.token(people.developer, ['read_api']))
    expect((await reader.post(releases, { tag_name: 'no' })).body.error).toBe('insufficient_scope')
    await server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ archived: true }).where('id', '=', work.project.id).execute(),
    )
    expect((await create('no')).status).toBe(403)
    expect((await people.reporter.get(releases)).status).toBe(200)
    await server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ archived: false }).where('id', '=', work.project.id).execute(),
    )
  })
})
