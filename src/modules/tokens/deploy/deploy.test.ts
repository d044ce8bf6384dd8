import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { git, makeHistory, startTestServer, type TestServer, temporaryDirectory } from '../../../testing/index.ts'
import { start } from '../testing.ts'

const clock = manualClock({ start })

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

const missing = { status: 404, body: { message: '404 Not found' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }

/** A group with an owner and a maintainer, and a project in it with the same. */
async function place(name: string) {
  const owner = await server.user(`${name}_owner`)
  const maintainer = await server.user(`${name}_maintainer`)
  const group = await server.make.group(`${name}-group`, owner)
  await server.make.member({ namespace: group }, maintainer, 40)
  const project = await server.make.project('demo', owner, { namespace: group })
  return { owner, maintainer, group, project }
}

describe('a deploy token', () => {
  test('is created for a project, shown once, and deleted', async () => {
    const { maintainer, project } = await place('making')
    const path = `/projects/${project.id}/deploy_tokens`
    const made = await maintainer.post(path, {
      name: 'Übertragung',
      scopes: 'read_repository, read_registry',
      expires_at: '2026-05-01',
      username: 'build+bot.1',
    })
    expect(made.status).toBe(201)
    expect(Object.entries(made.body)).toEqual([
      ['id', expect.any(Number)],
      ['name', 'Übertragung'],
      ['username', 'build+bot.1'],
      ['expires_at', '2026-05-01T00:00:00.000Z'],
      ['scopes', ['read_repository', 'read_registry']],
      ['revoked', false],
      ['expired', false],
      ['token', expect.stringMatching(/^gldt-[\w-]{20}$/)],
    ])
    const { token: _, ...shown } = made.body
    expect(await maintainer.get(`${path}/${shown.id}`)).toMatchObject({ status: 200, body: shown })
    expect((await maintainer.get(path)).body).toEqual([shown])
    const stale = { headers: { 'If-Unmodified-Since': 'Tue, 04 Mar 2025 05:06:07 GMT' } }
    expect((await maintainer.delete(`${path}/${shown.id}`, stale)).status).toBe(412)
    expect(await maintainer.delete(`${path}/${shown.id}`)).toMatchObject({ status: 204, body: '' })
    expect(await maintainer.delete(`${path}/${shown.id}`)).toMatchObject(missing)
    expect(await maintainer.get(`${path}/${shown.id}`)).toMatchObject(missing)
  })

  test('has a username derived from its id by default, and may be created expired', async () => {
    const { maintainer, project } = await place('naming')
    const path = `/projects/${project.id}/deploy_tokens`
    const values = { name: 'a', scopes: ['read_registry'] }
    const plain = await maintainer.post(path, values)
    expect(plain.body).toMatchObject({ username: `gitlab+deploy-token-${plain.body.id}`, expires_at: null })
    const blank = await maintainer.post(path, { ...values, username: ' ', expires_at: '2026-03-04' })
    expect(blank.body).toMatchObject({
      username: `gitlab+deploy-token-${blank.body.id}`,
      expires_at: '2026-03-04T00:00:00.000Z',
      expired: true,
    })
    const ids = async (query: string) => (await maintainer.get(`${path}${query}`)).body.map((t: { id: number }) => t.id)
    expect(await ids('')).toEqual([plain.body.id, blank.body.id])
    expect(await ids('?active=true')).toEqual([plain.body.id])
    expect(await ids('?active=false')).toEqual([plain.body.id, blank.body.id])
    expect(await ids('?per_page=1&page=2')).toEqual([blank.body.id])
    expect(await maintainer.get(`${path}?active=maybe`)).toMatchObject({
      status: 400,
      body: { error: 'active is invalid' },
    })
  })

  test('is validated when it is created', async () => {
    const { maintainer, project } = await place('ruling')
    const path = `/projects/${project.id}/deploy_tokens`
    const good = { name: 'a', scopes: ['read_registry'] }
    const badName = { message: "Username can contain only letters, digits, '_', '-', '+', and '.'" }
    const cases: [values: object, body: object][] = [
      [{}, { error: 'name is missing, scopes is missing' }],
      [{ ...good, scopes: ['foo'] }, { error: 'scopes does not have a valid value' }],
      [{ ...good, scopes: ['write_repository'] }, { error: 'scopes does not have a valid value' }],
      [{ ...good, scopes: [] }, { message: "Scopes can't be blank" }],
      [{ ...good, scopes: '' }, { message: "Scopes can't be blank" }],
      [{ ...good, name: ' ' }, { message: "Name can't be blank" }],
      [{ ...good, expires_at: 'soon' }, { error: 'expires_at is invalid' }],
      [{ ...good, username: 'a b' }, badName],
      [{ ...good, username: 'a:b' }, badName],
      [{ ...good, username: '🦊' }, badName],
      [{ ...good, username: 'a'.repeat(256) }, { message: 'Username is too long (maximum is 255 characters)' }],
      [{ ...good, username: 'a\u0000' }, { error: 'username is invalid' }],
    ]
    for (const [values, body] of cases) {
      expect(await maintainer.post(path, values), JSON.stringify(values)).toMatchObject({ status: 400, body })
    }
    expect((await maintainer.get(path)).body).toEqual([])
  })

  test('is read by maintainers, each resource its own', async () => {
    const { owner, maintainer, group, project } = await place('roles')
    const values = { name: 'a', scopes: ['read_registry'] }
    const groupPath = `/groups/${group.id}/deploy_tokens`
    const projectPath = `/projects/${project.id}/deploy_tokens`
    const { id } = (await owner.post(groupPath, values)).body
    expect((await maintainer.get(groupPath)).body).toMatchObject([{ id }])
    expect(await maintainer.get(`${groupPath}/${id}`)).toMatchObject({ status: 200, body: { id } })
    // Neither is the other's, nor is an id without a token.
    expect(await owner.get(`${projectPath}/${id}`)).toMatchObject(missing)
    expect(await owner.delete(`${projectPath}/${id}`)).toMatchObject(missing)
    expect(await owner.get(`${groupPath}/9007199254740993`)).toMatchObject(missing)
    expect(await owner.get(`${groupPath}/abc`)).toMatchObject({ status: 404, body: { error: '404 Not Found' } })
    expect((await owner.delete(`${groupPath}/${id}`)).status).toBe(204)
  })

  test('is in the list of all deploy tokens, which only administrators may read', async () => {
    const { maintainer, owner, group, project } = await place('everywhere')
    const values = { name: 'a', scopes: ['read_registry'] }
    const first = (await maintainer.post(`/projects/${project.id}/deploy_tokens`, values)).body.id
    const dead = { ...values, expires_at: start }
    const second = (await owner.post(`/groups/${group.id}/deploy_tokens`, dead)).body.id
    const ids = async (query: string) =>
      (await server.root.get(`/deploy_tokens?per_page=100${query}`)).body.map((token: { id: number }) => token.id)
    expect(await ids('')).toEqual(expect.arrayContaining([first, second]))
    expect(await ids('&active=true')).toContain(first)
    expect(await ids('&active=true')).not.toContain(second)
    expect(await owner.get('/deploy_tokens')).toMatchObject(forbidden)
  })

  test('of a group gives git read access to every project below, and no write access', async () => {
    const { owner, group, project } = await place('cloning')
    const other = await place('cloning_other')
    await using folder = await temporaryDirectory()
    const address = (login: string, path = project.full_path) =>
      `${server.url.replace('http://', `http://${login}@`)}/${path}.git`
    await makeHistory(folder.path, ['one'])
    expect(await git(folder.path, 'push', address(`x:${owner.token}`), 'main')).toMatchObject({ code: 0 })
    const values = { name: 'a', scopes: ['read_repository'], username: 'reader', expires_at: '2026-03-05' }
    const { token } = (await owner.post(`/groups/${group.id}/deploy_tokens`, values)).body
    expect(await git(folder.path, 'ls-remote', address(`reader:${token}`))).toMatchObject({ code: 0 })
    expect((await git(folder.path, 'push', address(`reader:${token}`), 'main:other')).code).not.toBe(0)
    expect((await git(folder.path, 'ls-remote', address(`someone:${token}`))).code).not.toBe(0)
    const foreign = address(`reader:${token}`, other.project.full_path)
    expect((await git(folder.path, 'ls-remote', foreign)).code).not.toBe(0)
    expect((await server.as(token).get('/version')).status).toBe(401)
    clock.advance(86_400_000)
    expect((await git(folder.path, 'ls-remote', address(`reader:${token}`))).code).not.toBe(0)
  })
})
