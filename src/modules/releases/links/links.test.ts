import { beforeAll, describe, expect, test } from 'vitest'
import { queriesOf } from '../../../testing/index.ts'
import { people, serveReleasesForTests, server, work } from '../testing.ts'

let links: string

serveReleasesForTests()
beforeAll(async () => {
  for (const tag_name of ['v1', 'v2']) await people.developer.post(`${work.base}/releases`, { tag_name, ref: 'main' })
  links = `${work.base}/releases/v1/assets/links`
})

let count = 0
/** A link with a unique name and URL. */
function fresh(): { name: string; url: string } {
  count += 1
  return { name: `link ${count}`, url: `https://a.example/${count}` }
}

async function made(more: object = {}) {
  const answer = await people.developer.post(links, { ...fresh(), ...more })
  expect(answer.status).toBe(201)
  return answer.body
}

describe('x.releases_links_create', () => {
  test('adds a link to the release', async () => {
    const link = { ...fresh(), direct_asset_path: '/bin/linux/x86-64.tar.gz', link_type: 'package' }
    const answer = await people.developer.post(links, link)
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.body).toEqual({
      id: expect.any(Number),
      name: link.name,
      url: link.url,
      direct_asset_url: `${server.url}/owner/demo/-/releases/v1/downloads/bin/linux/x86-64.tar.gz`,
      link_type: 'package',
    })
    const { assets } = (await people.reporter.get(`${work.base}/releases/v1`)).body
    expect([assets.links[0], assets.count]).toEqual([answer.body, assets.links.length + 4])
  })

  test('refuses a duplicate in the same release', async () => {
    const first = await made({ direct_asset_path: '/once' })
    const add = async (link: object, path = links) => (await people.developer.post(path, { ...fresh(), ...link })).body
    expect(await add({ url: first.url })).toEqual({ message: { url: ['has already been taken'] } })
    expect(await add({ name: first.name })).toEqual({ message: { name: ['has already been taken'] } })
    expect(await add({ direct_asset_path: '/once' })).toEqual({ message: { filepath: ['has already been taken'] } })
    const other = `${work.base}/releases/v2/assets/links`
    expect(await add({ name: first.name, url: first.url, direct_asset_path: '/once' }, other)).toMatchObject({
      name: first.name,
    })
    const link = fresh()
    const answers = await Promise.all([1, 2, 3].map(() => people.developer.post(links, link)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
  })

  test('refuses invalid and dangerous links', async () => {
    const refused = async (link: object) => {
      const { status, body } = await people.developer.post(links, { ...fresh(), ...link })
      expect([link, status]).toEqual([link, 400])
      return body.error ?? body.message
    }
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'ssh://a.example/x',
      'vbscript:x',
      'JAVASCRIPT://a.example/%0aalert(1)',
    ]) {
      expect(await refused({ url })).toEqual({ url: ['is blocked: Only allowed schemes are http, https, ftp'] })
    }
    for (const url of [
      'a',
      '/x',
      '//a.example/x',
      'https:',
      'https://',
      'https:a.example',
      'https:\\\\a',
      ' https://a',
      'https://a b',
      'https://a\r\nX: y',
      'http://[',
      '\tjavascript:x',
    ])
      expect(await refused({ url })).toEqual({ url: ['must be a valid URL'] })
    for (const blank of ['', ' ']) {
      expect(await refused({ url: blank })).toEqual({ url: ["can't be blank"] })
      expect(await refused({ name: blank })).toEqual({ name: ["can't be blank"] })
    }
    expect(await refused({ url: `https://a.example/${'ü'.repeat(1_100)}` })).toEqual({
      url: ['is too long (maximum is 2048 characters)'],
    })
    expect(await refused({ name: 'x'.repeat(256) })).toEqual({ name: ['is too long (maximum is 255 characters)'] })
    for (const path of [
      'x',
      '/',
      '/a/',
      '//a',
      '/a//b',
      '/../a',
      '/a/../b',
      '/./a',
      '/a b',
      '/a?b',
      '/a%2e',
      '/ü',
      '/a\nb',
      `/${'-/'.repeat(50)}!`,
    ])
      expect(await refused({ direct_asset_path: path })).toEqual({ filepath: ['is in an invalid format'] })
    expect(await refused({ direct_asset_path: `/${'a'.repeat(200)}` })).toEqual({
      filepath: ['is too long (maximum is 128 characters)'],
    })
    expect(await refused({ link_type: 'x' })).toBe('link_type does not have a valid value')
    expect(await refused({ name: null })).toBe('name is missing')
    expect(await refused({ url: { a: 1 } })).toBe('url is invalid')
    expect(await refused({ name: 'a\u0000' })).toBe('name is invalid')
    expect((await people.developer.post(links, {})).body.error).toBe('name is missing, url is missing')
  })

  test('accepts every allowed kind of URL', async () => {
    for (const url of [
      'http://a.example',
      'HTTPS://a.example/ü?x=y#z',
      'ftp://a.example:21/x',
      'https://[::1]/x',
      'https://u:p@a.example/',
    ])
      expect(await made({ url })).toMatchObject({ url, direct_asset_url: url, link_type: 'other' })
  })
})

describe('x.releases_links_list and x.releases_links_get', () => {
  test('list links, newest first, in pages', async () => {
    const path = `${work.base}/releases/v2/assets/links`
    const ids: number[] = []
    for (let number = 0; number < 3; number += 1) ids.push((await people.developer.post(path, fresh())).body.id)
    const page = await people.reporter.get(`${path}?per_page=2`)
    expect(page.body.map(({ id }: { id: number }) => id)).toEqual(ids.toReversed().slice(0, 2))
    expect(Number(page.headers.get('x-total'))).toBeGreaterThanOrEqual(3)
    const one = await people.reporter.get(`${path}/${ids[0]}`)
    expect([one.status, one.body.id]).toEqual([200, ids[0]])
  })

  test('answer 404 for a link of another release and for a missing link', async () => {
    const { id } = await made()
    for (const one of [String(id), '0', '-1', '99999999999999999999', '9007199254740993']) {
      const answer = await people.reporter.get(`${work.base}/releases/v2/assets/links/${one}`)
      expect([one, answer.status, answer.body]).toEqual([one, 404, { message: '404 Not found' }])
    }
    expect((await people.reporter.get(`${links}/x`)).body).toEqual({ error: '404 Not Found', message: '404 Not Found' })
    for (const path of ['nope/assets/links', `nope/assets/links/${id}`])
      expect(await people.reporter.get(`${work.base}/releases/${path}`)).toMatchObject({
        status: 404,
        body: { message: '404 Not Found' },
      })
  })

  test('take a constant number of queries', async () => {
    await people.developer.post(`${work.base}/releases`, { tag_name: 'counted', ref: 'main' })
    const path = `${work.base}/releases/counted/assets/links`
    const ask = () => people.reporter.get(`${path}?per_page=100`)
    for (let number = 0; number < 2; number += 1) await people.developer.post(path, fresh())
    const few = await queriesOf(server, ask)
    for (let number = 0; number < 18; number += 1) await people.developer.post(path, fresh())
    expect((await ask()).body).toHaveLength(20)
    expect(await queriesOf(server, ask)).toBe(few)
  })
})

describe('x.releases_links_update', () => {
  test('changes the given members', async () => {
    const link = await made({ direct_asset_path: '/changing' })
    const path = `${links}/${link.id}`
    expect(await people.developer.put(path, { name: 'other' })).toMatchObject({
      status: 200,
      body: { name: 'other', url: link.url, direct_asset_url: link.direct_asset_url },
    })
    expect((await people.developer.put(path, { url: 'https://b.example/new', link_type: 'image' })).body).toMatchObject(
      {
        url: 'https://b.example/new',
        link_type: 'image',
      },
    )
    expect((await people.developer.put(path, { direct_asset_path: '/moved' })).body.direct_asset_url).toMatch(
      /\/moved$/,
    )
    expect((await people.developer.put(path, { filepath: '/older' })).body.direct_asset_url).toMatch(/\/older$/)
    expect((await people.developer.put(path, { direct_asset_path: null })).body.direct_asset_url).toBe(
      'https://b.example/new',
    )
    expect((await people.developer.put(path, {})).body.error).toBe(
      'name, url, direct_asset_path, filepath, link_type are missing, at least one parameter must be provided',
    )
    const other = await made()
    expect((await people.developer.put(path, { url: other.url })).body).toEqual({
      message: { url: ['has already been taken'] },
    })
    expect((await people.developer.put(path, { url: 'javascript:x' })).status).toBe(400)
    expect((await people.developer.put(path, { name: '' })).body).toEqual({ message: { name: ["can't be blank"] } })
    expect(await people.developer.put(`${links}/0`, { name: 'x' })).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
  })
})

describe('x.releases_links_delete', () => {
  test('returns the removed link', async () => {
    const link = await made()
    const path = `${links}/${link.id}`
    const headers = { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
    expect((await people.developer.delete(path, { headers })).status).toBe(412)
    expect(await people.developer.delete(path)).toMatchObject({ status: 200, body: link })
    expect(await people.developer.delete(path)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  })
})
