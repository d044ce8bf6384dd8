import { describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/index.ts'
import { basic, deployToken, newProject, people, send, servePackagesForTests, server, storedKeys } from '../testing.ts'
import { digest, type Parts, publication } from './testing.ts'

servePackagesForTests()

const pathOf = (place: string, name: string) => `${place}/packages/npm/${encodeURIComponent(name)}`

const put = (client: Client, path: string, body: unknown, headers: Record<string, string> = {}) =>
  send(path, {
    method: 'PUT',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { Authorization: `Bearer ${client.token}`, 'Content-Type': 'application/json', ...headers },
  })

const publish = (client: Client, place: string, name: string, parts?: Parts) =>
  put(client, pathOf(place, name), publication(name, parts))

const read = (client: Client, path: string) => send(path, { headers: { Authorization: `Bearer ${client.token}` } })

const refusal = (status: number, message: string) => ({ status, body: { message, error: message } })

describe('publishing', () => {
  test('stores the version, which clients install by its metadata', async () => {
    const { place, project } = await newProject()
    const answer = await publish(people.developer, place, '@g/lib', {
      manifest: { dependencies: { a: '^1' }, scripts: { postinstall: 'x' }, contributors: ['c'], os: ['linux'] },
    })
    expect(answer).toMatchObject({
      status: 200,
      body: { name: '@g/lib', version: '1.0.0', package_type: 'npm', tags: [{ name: 'latest' }] },
    })
    for (const name of ['@g/lib', '@g%2flib']) {
      const { status, body } = await read(people.reporter, `${place}/packages/npm/${name}`)
      expect([status, body]).toEqual([
        200,
        {
          name: '@g/lib',
          versions: {
            '1.0.0': {
              ...{ name: '@g/lib', version: '1.0.0', dependencies: { a: '^1' }, hasInstallScript: true, os: ['linux'] },
              dist: {
                shasum: digest('sha1', 'tarball of 1.0.0', 'hex'),
                integrity: `sha512-${digest('sha512', 'tarball of 1.0.0', 'base64')}`,
                tarball: `${server.url}/api/v4/projects/${project.id}/packages/npm/@g/lib/-/@g/lib-1.0.0.tgz`,
              },
            },
          },
          'dist-tags': { latest: '1.0.0' },
        },
      ])
    }
    const tarball = await read(people.reporter, `${place}/packages/npm/@g/lib/-/@g/lib-1.0.0.tgz`)
    expect([tarball.status, tarball.body]).toEqual([200, 'tarball of 1.0.0'])
    expect((await read(people.reporter, `${place}/packages/npm/@g/lib/-/@g/lib-2.0.0.tgz`)).status).toBe(404)
    const again = await publish(people.developer, place, '@g/lib')
    expect(again).toMatchObject(refusal(403, 'Package already exists.'))
  })

  test('answers 304 until the name changes', async () => {
    const { place } = await newProject()
    await publish(people.developer, place, 'lib')
    const first = await read(people.reporter, `${place}/packages/npm/lib`)
    const headers = { ...basic(people.reporter.token), 'If-None-Match': first.headers.get('etag') ?? '' }
    const ask = async () => (await send(`${place}/packages/npm/lib`, { headers })).status
    expect([first.status, await ask()]).toEqual([200, 304])
    await publish(people.developer, place, 'lib', { version: '1.1.0-beta.1', tag: 'next' })
    expect(await ask()).toBe(200)
    const { body } = await read(people.reporter, `${place}/packages/npm/lib`)
    expect(body['dist-tags']).toEqual({ latest: '1.0.0', next: '1.1.0-beta.1' })
  })

  test('shows the versions of a restored database, whose changes are as many as those that were lost', async () => {
    const { place, project } = await newProject()
    const { database } = server.app.platform
    await publish(people.developer, place, 'lib')
    const names = database.read.selectFrom('package_names').selectAll().where('project_id', '=', project.id)
    const { generation } = await names.executeTakeFirstOrThrow()
    await publish(people.developer, place, 'lib', { version: '1.1.0' })
    const lost = await read(people.reporter, `${place}/packages/npm/lib`)
    await database.write(async (tx) => {
      await tx.deleteFrom('packages').where('project_id', '=', project.id).where('version', '=', '1.1.0').execute()
      await tx.updateTable('package_names').set({ generation }).where('project_id', '=', project.id).execute()
    })
    await publish(people.developer, place, 'lib', { version: '1.2.0' })
    const found = await read(people.reporter, `${place}/packages/npm/lib`)
    expect(Object.keys(found.body.versions)).toEqual(['1.0.0', '1.2.0'])
    expect(found.headers.get('etag')).not.toBe(lost.headers.get('etag'))
  })

  const good = publication('lib')
  test.each<[string, unknown, number, string]>([
    ['no JSON', '{"name":', 400, '400 Bad request - message body does not match declared format'],
    ['a list', [], 400, '400 Bad request - message body does not match declared format'],
    [
      'a text behind it',
      `${JSON.stringify(good)} x`,
      400,
      '400 Bad request - message body does not match declared format',
    ],
    ['versions as a text', { ...good, versions: 'x' }, 400, 'Version is empty.'],
    ['no version', { ...good, versions: {} }, 400, 'Version is empty.'],
    ['a version that is no object', { ...good, versions: { '1.0.0': 1 } }, 400, 'Version is empty.'],
    ['no attachment', { ...good, _attachments: {} }, 400, 'Attachment data is empty.'],
    ['data that is no text', publication('lib', { attachment: { data: { a: 1 } } }), 400, 'Attachment data is empty.'],
    [
      'an attachment with traversal',
      { ...good, _attachments: { '../../lib-1.0.0.tgz': good._attachments['lib-1.0.0.tgz'] } },
      400,
      'Attachment data is empty.',
    ],
    [
      'two attachments',
      { ...good, _attachments: { ...good._attachments, 'b.tgz': { data: '' } } },
      400,
      'Validation failed: Attachment is given twice',
    ],
    [
      'a wrong length',
      publication('lib', { attachment: { length: 3 } }),
      400,
      'Validation failed: Attachment has another length',
    ],
    [
      'broken base64',
      publication('lib', { attachment: { data: 'ab*d' } }),
      400,
      'Validation failed: Attachment is not base64',
    ],
    [
      'padding inside',
      publication('lib', { attachment: { data: 'YQ==YQ==' } }),
      400,
      'Validation failed: Attachment is not base64',
    ],
    [
      'another digest',
      publication('lib', { manifest: { dist: { shasum: 'x' } } }),
      400,
      'Validation failed: Checksum does not match',
    ],
    ['another name', { ...good, name: 'other' }, 400, 'Validation failed: Name is invalid'],
    ['no version by SemVer', publication('lib', { version: 'v1' }), 400, 'Validation failed: Version is invalid'],
    [
      'a large manifest',
      publication('lib', { manifest: { keywords: ['x'.repeat(20_000)] } }),
      400,
      'Validation failed: Package json structure is too large. Maximum size is 20000 characters',
    ],
  ])('refuses %s', async (_what, body, status, message) => {
    const { place } = await newProject()
    const before = await storedKeys()
    const answer = await put(people.developer, `${place}/packages/npm/lib`, body)
    expect([answer.status, answer.body.message]).toEqual([status, message])
    expect((await people.reporter.get(`${place}/packages`)).body).toEqual([])
    expect(await storedKeys()).toEqual(before)
  })

  test('takes names of the language as names', async () => {
    const { place } = await newProject()
    const text = JSON.stringify(publication('lib')).replace('"readme"', '"__proto__":{"polluted":1},"readme"')
    expect((await put(people.developer, `${place}/packages/npm/lib`, text)).status).toBe(200)
    const without = JSON.stringify(publication('__proto__'))
    expect((await put(people.developer, `${place}/packages/npm/__proto__`, without)).status).toBe(200)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test('takes a body whose attachment comes first', async () => {
    const { place } = await newProject()
    const { _attachments, ...rest } = publication('lib')
    expect((await put(people.developer, `${place}/packages/npm/lib`, { _attachments, ...rest })).status).toBe(200)
  })

  test('by five at once succeeds once', async () => {
    const { place } = await newProject()
    const answers = await Promise.all(Array.from({ length: 5 }, () => publish(people.developer, place, 'lib')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403])
  })

  test('is limited by the plan', async () => {
    const { place } = await newProject()
    const limit = (bytes: number) =>
      server.root.put('/application/plan_limits', { plan_name: 'default', npm_max_file_size: bytes })
    await limit(100)
    const large = await publish(people.developer, place, 'lib', { content: 'x'.repeat(101) })
    expect(large).toMatchObject(refusal(400, 'File is too large.'))
    expect((await publish(people.developer, place, 'lib', { content: 'x'.repeat(100) })).status).toBe(200)
    await limit(524_288_000)
  })

  test('is refused by protection', async () => {
    const { place } = await newProject()
    const rule = { package_name_pattern: '@g/*', package_type: 'npm', minimum_access_level_for_push: 'owner' }
    expect((await people.owner.post(`${place}/packages/protection/rules`, rule)).status).toBe(201)
    expect(await publish(people.maintainer, place, '@g/lib')).toMatchObject(refusal(403, 'Package protected.'))
    expect((await publish(people.owner, place, '@g/lib')).status).toBe(200)
  })
})

describe('groups and the server', () => {
  test('find packages of the projects that the caller may read', async () => {
    const { place, group } = await groupWithProject()
    const name = `@${group.path}/lib`
    expect((await publish(people.developer, place, name)).status).toBe(200)
    const other = await newProject({ namespace: group })
    const twin = await publish(people.developer, other.place, name)
    expect(twin).toMatchObject(refusal(400, 'Validation failed: Package already exists'))
    const write = await deployToken(people.owner, place, ['read_package_registry', 'write_package_registry'])
    for (const base of [`/groups/${group.id}/-/packages/npm`, '/packages/npm']) {
      const status = async (client: Client) => (await read(client, `${base}/${name}`)).status
      expect([base, await status(people.reporter), await status(people.guest)]).toEqual([base, 200, 403])
      const anonymous = await send(`${base}/${name}`)
      expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
        ...[401, 'Basic realm="GitLab Packages Registry"'],
      ])
      expect((await read(people.reporter, `${base}/@${group.path}/none`)).status).toBe(404)
      expect((await read(people.reporter, `${base}/lib`)).status).toBe(404)
      const tags = `${base}/-/package/${name}/dist-tags`
      expect((await put(people.developer, `${tags}/stable`, '"1.0.0"')).status).toBe(204)
      expect((await read(people.reporter, tags)).body).toEqual({ latest: '1.0.0', stable: '1.0.0' })
      expect((await put(people.reporter, `${tags}/stable`, '"1.0.0"')).status).toBe(403)
      const remove = { method: 'DELETE', headers: basic(people.developer.token) }
      expect((await send(`${tags}/stable`, remove)).status).toBe(403)
      expect((await send(`${tags}/stable`, { ...remove, headers: basic(people.maintainer.token) })).status).toBe(204)
    }
    const byToken = await send(`/packages/npm/${name}`, { headers: basic(write) })
    expect(byToken.status).toBe(200)
  })
})

async function groupWithProject() {
  const group = await server.make.group(`npm-${performance.now()}`.replace('.', '-'), people.owner)
  const made = await newProject({ namespace: group })
  return { ...made, group }
}

describe('dist-tags', () => {
  test('are set and removed', async () => {
    const { place } = await newProject()
    await publish(people.developer, place, 'lib')
    const tags = `${place}/packages/npm/-/package/lib/dist-tags`
    expect((await put(people.developer, `${tags}/stable`, '1.0.0')).status).toBe(204)
    const missing = '"Version" not given'
    expect(await put(people.developer, `${tags}/stable`, '')).toMatchObject({
      status: 400,
      body: { message: `400 Bad request - ${missing}`, error: missing },
    })
    expect(await put(people.developer, `${tags}/stable`, '"2.0.0"')).toMatchObject({
      status: 404,
      body: { message: '404 Package Not Found' },
    })
    const remove = (client: Client, tag: string) =>
      send(`${tags}/${tag}`, { method: 'DELETE', headers: basic(client.token) })
    expect((await remove(people.developer, 'stable')).status).toBe(403)
    expect((await remove(people.maintainer, 'stable')).status).toBe(204)
    expect(await remove(people.maintainer, 'stable')).toMatchObject({
      status: 404,
      body: { message: '404 Package tag Not Found' },
    })
    await remove(people.maintainer, 'latest')
    expect((await read(people.reporter, tags)).status).toBe(404)
    expect((await read(people.reporter, `${place}/packages/npm/lib`)).body['dist-tags']).toEqual({ latest: '1.0.0' })
  })
})

describe('deprecation', () => {
  test('is set and ended by maintainers', async () => {
    const { place } = await newProject()
    for (const version of ['1.0.0', '2.0.0']) await publish(people.developer, place, 'lib', { version })
    const path = `${place}/packages/npm/lib`
    const packument = (await read(people.reporter, path)).body
    const send = (client: Client, message: unknown) => {
      packument.versions['1.0.0'].deprecated = message
      packument.versions['9.9.9'] = { deprecated: message }
      return put(client, path, packument, { 'Npm-Command': 'deprecate' })
    }
    expect((await send(people.developer, 'old')).status).toBe(403)
    expect(await send(people.maintainer, 'old')).toMatchObject({ status: 200, body: {} })
    const shown = async () => (await read(people.reporter, path)).body.versions['1.0.0'].deprecated
    expect(await shown()).toBe('old')
    const status = async () => (await people.reporter.get(`${place}/packages?package_version=1.0.0`)).body[0].status
    expect(await status()).toBe('deprecated')
    await send(people.maintainer, '')
    expect([await shown(), await status()]).toEqual([undefined, 'default'])
    const missing = '"package versions to deprecate" not given'
    expect(await send(people.maintainer, undefined)).toMatchObject({
      status: 400,
      body: { message: `400 Bad request - ${missing}`, error: missing },
    })
  })
})

describe('what the server does not have', () => {
  test('is forwarded where groups or the server say so', async () => {
    const { place } = await newProject()
    expect((await read(people.reporter, `${place}/packages/npm/left-pad`)).status).toBe(404)
    await server.root.put('/application/settings', { npm_package_requests_forwarding: true })
    const answer = await read(people.reporter, `${place}/packages/npm/@s%2fleft-pad`)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://registry.npmjs.org/@s%2fleft-pad'])
    expect((await send(`${place}/packages/npm/left-pad`)).status).toBe(401)
    await server.root.put('/application/settings', { npm_package_requests_forwarding: false })
  })

  test('audits find nothing', async () => {
    const { place } = await newProject()
    for (const below of ['advisories/bulk', 'audits/quick']) {
      const path = `${place}/packages/npm/-/npm/v1/security/${below}`
      const asked = await send(path, { method: 'POST', body: '{}', headers: basic(people.reporter.token) })
      expect([asked.status, asked.body]).toEqual([200, []])
      expect((await send(path, { method: 'POST', body: '{}' })).status).toBe(401)
    }
  })
})
