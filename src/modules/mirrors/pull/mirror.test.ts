import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

async function made(name: string): Promise<{ path: string; row: ProjectRow }> {
  const { project: row } = await projectWithMembers(server, { people, path: name })
  return { path: `/projects/${row.id}/mirror/pull`, row }
}

const shownOf = async (path: string) => (await people.maintainer.get(path)).body.url

const url = 'https://example.com/group/project.git'
const shown = 'https://*****:*****@example.com/group/project.git'
const notMirrored = { status: 400, body: { message: 'The project is not mirrored' } }

describe('a pull mirror', () => {
  test('is created, read and changed', async () => {
    const { path, row } = await made('usual')
    expect(await people.maintainer.get(path)).toMatchObject(notMirrored)
    expect(await people.maintainer.post(path)).toMatchObject(notMirrored)
    const put = await people.maintainer.put(path, { url, auth_user: 'user', auth_password: 'p@ss/word' })
    expect(put.status).toBe(200)
    expect(put.body).toEqual({
      id: expect.any(Number),
      enabled: false,
      url: shown,
      update_status: 'none',
      last_update_at: null,
      last_update_started_at: null,
      last_successful_update_at: null,
      last_error: null,
      mirror_trigger_builds: false,
      only_mirror_protected_branches: false,
      mirror_overwrites_diverged_branches: false,
      mirror_branch_regex: null,
    })
    expect((await people.maintainer.get(path)).body).toEqual(put.body)
    expect(await people.maintainer.post(path)).toMatchObject(notMirrored)
    const changes = {
      mirror_trigger_builds: true,
      only_mirror_protected_branches: true,
      mirror_overwrites_diverged_branches: true,
    }
    expect(await people.maintainer.put(path, changes)).toMatchObject({ status: 200, body: { ...put.body, ...changes } })
    const matched = await people.maintainer.put(path, { mirror_branch_regex: '^main$' })
    expect(matched.body).toMatchObject({ mirror_branch_regex: '^main$', only_mirror_protected_branches: false })
    expect((await people.maintainer.get(`/projects/${row.id}`)).body.mirror).toBe(false)
  })

  test('agrees with the settings of the project', async () => {
    const { path, row } = await made('agreed')
    await people.maintainer.put(path, { url, enabled: true, mirror_trigger_builds: true })
    expect((await people.owner.get(`/projects/${row.id}`)).body).toMatchObject({
      mirror: true,
      mirror_user_id: people.maintainer.id,
      mirror_trigger_builds: true,
      only_mirror_protected_branches: false,
      mirror_overwrites_diverged_branches: false,
    })
    await people.owner.put(`/projects/${row.id}`, { mirror: false, mirror_overwrites_diverged_branches: true })
    expect((await people.maintainer.get(path)).body).toMatchObject({
      enabled: false,
      mirror_overwrites_diverged_branches: true,
    })
  })

  test('shows neither the user name nor the password of its address', async () => {
    const { path } = await made('hidden')
    for (const address of ['https://login-name@example.com/x.git', 'https://login-name:pass-word@example.com/x.git']) {
      await people.maintainer.put(path, { url: address })
      const { body } = await people.maintainer.get(path)
      expect(body.url).toBe('https://*****:*****@example.com/x.git')
      expect(JSON.stringify(body)).not.toMatch(/login-name|pass-word/)
    }
  })

  test('stores credentials encrypted and never sends them to another address', async () => {
    const { path } = await made('sealed')
    const { database } = server.app.platform
    await people.maintainer.put(path, { url: 'https://user:secret@example.com/group/project.git' })
    expect(await shownOf(path)).toBe(shown)
    expect(JSON.stringify(await database.read.selectFrom('pull_mirrors').selectAll().execute())).not.toContain('secret')
    // An address as it is shown, or without credentials, does not change them.
    for (const same of [shown, url]) {
      await people.maintainer.put(path, { url: same })
      expect(await shownOf(path)).toBe(shown)
    }
    for (const elsewhere of [
      'https://example.com/other.git',
      'https://example.com/group/project.git?x',
      'https://example.com/Group/project.git',
      'https://evil.example/x.git',
      'https://example.com:8443/x.git',
      'http://example.com/x.git',
    ]) {
      expect((await people.maintainer.put(path, { url: elsewhere })).body.url).toBe(elsewhere)
      expect((await people.maintainer.put(path, { url, auth_user: 'a', auth_password: 'b' })).body.url).toBe(shown)
    }
    for (const elsewhere of ['evil.example/x.git', 'example.com/other.git']) {
      await people.maintainer.put(path, { url, auth_user: 'a', auth_password: 'b' })
      const { body } = await people.maintainer.put(path, { url: `https://*****:*****@${elsewhere}` })
      expect(body.url).toBe(`https://${elsewhere}`)
    }
  })

  test('keeps credentials with `import_url` only for the same address', async () => {
    const { path, row } = await made('imported')
    await people.maintainer.put(path, { url, auth_user: 'a', auth_password: 'b' })
    expect((await people.owner.put(`/projects/${row.id}`, { import_url: url })).status).toBe(200)
    expect(await shownOf(path)).toBe(shown)
    const other = 'https://example.com/other.git'
    expect((await people.owner.put(`/projects/${row.id}`, { import_url: other })).status).toBe(200)
    expect(await shownOf(path)).toBe(other)
  })

  test('is created once by concurrent requests', async () => {
    const { path, row } = await made('raced')
    const both = await Promise.all(
      [1, 2].map((count) => people.maintainer.put(path, { url: `https://example.com/${count}` })),
    )
    const statuses = both.map(({ status }) => status).sort()
    expect(statuses[0]).toBe(200)
    expect([200, 400]).toContain(statuses[1])
    const query = server.app.platform.database.read.selectFrom('pull_mirrors').selectAll()
    expect(await query.where('project_id', '=', row.id).execute()).toHaveLength(1)
  })

  test.each([
    [{}, { message: { url: ["can't be blank"] } }],
    [{ enabled: true }, { message: { url: ["can't be blank"] } }],
    [{ url: ' ' }, { message: { url: ["can't be blank"] } }],
    [{ url: 'ftp://x/y' }, { message: { url: ['is blocked: Only allowed schemes are http, https, ssh, git'] } }],
    [{ url: 'http://127.0.0.1/x' }, { message: { url: ['is blocked: Requests to localhost are not allowed'] } }],
  ])('is not set up with %j', async (values, body) => {
    const { path } = await made(`refused-${JSON.stringify(values).replace(/[^a-z0-9]/g, '')}`)
    const answer = await people.maintainer.put(path, values)
    expect([answer.status, answer.body]).toEqual([400, body])
    expect(await people.maintainer.get(path)).toMatchObject(notMirrored)
  })

  test.each([
    [{ enabled: 'maybe' }, 'enabled is invalid'],
    [{ url: { a: 1 } }, 'url is invalid'],
    [{ auth_password: 'a\u0000' }, 'auth_password is invalid'],
    [{ mirror_branch_regex: '[' }, 'mirror_branch_regex is an invalid regexp'],
    [
      { only_mirror_protected_branches: true, mirror_branch_regex: 'x' },
      'only_mirror_protected_branches, mirror_branch_regex are mutually exclusive',
    ],
  ])('is not changed with %j', async (values, error) => {
    const { path } = await made(`unchanged-${JSON.stringify(values).replace(/[^a-z0-9]/g, '')}`)
    expect(await people.maintainer.put(path, { url, ...values })).toMatchObject({ status: 400, body: { error } })
  })
})
