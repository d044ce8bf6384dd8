import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { basic, newProject, people, publish, send, servePackagesForTests, server } from '../testing.ts'

servePackagesForTests()

let count = 0
const newGroup = async () => {
  count += 1
  return server.make.group(`settings-${count}`, people.owner)
}
const change = (id: number, settings: object) =>
  people.owner.put(`/groups/${id}`, { package_settings_attributes: settings })
const defaults = {
  ...{ maven_duplicates_allowed: true, maven_duplicate_exception_regex: '' },
  ...{ generic_duplicates_allowed: true, generic_duplicate_exception_regex: '' },
  npm_package_requests_forwarding: null,
  ...{ pypi_package_requests_forwarding: null, maven_package_requests_forwarding: null },
}

describe('the settings of a group', () => {
  test('are shown to owners, changed, and copied to new subgroups', async () => {
    const { id } = await newGroup()
    expect((await people.owner.get(`/groups/${id}`)).body.package_settings).toEqual(defaults)
    const changed = await change(id, { generic_duplicates_allowed: false, npm_package_requests_forwarding: true })
    const expected = { ...defaults, generic_duplicates_allowed: false, npm_package_requests_forwarding: true }
    expect([changed.status, changed.body.package_settings]).toEqual([200, expected])
    const below = await people.owner.post('/groups', { name: 'below', path: 'below', parent_id: id })
    expect((await people.owner.get(`/groups/${below.body.id}`)).body.package_settings).toEqual(expected)
    expect((await server.root.get(`/groups/${id}`)).body.package_settings).toEqual(expected)
    await server.make.member({ namespace: { id } as never }, people.developer, 30)
    expect((await people.developer.get(`/groups/${id}`)).body).not.toHaveProperty('package_settings')
  })

  test.each([
    ['(', /^not valid RE2 syntax: /],
    ['x'.repeat(256), /^is too long/],
  ])('refuse the expression %s', async (expression, text) => {
    const { id } = await newGroup()
    const { status, body } = await change(id, { generic_duplicate_exception_regex: expression })
    expect([status, body.message]).toEqual([
      400,
      { 'package_settings.generic_duplicate_exception_regex': [expect.stringMatching(text)] },
    ])
  })

  test('decide about second files of one name', async () => {
    const namespace = await newGroup()
    const { place } = await newProject({ namespace })
    const put = async (path: string) => (await publish(people.developer, place, path)).status
    expect([await put('tool/1.0/f'), await put('tool/1.0/f')]).toEqual([201, 201])
    await change(namespace.id, { generic_duplicates_allowed: false })
    expect(await publish(people.developer, place, 'tool/1.0/f')).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Duplicate package is not allowed' },
    })
    expect(await put('tool/1.0/other')).toBe(201)
    await change(namespace.id, { generic_duplicate_exception_regex: 'too' })
    expect(await put('tool/1.0/f')).toBe(400)
    await change(namespace.id, { generic_duplicate_exception_regex: 'tool' })
    expect(await put('tool/1.0/f')).toBe(201)
    await change(namespace.id, { generic_duplicates_allowed: true })
    expect(await put('tool/1.0/f')).toBe(400)
    await change(namespace.id, { generic_duplicate_exception_regex: '1\\.0' })
    expect(await put('tool/1.0/f')).toBe(400)
    expect([await put('tool/2.0/f'), await put('tool/2.0/f')]).toEqual([201, 201])
  })

  test('refuse a second file also of two that arrive at once', async () => {
    const namespace = await newGroup()
    const { place } = await newProject({ namespace })
    await publish(people.developer, place, 'tool/1.0/first')
    await change(namespace.id, { generic_duplicates_allowed: false })
    const answers = await Promise.all([1, 2].map((one) => publish(people.developer, place, 'tool/1.0/f', `${one}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
  })
})

describe('the project', () => {
  test('keeps its level when packages are switched on that are on', async () => {
    const { place } = await newProject()
    const levelAfter = async (body: object) => (await people.owner.put(place, body)).body.package_registry_access_level
    expect(await levelAfter({ package_registry_access_level: 'private' })).toBe('private')
    expect(await levelAfter({ packages_enabled: true })).toBe('private')
    expect(await levelAfter({ packages_enabled: false })).toBe('disabled')
    expect(await levelAfter({ packages_enabled: true })).toBe('enabled')
    expect(await levelAfter({ packages_enabled: false, package_registry_access_level: 'public' })).toBe('public')
  })

  test('is renamed, and packages are reached by the number and by the former path', async () => {
    const { place, project } = await newProject()
    await publish(people.developer, place, 'tool/1.0/f')
    await people.owner.put(place, { path: `${project.path}-renamed` })
    const former = `/projects/${encodeURIComponent(project.full_path)}/packages/generic/tool/1.0/f`
    const headers = basic(people.developer.token)
    const moved = await send(former, { headers })
    expect([moved.status, moved.headers.get('location')]).toEqual([
      301,
      `${server.url}/api/v4${place}/packages/generic/tool/1.0/f`,
    ])
    expect((await send(former, { method: 'PUT', body: 'x', headers })).status).toBe(405)
    expect((await send(`${place}/packages/generic/tool/1.0/f`, { headers })).status).toBe(200)
  })
})

/** Makes an npm package of a name in a project, without the format. */
async function makeNpm(projectId: number, name: string) {
  const row = { project_id: projectId, package_type: 'npm', name, name_key: name, version: '1.0.0' } as const
  const moment = { created_at: '2026-01-02T03:04:05.678Z', updated_at: '2026-01-02T03:04:05.678Z' }
  await server.app.platform.database.write((tx) =>
    tx
      .insertInto('packages')
      .values({ ...row, ...moment })
      .execute(),
  )
}

describe('packages whose scope is the top-level group', () => {
  test('keep the project, the group and its path in place', async () => {
    const [top, other] = [await newGroup(), await newGroup()]
    const below = await server.make.group('inner', people.owner, { parent: top })
    const { place, project } = await newProject({ namespace: below })
    await makeNpm(project.id, `@${top.path}x/lib`)
    const transfer = () => people.owner.put(`${place}/transfer`, { namespace: other.id })
    const transferGroup = () => people.owner.post(`/groups/${below.id}/transfer`, { group_id: other.id })
    const rename = () => people.owner.put(`/groups/${top.id}`, { path: `${top.path}-renamed` })
    await makeNpm(project.id, `@${top.path}/lib`)
    expect(await transfer()).toMatchObject({
      status: 400,
      body: {
        message:
          'Failed to transfer project {:new_namespace=>["Root namespace can\'t be updated if the project has NPM packages scoped to the current root level namespace."]}',
      },
    })
    expect(await transferGroup()).toMatchObject({
      status: 400,
      body: {
        message: 'Transfer failed: Group contains projects with NPM packages scoped to the current root level group.',
      },
    })
    expect(await rename()).toMatchObject({
      status: 400,
      body: { message: { path: ['cannot change when group contains projects with NPM packages'] } },
    })
    expect((await people.owner.put(`${place}/transfer`, { namespace: top.id })).status).toBe(200)
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('packages').set({ status: 'pending_destruction' }).where('project_id', '=', project.id).execute(),
    )
    expect((await rename()).status).toBe(200)
    expect((await transfer()).status).toBe(200)
  })
})

describe('the server', () => {
  test('limits the requests of clients of packages by their own throttle', async () => {
    const { place } = await newProject({ visibility: 'public' })
    const set = (value: object) => server.root.put('/application/settings', value)
    await publish(people.developer, place, 'tool/1.0/f')
    const path = `${place}/packages/generic/tool/1.0/f`
    await set({
      throttle_unauthenticated_packages_api_enabled: true,
      throttle_unauthenticated_packages_api_requests_per_period: 2,
      throttle_unauthenticated_packages_api_period_in_seconds: 3600,
    })
    const statuses = []
    for (let index = 0; index < 3; index += 1) statuses.push((await send(path)).status)
    expect(statuses).toEqual([200, 200, 429])
    for (const other of ['npm/lib', 'pypi/simple', 'maven/org/lib/1.0/lib-1.0.jar']) {
      expect([other, (await send(`${place}/packages/${other}`)).status]).toEqual([other, 429])
    }
    expect((await send(path, { headers: basic(people.reporter.token) })).status).toBe(200)
    expect((await server.anonymous.get(`${place}/packages`)).status).toBe(200)
    await set({ throttle_unauthenticated_packages_api_enabled: false })
    expect((await send(path)).status).toBe(200)
  })

  test('refuses an upload before its body is sent, of clients that wait for that', async () => {
    const { place } = await newProject()
    const begin = async (token: string) => {
      const headers = { 'PRIVATE-TOKEN': token, Expect: '100-continue' }
      const address = `${server.url}/api/v4${place}/packages/generic/tool/1.0/f`
      const sent = request(address, { method: 'PUT', headers, agent: false })
      let isContinued = false
      sent.on('continue', () => {
        isContinued = true
        sent.end('content')
      })
      sent.flushHeaders()
      const [answer] = await once(sent, 'response')
      sent.destroy()
      return [answer.statusCode, isContinued]
    }
    expect(await begin(people.reporter.token)).toEqual([403, false])
    expect(await begin(people.developer.token)).toEqual([201, true])
  })
})
