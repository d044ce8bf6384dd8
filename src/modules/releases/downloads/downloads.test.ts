import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/index.ts'
import { clock, people, serveReleasesForTests, server, setSettings, work } from '../testing.ts'

const tag = 'v1'
const url = 'https://a.example/bin/linux?a=1&b=ü'
const ascii = 'https://a.example/bin/linux?a=1&b=%C3%BC'

serveReleasesForTests()
beforeAll(async () => {
  await people.developer.post(`${work.base}/releases`, { tag_name: tag, ref: 'main', released_at: '2026-02-01' })
  const link = { name: 'linux', url, direct_asset_path: '/bin/linux' }
  expect((await people.developer.post(`${work.base}/releases/${tag}/assets/links`, link)).status).toBe(201)
})

const project = () => `${server.url}/owner/demo/-`

/** Requests an address without following redirects. */
async function ask(address: string, client?: Client, options: RequestInit = {}) {
  const headers: Record<string, string> = client ? { 'PRIVATE-TOKEN': client.token } : {}
  const answer = await fetch(address, { redirect: 'manual', headers, ...options })
  return { status: answer.status, location: answer.headers.get('location'), body: await answer.text() }
}

const absent = { status: 404, location: null }

describe('a link of a release', () => {
  test('is at the address that the API shows', async () => {
    const { body } = await people.reporter.get(`${work.base}/releases/${tag}`)
    const { direct_asset_url } = body.assets.links[0]
    expect(await ask(direct_asset_url, people.reporter)).toMatchObject({ status: 302, location: ascii })
    expect(await ask(direct_asset_url, people.reporter, { method: 'HEAD' })).toEqual({
      status: 302,
      location: ascii,
      body: '',
    })
    const byQuery = `${direct_asset_url}?private_token=${people.reporter.token}`
    expect(await ask(byQuery)).toMatchObject({ status: 302, location: ascii })
  })

  test('is not found by callers who may not read it', async () => {
    const address = `${project()}/releases/${tag}/downloads/bin/linux`
    for (const client of [undefined, people.outsider, people.guest])
      expect(await ask(address, client)).toMatchObject(absent)
    expect(await ask(address, { ...people.reporter, token: 'glpat-wrong' } as Client)).toMatchObject({ status: 401 })
    const narrow = await server.user('narrow', ['read_user'])
    expect(await ask(address, narrow)).toMatchObject({ status: 403, location: null })
  })

  test('is not found when the feature is disabled', async () => {
    const { id } = work.project
    await setSettings({ id }, { releases_access_level: 'disabled' })
    expect(await ask(`${project()}/releases/${tag}/downloads/bin/linux`, people.owner)).toMatchObject(absent)
    await setSettings({ id }, {})
    expect(await ask(`${project()}/releases/${tag}/downloads/bin/linux`, people.owner)).toMatchObject({ status: 302 })
  })

  test.each([
    `releases/${tag}/downloads/bin`,
    `releases/${tag}/downloads/bin/linux/`,
    `releases/${tag}/downloads/bin%2f..%2fbin%2flinux`,
    `releases/${tag}/downloads/%00`,
    `releases/${tag}/downloads/%ff`,
    `releases/${tag}/downloads/`,
    `releases/${tag}/downloads`,
    `releases/${tag}`,
    'releases/v2/downloads/bin/linux',
    'releases/%2e%2e/downloads/bin/linux',
    `releases/${'x'.repeat(5_000)}/downloads/bin/linux`,
    'archive/v1/',
    'archive/main.zip',
    'archive/%ff/x.zip',
  ])('is not at %s', async (path) => {
    expect(await ask(`${project()}/${path}`, people.owner)).toMatchObject(absent)
  })

  test('is not found by the id of a project, nor with other methods', async () => {
    const { id } = work.project
    expect(await ask(`${server.url}/${id}/-/releases/${tag}/downloads/bin/linux`, people.owner)).toMatchObject(absent)
    const address = `${project()}/releases/${tag}/downloads/bin/linux`
    expect(await ask(address, people.owner, { method: 'POST' })).toMatchObject({ status: 404, location: null })
  })
})

describe('x.releases_download', () => {
  const at = (filepath: string, release = tag) => `${work.base}/releases/${release}/downloads/${filepath}`

  test('redirects to the URL of the link', async () => {
    for (const filepath of ['bin/linux', 'bin%2Flinux']) {
      const answer = await people.reporter.get(at(filepath))
      expect([answer.status, answer.headers.get('location')]).toEqual([302, ascii])
    }
  })

  test.each(['bin', 'bin/linux/x', 'bin//linux/..', '..%2Fbin%2Flinux', '%27%20or%201=1', 'x'.repeat(5_000)])(
    'does not find %s',
    async (filepath) => {
      expect(await people.reporter.get(at(filepath))).toMatchObject({ status: 404 })
    },
  )

  test('does not find links of other releases, nor for callers who do not read the code', async () => {
    await people.developer.post(`${work.base}/releases`, { tag_name: 'empty', ref: 'main', released_at: '2026-01-01' })
    for (const release of ['empty', 'v2', 'permalink'])
      expect(await people.reporter.get(at('bin/linux', release))).toMatchObject({ status: 404 })
    expect(await people.guest.get(at('bin/linux'))).toMatchObject({ status: 403 })
    expect(await people.outsider.get(at('bin/linux'))).toMatchObject({ status: 404 })
    expect(await people.reporter.get(at('%ff'))).toMatchObject({ status: 400 })
  })
})

describe('the latest release', () => {
  test('has a permanent address', async () => {
    const latest = `${project()}/releases/permalink/latest`
    const at = (name: string) => ({ status: 302, location: `${project()}/releases/${name}` })
    expect(await ask(latest, people.reporter)).toMatchObject(at('v1'))
    expect(await ask(`${latest}/downloads/bin/linux`, people.reporter)).toMatchObject(at('v1/downloads/bin/linux'))
    clock.advance(86_400_000)
    await people.developer.post(`${work.base}/releases`, { tag_name: 'v1.1', ref: 'main' })
    expect(await ask(latest, people.reporter)).toMatchObject(at('v1.1'))
    expect(await ask(latest)).toMatchObject(absent)
  })

  test('is not found when there is none', async () => {
    const empty = await server.make.project('empty', people.owner)
    expect(await ask(`${server.url}/${empty.full_path}/-/releases/permalink/latest`, people.owner)).toMatchObject(
      absent,
    )
  })
})

describe('the source of a release', () => {
  test('is at the addresses that the API shows, in every format', async () => {
    const { body } = await people.reporter.get(`${work.base}/releases/${tag}`)
    expect(body.assets.sources).toHaveLength(4)
    for (const { format, url: address } of body.assets.sources) {
      const { status, location } = await ask(address, people.reporter)
      const archive = `${server.url}/api/v4/projects/owner%2Fdemo/repository/archive.${format}?sha=${tag}`
      expect([status, location]).toEqual([302, archive])
      const answer = await fetch(address, { headers: { 'PRIVATE-TOKEN': people.reporter.token } })
      expect([answer.status, (await answer.bytes()).length > 100]).toEqual([200, true])
      const denied = await fetch(address)
      expect([denied.status, (await denied.text()).includes('Project Not Found')]).toEqual([404, true])
    }
  })

  test('is not found at long addresses or at similar ones', async () => {
    const long = `${server.url}/a${'/-/archive/x.'.repeat(4_500)}`
    for (const address of [long, `${long}zip`])
      expect(await ask(address)).toMatchObject({ status: 404, location: null })
    expect(await ask(`${server.url}/a${'/-/archive/x.'.repeat(500)}`)).toMatchObject(absent)
  })

  test('passes on slashes in the ref and the query', async () => {
    const address = `${project()}/archive/release/v2/demo-release-v2.tar.gz?path=a?b&private_token=x`
    const { location } = await ask(address)
    expect(location).toBe(
      `${server.url}/api/v4/projects/owner%2Fdemo/repository/archive.tar.gz?sha=release%2Fv2&path=a?b&private_token=x`,
    )
  })
})
