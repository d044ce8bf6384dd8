import { describe, expect, test } from 'vitest'
import { projectWithTwoCommits } from '../../../testing/index.ts'
import { create, people, releases, serveReleasesForTests, server, work } from '../testing.ts'

serveReleasesForTests()

describe('x.releases_create', () => {
  test('creates the tag and returns the whole release', async () => {
    const main = await work.run('rev-parse', 'main')
    const answer = await create('v1.0/a-b', {
      ref: 'main',
      name: 'One',
      description: '# Hi\n\n<b>x</b>',
      tag_message: 'Noted',
      assets: {
        links: [
          { name: 'first', url: 'https://a.example/x' },
          { name: 'second', url: 'ftp://a.example/y', direct_asset_path: '/bin/y', link_type: 'package' },
        ],
      },
    })
    const web = `${server.url}/owner/demo`
    const page = `${web}/-/releases/v1.0%2Fa-b`
    const around = (kind: string, state: string) => `${web}/-/${kind}?release_tag=v1.0%2Fa-b&scope=all&state=${state}`
    expect(answer.status).toBe(201)
    // A job collects the evidence, which may have happened already.
    const { evidence_file_path, ...assets } = answer.body.assets
    expect({ ...answer.body, assets, evidences: [] }).toEqual({
      name: 'One',
      tag_name: 'v1.0/a-b',
      description: '# Hi\n\n<b>x</b>',
      created_at: '2026-03-01T12:00:00.000Z',
      released_at: '2026-03-01T12:00:00.000Z',
      upcoming_release: false,
      author: expect.objectContaining({ username: 'developer', state: 'active' }),
      commit: expect.objectContaining({ id: main, web_url: `${web}/-/commit/${main}` }),
      milestones: [],
      commit_path: `/owner/demo/-/commit/${main}`,
      tag_path: '/owner/demo/-/tags/v1.0/a-b',
      assets: {
        count: 6,
        sources: ['zip', 'tar.gz', 'tar.bz2', 'tar'].map((format) => ({
          format,
          url: `${web}/-/archive/v1.0/a-b/demo-v1.0-a-b.${format}`,
        })),
        links: [
          {
            id: expect.any(Number),
            name: 'second',
            url: 'ftp://a.example/y',
            direct_asset_url: `${page}/downloads/bin/y`,
            link_type: 'package',
          },
          {
            id: expect.any(Number),
            name: 'first',
            url: 'https://a.example/x',
            direct_asset_url: 'https://a.example/x',
            link_type: 'other',
          },
        ],
      },
      evidences: [],
      _links: {
        closed_issues_url: around('issues', 'closed'),
        closed_merge_requests_url: around('merge_requests', 'closed'),
        edit_url: `${page}/edit`,
        merged_merge_requests_url: around('merge_requests', 'merged'),
        opened_issues_url: around('issues', 'opened'),
        opened_merge_requests_url: around('merge_requests', 'opened'),
        self: page,
      },
    })
    const tag = await people.reporter.get(`${work.base}/repository/tags/v1.0%2Fa-b`)
    expect(tag.body).toMatchObject({
      message: 'Noted',
      release: { tag_name: 'v1.0/a-b', description: '# Hi\n\n<b>x</b>' },
    })
  })

  test('uses an existing tag; its name is the default name', async () => {
    await work.run('tag', 'there', 'main~1')
    expect(await work.push(people.owner, 'there')).toMatchObject({ isAccepted: true })
    for (const [tag, more] of [
      ['there', {}],
      ['named-blank', { name: ' ', ref: 'main' }],
    ] as const) {
      expect(await create(tag, more)).toMatchObject({ status: 201, body: { name: tag, description: null } })
    }
    expect((await people.reporter.get(`${releases}/there`)).body.commit.id).toBe(await work.run('rev-parse', 'main~1'))
  })

  test('reports invalid requests in the words of the contract', async () => {
    await create('once')
    expect(await create('once')).toMatchObject({ status: 409, body: { message: 'Release already exists' } })
    const answer = async (tag: unknown, more: object) => {
      const { status, body } = await create(tag, more)
      return [status, body]
    }
    expect(await answer('new', {})).toEqual([422, { message: 'Ref is not specified' }])
    expect(await answer('new', { ref: '' })).toEqual([422, { message: 'Ref is not specified' }])
    for (const ref of ['nope', '-x', 'main~1', '@{0}', 'f'.repeat(40)])
      expect(await answer('new', { ref })).toEqual([422, { message: `Target ${ref} is invalid` }])
    for (const tag of ['', 'a..b', '-x', 'HEAD', 'a b', 'x'.repeat(1_100)])
      expect(await answer(tag, { ref: 'main' })).toEqual([400, { message: 'Tag name invalid' }])
    expect(await answer('new', { ref: 'main', milestones: ['x', 'y', 'x'] })).toEqual([
      400,
      { message: 'Milestone(s) not found: x, y' },
    ])
    expect(await answer('new', { ref: 'main', milestone_ids: [7] })).toEqual([
      400,
      { message: 'Milestone(s) not found: 7' },
    ])
    expect((await people.developer.post(releases, {})).body.error).toBe('tag_name is missing')
    for (const [more, error] of [
      [{ released_at: 'soon' }, 'released_at is invalid'],
      [{ name: 'x'.repeat(256) }, 'name is too long (maximum is 255 characters)'],
      [{ name: { a: 1 } }, 'name is invalid'],
      [{ description: 'a\u0000' }, 'description is invalid'],
      [{ assets: 'x' }, 'assets is invalid'],
      [{ assets: { links: [{ name: 'a' }] } }, 'assets[links][0][url] is missing'],
      [
        { assets: { links: [{ name: 'a', url: 'https://a.example', link_type: 'x' }] } },
        'assets[links][0][link_type] does not have a valid value',
      ],
      [{ assets: { links: Array.from({ length: 101 }, () => ({ name: 'a', url: 'b' })) } }, 'assets[links] is invalid'],
    ] as const) {
      expect(await create('new', { ref: 'main', ...more })).toMatchObject({ status: 400, body: { error } })
    }
    const links = (...given: object[]) => answer('new', { ref: 'main', assets: { links: given } })
    expect(await links({ name: 'a', url: 'javascript:alert(1)' })).toEqual([
      400,
      { message: { url: ['is blocked: Only allowed schemes are http, https, ftp'] } },
    ])
    // No tag was created for requests that were refused.
    expect((await people.reporter.get(`${work.base}/repository/tags/new`)).status).toBe(404)
    const [a, b] = [
      { name: 'a', url: 'https://a.example' },
      { name: 'b', url: 'https://b.example' },
    ]
    expect(await links(a, { ...b, url: a.url })).toEqual([400, { message: { url: ['has already been taken'] } }])
    expect(await links(a, { ...b, name: 'a' })).toEqual([400, { message: { name: ['has already been taken'] } }])
    expect((await people.reporter.get(`${releases}/new`)).status).toBe(404)
  })

  test('requires the right to create a protected tag', async () => {
    await using own = await projectWithTwoCommits(server, { people, path: 'guarded' })
    const path = `${own.base}/releases`
    expect((await people.developer.post(path, { tag_name: 'v0', ref: 'main' })).status).toBe(201)
    await people.maintainer.post(`${own.base}/protected_tags`, { name: 'v*', create_access_level: 40 })
    const forbidden = { status: 403, body: { message: '403 Forbidden' } }
    expect(await people.developer.post(path, { tag_name: 'v1', ref: 'main' })).toMatchObject(forbidden)
    expect(await people.developer.post(path, { tag_name: 'v0', ref: 'main' })).toMatchObject(forbidden)
    expect(await people.developer.put(`${path}/v0`, { name: 'x' })).toMatchObject(forbidden)
    expect(await people.developer.put(`${path}/v9`, { name: 'x' })).toMatchObject(forbidden)
    expect(await people.developer.delete(`${path}/v0`)).toMatchObject(forbidden)
    const link = { name: 'a', url: 'https://a.example' }
    expect(await people.developer.post(`${path}/v0/assets/links`, link)).toMatchObject(forbidden)
    expect((await people.maintainer.post(path, { tag_name: 'v1', ref: 'main' })).status).toBe(201)
    expect((await people.maintainer.delete(`${path}/v0`)).status).toBe(200)
  })

  test('creates one release for concurrent requests', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create('twice')))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})
