import { beforeAll, describe, expect, test } from 'vitest'
import { openRow } from '../../platform/repositories/index.ts'
import { type Client, projectWithTwoCommits, queriesOf } from '../../testing/index.ts'
import { people, server, serveTagsForTests, tags, work } from './testing.ts'

serveTagsForTests()
beforeAll(async () => {
  await work.run('tag', 'v1.9', 'main~1')
  await work.run('tag', 'v1.10', 'main')
  await work.at(1_700_000_050, 'tag', '--annotate', 'v1.10-rc1', '--message', 'Candidate\n\nTry it.', 'main')
  expect(await work.push(people.owner, '--tags')).toMatchObject({ isAccepted: true })
})

const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name)
const list = async (query = '', path = tags, client: Client = people.reporter) =>
  names(await client.get(`${path}?${query}`))

describe('x.tags_list', () => {
  test('lists whole tags, newest first', async () => {
    const answer = await people.reporter.get(tags)
    expect(answer.status).toBe(200)
    expect(names(answer)).toEqual(['v1.10', 'v1.10-rc1', 'v1.9'])
    expect(answer.headers.get('x-total')).toBe('3')
    const [light, annotated] = answer.body
    const main = await work.run('rev-parse', 'main')
    expect(annotated).toEqual({
      name: 'v1.10-rc1',
      message: 'Candidate\n\nTry it.',
      target: await work.run('rev-parse', 'v1.10-rc1'),
      commit: expect.objectContaining({ id: main, title: 'second', web_url: expect.stringContaining(main) }),
      release: null,
      protected: false,
      created_at: '2023-11-14T22:14:10.000Z',
    })
    expect(light).toMatchObject({ name: 'v1.10', message: '', target: main, created_at: null, release: null })
    expect(Object.keys(light)).toEqual(Object.keys(annotated))
  })

  test('sorts by every order in both directions', async () => {
    expect(await list('order_by=updated&sort=asc')).toEqual(['v1.9', 'v1.10-rc1', 'v1.10'])
    expect(await list('order_by=name&sort=asc')).toEqual(['v1.10', 'v1.10-rc1', 'v1.9'])
    expect(await list('order_by=name')).toEqual(['v1.9', 'v1.10-rc1', 'v1.10'])
    expect(await list('order_by=version&sort=asc')).toEqual(['v1.9', 'v1.10-rc1', 'v1.10'])
    expect(await list('order_by=version')).toEqual(['v1.10', 'v1.10-rc1', 'v1.9'])
    for (const [query, error] of [
      ['order_by=size', 'order_by does not have a valid value'],
      ['sort=up', 'sort does not have a valid value'],
      ['search[]=a', 'search is invalid'],
      ['search=%00', 'search is invalid'],
    ]) {
      expect(await people.reporter.get(`${tags}?${query}`)).toMatchObject({ status: 400, body: { error } })
    }
  })

  test('searches with anchors, in any case', async () => {
    expect(await list('search=RC')).toEqual(['v1.10-rc1'])
    expect(await list('search=%5Ev1.1')).toEqual(['v1.10', 'v1.10-rc1'])
    expect(await list('search=9$')).toEqual(['v1.9'])
    expect(await list('search=%5Ev1.10$')).toEqual(['v1.10'])
    expect(await list('search=%5E1')).toEqual([])
    expect(await list('search=.')).toHaveLength(3)
    expect(await list('search=%20')).toHaveLength(3)
    expect((await people.reporter.get(`${tags}?search=${'*a'.repeat(500)}`)).status).toBe(200)
  })

  test('paginates by number and by name', async () => {
    const second = await people.reporter.get(`${tags}?per_page=2&page=2&order_by=name&sort=asc`)
    expect([names(second), second.headers.get('x-total')]).toEqual([['v1.9'], '3'])
    for (const [query, all] of [
      ['order_by=version&sort=asc', ['v1.9', 'v1.10-rc1', 'v1.10']],
      ['order_by=name', ['v1.9', 'v1.10-rc1', 'v1.10']],
      ['order_by=updated', ['v1.10', 'v1.10-rc1', 'v1.9']],
    ] as const) {
      const found: string[] = []
      let path = `${tags}?pagination=keyset&per_page=1&${query}`
      while (path !== '') {
        const answer = await people.reporter.get(path)
        expect(answer.headers.get('x-total')).toBeNull()
        found.push(...names(answer))
        path = (/<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? '').split('/api/v4')[1] ?? ''
      }
      expect(found).toEqual(all)
    }
    const behind = (query: string) => list(`pagination=keyset&${query}`)
    expect(await behind('order_by=name&sort=asc&page_token=v1.10-x')).toEqual(['v1.9'])
    expect(await behind('order_by=name&page_token=v1.10-x')).toEqual(['v1.10-rc1', 'v1.10'])
    expect(await behind('order_by=version&sort=asc&page_token=v1.9.9')).toEqual(['v1.10-rc1', 'v1.10'])
    expect(await behind('order_by=updated&page_token=v1.10&search=9')).toEqual(['v1.9'])
    expect(await people.reporter.get(`${tags}?pagination=keyset&page_token=gone`)).toMatchObject({
      status: 400,
      body: { error: 'Invalid page token' },
    })
  })

  test('lists tags of any object and any name', async () => {
    await using odd = await projectWithTwoCommits(server, { people, path: 'odd' })
    const tree = await odd.run('rev-parse', 'main^{tree}')
    const main = await odd.run('rev-parse', 'main')
    await odd.run('tag', 'of-tree', tree)
    await odd.run('tag', '--annotate', 'of-tree-annotated', '--message', 'a tree', tree)
    await odd.run('tag', '--annotate', 'inner', '--message', 'inner', 'main')
    await odd.run('tag', '--annotate', 'nested', '--message', 'nested', 'inner')
    for (const name of ['\u{1f98a}/\uffee', 'a\'b"<c>', '%2e%2e', 'topic']) await odd.run('tag', name, 'main')
    expect(await odd.push(people.owner, '--tags')).toMatchObject({ isAccepted: true })
    expect(await odd.push(people.owner, 'main:refs/heads/topic')).toMatchObject({ isAccepted: true })
    // The gate would refuse these; an import may create them.
    const { database } = server.app.platform
    const row = await database.read
      .selectFrom('repositories')
      .selectAll()
      .where('project_id', '=', odd.project.id)
      .executeTakeFirstOrThrow()
    const repository = await openRow(server.app.platform, row as never)
    await repository.updateRefs([{ ref: `refs/tags/${main}`, old: null, new: main }] as never)
    await database.write((tx) =>
      tx
        .updateTable('repositories')
        .set({ generation: row.generation + 10 })
        .where('id', '=', row.id)
        .execute(),
    )
    const path = `${odd.base}/repository/tags`
    for (const order of ['updated', 'name', 'version']) {
      expect((await list(`order_by=${order}`, path)).sort()).toEqual(
        [
          ...['a\'b"<c>', '%2e%2e', main, 'inner', 'nested', 'of-tree', 'of-tree-annotated', 'topic'],
          '\u{1f98a}/\uffee',
        ].sort(),
      )
    }
    const get = async (name: string) => (await people.reporter.get(`${path}/${encodeURIComponent(name)}`)).body
    expect(await get('of-tree')).toMatchObject({ target: tree, commit: null, message: '' })
    expect(await get('of-tree-annotated')).toMatchObject({ commit: null, message: 'a tree' })
    expect(await get('nested')).toMatchObject({
      commit: { id: main },
      message: 'nested',
      target: await odd.run('rev-parse', 'nested'),
    })
    expect(await get(main)).toMatchObject({ name: main, commit: { id: main } })
    expect(await get('\u{1f98a}/\uffee')).toMatchObject({ name: '\u{1f98a}/\uffee' })
    expect(await get('%2e%2e')).toMatchObject({ name: '%2e%2e' })
  })

  test('takes a constant number of queries and processes', async () => {
    const ask = (path: string) => () => people.reporter.get(`${path}/repository/tags?per_page=100`)
    await using few = await projectWithTwoCommits(server, { people, path: 'few' })
    await using many = await projectWithTwoCommits(server, { people, path: 'many' })
    for (const [one, count] of [
      [few, 2],
      [many, 20],
    ] as const) {
      for (let number = 0; number < count; number += 1) await one.run('tag', '-a', `v${number}`, '-m', `${number}`)
      expect(await one.push(people.owner, '--tags')).toMatchObject({ isAccepted: true })
      for (let number = 0; number < count; number += 1)
        expect((await people.developer.post(`${one.base}/releases`, { tag_name: `v${number}` })).status).toBe(201)
      await people.maintainer.post(`${one.base}/protected_tags`, { name: 'v1*' })
    }
    expect((await ask(many.base)()).body).toHaveLength(20)
    expect(await queriesOf(server, ask(many.base))).toBe(await queriesOf(server, ask(few.base)))
  })

  test('is empty for an empty repository', async () => {
    const empty = await server.make.project('empty', people.owner)
    expect(await people.owner.get(`/projects/${empty.id}/repository/tags`)).toMatchObject({ status: 200, body: [] })
  })
})

describe('x.tags_get', () => {
  test('finds a tag by its exact name', async () => {
    expect((await people.reporter.get(`${tags}/v1.9`)).body).toMatchObject({ name: 'v1.9' })
    for (const name of ['V1.9', 'nope', 'main', 'refs/tags/v1.9', '-x', 'v1.9^{}', 'v1.9~0', 'x'.repeat(2_000)]) {
      const answer = await people.reporter.get(`${tags}/${encodeURIComponent(name)}`)
      expect([name, answer.status, answer.body]).toEqual([name, 404, { message: '404 Tag Not Found' }])
    }
  })

  test('shows protection, and the release to callers who may see releases', async () => {
    await using shown = await projectWithTwoCommits(server, { people, path: 'shown', visibility: 'public' })
    const path = `${shown.base}/repository/tags/v1`
    const made = { tag_name: 'v1', ref: 'main', description: 'What is *new*' }
    expect((await people.developer.post(`${shown.base}/releases`, made)).status).toBe(201)
    expect((await people.maintainer.post(`${shown.base}/protected_tags`, { name: 'v*' })).status).toBe(201)
    expect((await people.outsider.get(path)).body).toMatchObject({
      protected: true,
      release: { tag_name: 'v1', description: 'What is *new*' },
    })
    const settings = JSON.stringify({ releases_access_level: 'private' })
    await server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ settings }).where('id', '=', shown.project.id).execute(),
    )
    expect((await people.outsider.get(path)).body.release).toBeNull()
    expect((await people.guest.get(path)).body.release).toMatchObject({ tag_name: 'v1' })
  })
})

describe('x.tags_signature', () => {
  const signature = (name: string) => people.reporter.get(`${tags}/${name}/signature`)

  test('shows the kind of the signature and that it is unverified', async () => {
    const main = await work.run('rev-parse', 'main')
    for (const [index, [kind, block]] of [
      ['PGP', 'PGP SIGNATURE'],
      ['SSH', 'SSH SIGNATURE'],
      ['X509', 'SIGNED MESSAGE'],
    ].entries()) {
      const text = `Signed\n-----BEGIN ${block}-----\n\nAAAA\n-----END ${block}-----`
      await work.run('tag', '--annotate', `signed-${index}`, '--cleanup=verbatim', '--message', text, main)
      expect(await work.push(people.owner, `signed-${index}`)).toMatchObject({ isAccepted: true })
      const answer = await signature(`signed-${index}`)
      expect(answer).toMatchObject({ status: 200, body: { signature_type: kind, verification_status: 'unverified' } })
      expect('gpg_key_id' in answer.body).toBe(kind === 'PGP')
      expect((await people.reporter.get(`${tags}/signed-${index}`)).body.message).toBe('Signed')
    }
  })

  test('answers 404 when there is none', async () => {
    for (const name of ['v1.9', 'v1.10-rc1']) {
      expect(await signature(name)).toMatchObject({ status: 404, body: { message: '404 Signature Not Found' } })
    }
    expect(await signature('nope')).toMatchObject({ status: 404, body: { message: '404 Tag Not Found' } })
  })
})

describe('access', () => {
  test('is open in a public project, and answers 404 for a disabled repository', async () => {
    await using open = await projectWithTwoCommits(server, { people, path: 'open', visibility: 'public' })
    expect((await server.anonymous.get(`${open.base}/repository/tags`)).status).toBe(200)
    const settings = JSON.stringify({ repository_access_level: 'disabled' })
    await server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ settings }).where('id', '=', open.project.id).execute(),
    )
    expect(await people.reporter.get(`${open.base}/repository/tags`)).toMatchObject({
      status: 404,
      body: { message: '404 Repository Not Found' },
    })
  })
})
