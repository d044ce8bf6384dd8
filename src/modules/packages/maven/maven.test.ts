import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { jobWithToken, projectWithConfig } from '../../pipelines/testing.ts'
import { basic, deployToken, newProject, people, send, servePackagesForTests, server, sha256 } from '../testing.ts'

servePackagesForTests()

const hex = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex')
type Headers = Record<string, string>
const put = (place: string, path: string, content = 'content', headers: Headers = basic(people.developer.token)) =>
  send(`${place}/packages/maven/${path}`, { method: 'PUT', body: content, headers })
const get = (at: string, path: string, token = people.reporter.token, method = 'GET') =>
  send(`${at}/packages/maven/${path}`, { method, headers: token === '' ? {} : basic(token) })
const filesOf = async (place: string, name: string, version: string | null) => {
  const listed = (await people.reporter.get(`${place}/packages?include_versionless=true`)).body
  const { id } = listed.find((one: { name: string; version: string }) => one.name === name && one.version === version)
  const files = (await people.reporter.get(`${place}/packages/${id}/package_files?per_page=100`)).body
  return files.map(({ file_name: file }: { file_name: string }) => file)
}
let count = 0
const newGroup = async (visibility: 'private' | 'public' = 'private') => {
  count += 1
  return server.make.group(`maven-${count}`, people.owner, { visibility })
}

/** What `mvn deploy` sends of a file: itself and its digests. */
async function deployFile(place: string, path: string, content: string): Promise<number[]> {
  const answers = [
    await put(place, path, content),
    await put(place, `${path}.md5`, hex('md5', content)),
    await put(place, `${path}.sha1`, hex('sha1', content)),
  ]
  return answers.map(({ status }) => status)
}

describe('a deployment as mvn does it', () => {
  test('of a release, which is resolved with its digests', async () => {
    const { place } = await newProject()
    const base = 'com/example/app'
    for (const [name, content] of [
      ['app-1.0.jar', 'jar'],
      ['app-1.0.pom', '<project/>'],
    ] as const)
      expect(await deployFile(place, `${base}/1.0/${name}`, content)).toEqual([200, 200, 204])
    const first = await get(place, `${base}/maven-metadata.xml`)
    expect([first.status, first.body.message]).toEqual([404, '404 Package Not Found'])
    expect(await deployFile(place, `${base}/maven-metadata.xml`, '<metadata/>')).toEqual([200, 200, 204])

    const jar = await get(place, `${base}/1.0/app-1.0.jar`)
    expect([jar.status, jar.body]).toEqual([200, 'jar'])
    expect(Object.fromEntries(jar.headers)).toMatchObject({
      ...{ 'content-type': 'application/octet-stream', 'content-length': '3' },
      ...{ 'x-checksum-sha1': hex('sha1', 'jar'), 'x-checksum-md5': hex('md5', 'jar') },
      ...{ 'x-checksum-sha256': sha256('jar'), etag: `"${sha256('jar')}"`, 'accept-ranges': 'bytes' },
    })
    for (const digest of ['sha1', 'md5']) {
      const answer = await get(place, `${base}/maven-metadata.xml.${digest}`)
      expect([answer.status, answer.body]).toEqual([200, hex(digest, '<metadata/>')])
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
    }
    expect(await filesOf(place, base, '1.0')).toEqual(['app-1.0.jar', 'app-1.0.pom'])
    expect(await filesOf(place, base, null)).toEqual(['maven-metadata.xml'])
  })

  test('of two builds of a snapshot', async () => {
    const { place } = await newProject()
    const base = 'com/example/app/1.0-SNAPSHOT'
    expect((await get(place, `${base}/maven-metadata.xml`)).status).toBe(404)
    for (const [build, at] of ['1.0-20260101.120000-1', '1.0-20260102.120000-2'].entries()) {
      expect(await deployFile(place, `${base}/app-${at}.jar`, `jar ${build}`)).toEqual([200, 200, 204])
      expect(await deployFile(place, `${base}/app-${at}.pom`, `pom ${build}`)).toEqual([200, 200, 204])
      expect(await deployFile(place, `${base}/maven-metadata.xml`, `builds ${build}`)).toEqual([200, 200, 204])
      expect(await deployFile(place, 'com/example/app/maven-metadata.xml', 'versions')).toEqual([200, 200, 204])
    }
    expect((await get(place, `${base}/maven-metadata.xml`)).body).toBe('builds 1')
    expect((await get(place, `${base}/app-1.0-20260101.120000-1.jar`)).body).toBe('jar 0')
    const files = await filesOf(place, 'com/example/app', '1.0-SNAPSHOT')
    expect(files.filter((name: string) => name === 'maven-metadata.xml')).toHaveLength(2)
  })

  test('stores further digests and signatures beside the file', async () => {
    const { place } = await newProject()
    for (const end of ['sha256', 'sha512', 'asc']) {
      expect(await put(place, `g/p/1.0/p-1.0.jar.${end}`, end)).toMatchObject({ status: 200, body: '' })
      expect(await put(place, `g/p/maven-metadata.xml.${end}`, end)).toMatchObject({ status: 200, body: '' })
      expect((await get(place, `g/p/1.0/p-1.0.jar.${end}`)).body).toBe(end)
    }
    expect(await filesOf(place, 'g/p', '1.0')).toHaveLength(3)
    expect(await filesOf(place, 'g/p', null)).toHaveLength(3)
  })
})

describe('digests', () => {
  test('are compared with the newest stored file', async () => {
    const { place } = await newProject()
    expect((await put(place, 'g/p/1.0/p.jar.sha1', hex('sha1', 'jar'))).status).toBe(404)
    await put(place, 'g/p/1.0/p.jar', 'jar')
    const wrong = await put(place, 'g/p/1.0/p.jar.sha1', hex('sha1', 'other'))
    expect([wrong.status, wrong.body]).toEqual([409, { message: '409 Conflict' }])
    expect((await put(place, 'g/p/1.0/p.jar.sha1', `${hex('sha1', 'jar').toUpperCase()}\n`)).status).toBe(204)
    expect((await put(place, 'g/p/1.0/other.jar.sha1', hex('sha1', 'jar'))).status).toBe(404)
    expect((await put(place, 'g/p/1.0/p.jar.md5', 'anything')).status).toBe(200)
    expect((await put(place, 'g/p/1.0/p.jar.sha1', 'x'.repeat(2000))).status).toBe(400)
    expect(await filesOf(place, 'g/p', '1.0')).toEqual(['p.jar'])
  })

  test('are for those who may publish', async () => {
    const { place } = await newProject()
    await put(place, 'g/p/1.0/p.jar', 'jar')
    for (const [name, status] of [
      ['reporter', 403],
      ['outsider', 404],
    ] as const) {
      const answer = await put(place, 'g/p/1.0/p.jar.sha1', hex('sha1', 'jar'), basic(people[name].token))
      expect([name, answer.status]).toEqual([name, status])
    }
  })
})

describe('publishing', () => {
  test.each([
    ['g/p/1.0/a%20b', { error: 'file_name is invalid' }],
    ['g/p/1.0/%2e%2e%2fx', { error: 'file_name is invalid' }],
    ['g/p/1.0/..%5cx', { error: 'file_name is invalid' }],
    ['g/p/1.0/caf%C3%A9', { error: 'file_name is invalid' }],
    [`g/p/1.0/${'a'.repeat(256)}`, { error: 'file_name is invalid' }],
    ['g/p/1..0/f', { message: 'Validation failed: Version is invalid' }],
    ['g/p/1%3A0/f', { message: 'Validation failed: Version is invalid' }],
    [`g/p/${'1'.repeat(256)}/f`, { message: 'Validation failed: Version is invalid' }],
    ['g/p%24/1.0/f', { message: 'Validation failed: Name is invalid' }],
    ['caf%C3%A9/p/maven-metadata.xml', { message: 'Validation failed: Name is invalid' }],
    [`${'a/'.repeat(129)}1.0/f`, { message: 'Validation failed: Name is invalid' }],
    ['g/%2E%2E%2Fp/1.0/f', { message: 'Validation failed: Maven metadatum path is invalid' }],
    ['g%2F%2Fp/1.0/f', { message: 'Validation failed: Maven metadatum path is invalid' }],
    ['g/p%2F/f', { message: 'Validation failed: Version is invalid' }],
    ['1.0/f', { message: 'Validation failed: Maven metadatum path is invalid' }],
  ])('refuses %s', async (path, body) => {
    const { place } = await newProject()
    expect(await put(place, path)).toMatchObject({ status: 400, body })
    expect((await people.reporter.get(`${place}/packages?include_versionless=true`)).body).toEqual([])
    expect([404, 400]).toContain((await get(place, path)).status)
  })

  test('is for developers, deploy tokens alone', async () => {
    const { place } = await newProject()
    const path = 'g/p/1.0/p-1.0.jar'
    for (const [name, status] of [
      ['maintainer', 200],
      ['developer', 200],
      ['reporter', 403],
      ['guest', 403],
      ['outsider', 404],
    ] as const) {
      for (const headers of [basic(people[name].token), { 'Private-Token': people[name].token }])
        expect([name, (await put(place, path, 'x', headers)).status]).toEqual([name, status])
    }
    const anonymous = await put(place, path, 'x', {})
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
      ...[401, 'Basic realm="GitLab Packages Registry"'],
    ])
    const write = await deployToken(people.owner, place, ['write_package_registry'])
    const read = await deployToken(people.owner, place, ['read_package_registry'])
    expect((await put(place, path, 'x', { 'Deploy-Token': write })).status).toBe(200)
    expect((await put(place, path, 'x', basic(read))).status).toBe(403)
    expect((await get(place, path, read)).status).toBe(200)
    await people.owner.post(`${place}/archive`)
    expect((await put(place, path)).status).toBe(403)
    expect((await get(place, path)).status).toBe(200)
  })

  test('by a job shows its pipeline, until the job ends', async () => {
    const project = await projectWithConfig(server, people.owner, 'maven-with-jobs', 'work: {script: make}\n')
    const place = `/projects/${project.id}`
    const { token, end } = await jobWithToken(server, { projectId: project.id, userId: people.owner.id })
    const path = 'g/p/1.0/p.jar'
    expect((await put(place, path, 'x', { 'Job-Token': token })).status).toBe(200)
    expect((await put(place, path, 'x', basic(token, 'gitlab-ci-token'))).status).toBe(200)
    const [found] = (await people.owner.get(`${place}/packages`)).body
    expect(found).toMatchObject({ name: 'g/p', version: '1.0', pipeline: { project_id: project.id } })
    const other = await newProject()
    expect((await put(other.place, path, 'x', { 'Job-Token': token })).status).toBe(403)
    await end()
    expect((await put(place, path, 'x', { 'Job-Token': token })).status).toBe(401)
  })

  test('is limited by the plan', async () => {
    const { place } = await newProject()
    const limit = (bytes: number) =>
      server.root.put('/application/plan_limits', { plan_name: 'default', maven_max_file_size: bytes })
    await limit(10)
    const large = await put(place, 'g/p/1.0/p.jar', 'x'.repeat(11))
    expect([large.status, large.body.message]).toEqual([400, '400 Bad request - File is too large'])
    expect((await put(place, 'g/p/1.0/p.jar', 'x'.repeat(10))).status).toBe(200)
    await limit(3_221_225_472)
  })

  test('follows the rules that protect names', async () => {
    const { place } = await newProject()
    await people.maintainer.post(`${place}/packages/protection/rules`, {
      ...{ package_name_pattern: 'com/example/*', package_type: 'maven', minimum_access_level_for_push: 'maintainer' },
    })
    const refused = await put(place, 'com/example/app/1.0/app.jar')
    expect([refused.status, refused.body.message]).toEqual([403, '403 Forbidden - Package protected.'])
    expect((await put(place, 'com/example/app/1.0/app.jar', 'x', basic(people.maintainer.token))).status).toBe(200)
    expect((await put(place, 'com/other/app/1.0/app.jar')).status).toBe(200)
  })

  test('of one version by two at once makes one package, and the newest file is served', async () => {
    const { place } = await newProject()
    const contents = ['one', 'two']
    const answers = await Promise.all(contents.map((content) => put(place, 'g/p/1.0/p-1.0.jar', content)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect((await people.reporter.get(`${place}/packages`)).body).toHaveLength(1)
    expect(await filesOf(place, 'g/p', '1.0')).toHaveLength(2)
    const served = (await get(place, 'g/p/1.0/p-1.0.jar')).body
    const digests = await Promise.all(
      contents.map((content) => put(place, 'g/p/1.0/p-1.0.jar.sha1', hex('sha1', content))),
    )
    expect(digests.map(({ status }) => status)).toEqual(contents.map((content) => (content === served ? 204 : 409)))
  })

  test('refuses second files where the group does, except for lists of versions', async () => {
    const namespace = await newGroup()
    const { place } = await newProject({ namespace })
    const allow = (settings: object) =>
      people.owner.put(`/groups/${namespace.id}`, { package_settings_attributes: settings })
    const snapshot = (build: number, end = '.jar') =>
      put(place, `g/p/1.0-SNAPSHOT/p-1.0-20260101.12000${build}-${build}${end}`)
    await allow({ maven_duplicates_allowed: false })
    expect((await put(place, 'g/p/1.0/p-1.0.jar')).status).toBe(200)
    const again = await put(place, 'g/p/1.0/p-1.0.jar')
    expect([again.status, again.body.message]).toEqual([400, '400 Bad request - Duplicate package is not allowed'])
    expect((await put(place, 'g/p/1.0/p-1.0-sources.jar')).status).toBe(200)
    for (const name of ['g/p/maven-metadata.xml', 'g/p/1.0-SNAPSHOT/maven-metadata.xml'])
      for (const content of ['one', 'two']) expect((await put(place, name, content)).status).toBe(200)
    expect([(await snapshot(1)).status, (await snapshot(1, '.pom')).status]).toEqual([200, 200])
    expect((await snapshot(2)).status).toBe(400)
    await allow({ maven_duplicate_exception_regex: '.*-SNAPSHOT' })
    expect([(await snapshot(2)).status, (await put(place, 'g/p/1.0/p-1.0.jar')).status]).toEqual([200, 400])
    await allow({ maven_duplicate_exception_regex: '' })
    const answers = await Promise.all([1, 2].map((one) => put(place, 'g/p/1.0/new.jar', `${one}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })
})

describe('downloading', () => {
  test('answers heads and ranges, and does not find what is not there', async () => {
    const { place } = await newProject()
    await put(place, 'g/p/1.0/p.jar', '0123456789')
    const head = await get(place, 'g/p/1.0/p.jar', undefined, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, '10', ''])
    const headers = { ...basic(people.reporter.token), Range: 'bytes=0-3' }
    expect(await send(`${place}/packages/maven/g/p/1.0/p.jar`, { headers })).toMatchObject({
      status: 206,
      body: '0123',
    })
    for (const path of [
      'g/p/1.0/q.jar',
      'g/p/1.1/p.jar',
      'g/q/1.0/p.jar',
      'g/p/1.0/q.jar.sha1',
      'g/maven-metadata.xml',
    ])
      expect(await get(place, path)).toMatchObject({ status: 404, body: { message: '404 Package Not Found' } })
    const [{ id }] = (await people.reporter.get(`${place}/packages`)).body
    await people.maintainer.delete(`${place}/packages/${id}`)
    expect((await get(place, 'g/p/1.0/p.jar')).status).toBe(404)
    expect((await put(place, 'g/p/1.0/p.jar', 'again')).status).toBe(200)
    expect((await get(place, 'g/p/1.0/p.jar')).body).toBe('again')
  })

  test('from a project is for those who may read', async () => {
    const { place } = await newProject()
    await put(place, 'g/p/1.0/p.jar')
    const status = async (token: string) => (await get(place, 'g/p/1.0/p.jar', token)).status
    const { reporter, guest, outsider } = people
    expect([await status(reporter.token), await status(guest.token), await status(outsider.token)]).toEqual([
      ...[200, 403, 404],
    ])
    expect(await status('')).toBe(401)
    const open = await newProject({ visibility: 'public' })
    await put(open.place, 'g/p/1.0/p.jar')
    expect((await get(open.place, 'g/p/1.0/p.jar', '')).status).toBe(200)
    expect((await get(open.place, 'g/p/1.0/p.jar.sha1', '')).body).toBe(hex('sha1', 'content'))
  })

  test('from a group finds the package that was published last', async () => {
    const namespace = await newGroup()
    const [first, second] = [await newProject({ namespace }), await newProject({ namespace })]
    const base = `/groups/${namespace.id}/-`
    await put(first.place, 'g/p/1.0/p.jar', 'first')
    await put(second.place, 'g/p/1.0/p.jar', 'second')
    await put(second.place, 'g/p/maven-metadata.xml', 'list of the second')
    await put(first.place, 'g/p/maven-metadata.xml', 'list of the first')
    expect((await get(base, 'g/p/1.0/p.jar')).body).toBe('second')
    expect((await get(base, 'g/p/maven-metadata.xml')).body).toBe('list of the first')
    await put(second.place, 'g/p/maven-metadata.xml', 'newer')
    expect((await get(base, 'g/p/maven-metadata.xml')).body).toBe('newer')
    expect((await get(base, 'g/p/1.0/p.jar.sha1')).body).toBe(hex('sha1', 'second'))
    expect(await get(base, 'g/q/1.0/p.jar')).toMatchObject({ status: 404, body: { message: '404 Package Not Found' } })
    expect((await get(base, 'g/p/1.0/p.jar', people.guest.token)).status).toBe(403)
    expect((await get(base, 'g/p/1.0/p.jar', people.outsider.token)).body.message).toBe('404 Group Not Found')
    expect((await get(base, 'g/p/1.0/p.jar', '')).status).toBe(401)
    const token = await deployToken(people.owner, `/groups/${namespace.id}`, ['read_package_registry'])
    expect((await get(base, 'g/p/1.0/p.jar', token)).body).toBe('second')
  })

  test('from a group that the caller does not see has the projects that are open to all', async () => {
    const namespace = await newGroup()
    const { place } = await newProject({ namespace })
    const base = `/groups/${namespace.id}/-`
    await put(place, 'g/p/1.0/p.jar')
    const status = async (token: string, path = 'g/p/1.0/p.jar') => (await get(base, path, token)).status
    expect([await status(''), await status(people.outsider.token)]).toEqual([401, 404])
    for (const path of ['g/p/1.0/a%20b', 'g%2F%2Fp/1.0/p.jar'])
      expect([await status('', path), await status(people.outsider.token, path)]).toEqual([401, 404])
    await people.owner.put(place, { package_registry_access_level: 'public' })
    expect([await status(''), await status(people.outsider.token)]).toEqual([200, 200])
    expect([await status('', 'g/q/1.0/p.jar'), await status(people.outsider.token, 'g/q/1.0/p.jar')]).toEqual([
      401, 404,
    ])
    await server.root.put('/application/settings', { package_registry_allow_anyone_to_pull_option: false })
    expect([await status(''), await status(people.outsider.token)]).toEqual([401, 404])
    await server.root.put('/application/settings', { package_registry_allow_anyone_to_pull_option: true })
  })

  test('from the server is for paths that are those of projects', async () => {
    const namespace = await newGroup('public')
    const open = await newProject({ namespace, visibility: 'public' })
    const hidden = await newProject({ namespace })
    const at = ({ project }: typeof open) => `${project.full_path}/1.0/p.jar`
    for (const one of [open, hidden]) await put(one.place, at(one))
    await put(open.place, 'g/p/1.0/p.jar')
    expect((await get('', at(open), '')).status).toBe(200)
    expect((await get('', `${at(open)}.sha1`, '')).body).toBe(hex('sha1', 'content'))
    expect((await get('', `${open.project.full_path}/1.1/p.jar`, '')).status).toBe(404)
    expect((await get('', at(hidden))).status).toBe(200)
    for (const token of ['', people.outsider.token]) {
      // A hidden project is answered as what is none.
      for (const path of [at(hidden), 'g/p/1.0/p.jar', `${open.project.id}/1.0/p.jar`, 'g%2F..%2Fp/1.0/p.jar']) {
        expect((await get('', path, token)).status).toBe(403)
      }
    }
    await people.owner.put(hidden.place, { package_registry_access_level: 'public' })
    expect((await get('', at(hidden), '')).status).toBe(403)
  })
})

test('packages that are not here are forwarded where the server says so, other versions are not', async () => {
  const namespace = await newGroup()
  const { place } = await newProject({ namespace })
  await put(place, 'g/p/1.0/p.jar')
  await server.root.put('/application/settings', { maven_package_requests_forwarding: true })
  const address = 'https://repo.maven.apache.org/maven2'
  for (const at of [place, `/groups/${namespace.id}/-`]) {
    for (const path of ['org/x/1.0/x-1.0.pom', 'org/x/1.0/x-1.0.pom.sha1', 'org/x/maven-metadata.xml']) {
      const answer = await get(at, path)
      expect([answer.status, answer.headers.get('location')]).toEqual([302, `${address}/${path}`])
    }
    for (const path of ['g/p/1.1/p.jar', 'g/p/1.0/q.jar', 'g/p/maven-metadata.xml', 'org%2F%2Fx/1.0/x.pom'])
      expect([path, (await get(at, path)).status]).toEqual([path, 404])
    expect((await get(at, 'org/x/1.0/x-1.0.pom', people.outsider.token)).status).toBe(404)
  }
  expect((await get('', 'org/x/1.0/x-1.0.pom')).status).toBe(403)
  await server.root.put('/application/settings', { maven_package_requests_forwarding: false })
  expect((await get(place, 'org/x/1.0/x-1.0.pom')).status).toBe(404)
})
