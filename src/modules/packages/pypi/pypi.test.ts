import { describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/index.ts'
import { basic, newProject, people, send, servePackagesForTests, server, sha256 } from '../testing.ts'

servePackagesForTests()

type Fields = Record<string, string | undefined>

const upload = (client: Client, place: string, fields: Fields = {}, fileName = 'my_pkg-1.0-py3-none-any.whl') => {
  const form = new FormData()
  const all: Fields = { ':action': 'file_upload', name: 'My_Pkg', version: '1.0', ...fields }
  for (const [name, value] of Object.entries(all)) if (value !== undefined && name !== 'bytes') form.append(name, value)
  form.append('content', new Blob([fields.bytes ?? 'wheel']), fileName)
  return send(`${place}/packages/pypi`, { method: 'POST', body: form, headers: basic(client.token) })
}
const read = (client: Client, path: string, headers: Record<string, string> = {}) =>
  send(path, { headers: { ...basic(client.token), ...headers } })
const refused = (problem: string) => `400 Bad request - Validation failed: ${problem}`

describe('uploading', () => {
  test('stores the file, which pages link', async () => {
    const { place, project } = await newProject()
    const digest = sha256('wheel')
    const answer = await upload(people.developer, place, { requires_python: '>=3.7', sha256_digest: digest })
    expect([answer.status, answer.body]).toEqual([201, { message: '201 Created' }])
    const base = `${server.url}/api/v4/projects/${project.id}/packages/pypi`
    const file = `files/${digest}/my_pkg-1.0-py3-none-any.whl`
    for (const name of ['my.pkg', 'My_Pkg', 'MY--PKG/']) {
      const page = await read(people.reporter, `${place}/packages/pypi/simple/${name}`)
      expect([page.status, page.headers.get('vary')]).toEqual([200, expect.stringContaining('Accept')])
      expect(page.body).toContain('<title>Links for My_Pkg</title>')
      const link = `<a href="${base}/${file}#sha256=${digest}" data-requires-python="&gt;=3.7">my_pkg-1.0-py3-none-any.whl</a>`
      expect(page.body).toContain(link)
    }
    const index = await read(people.reporter, `${place}/packages/pypi/simple`)
    expect(index.body).toContain(`<a href="${base}/simple/my-pkg" data-requires-python="&gt;=3.7">My_Pkg</a>`)
    const json = { Accept: 'application/vnd.pypi.simple.v1+json, text/html;q=0.1' }
    const page = await read(people.reporter, `${place}/packages/pypi/simple/my-pkg`, json)
    expect(page.headers.get('content-type')).toBe('application/vnd.pypi.simple.v1+json')
    expect(JSON.parse(page.body)).toMatchObject({ name: 'my-pkg', files: [{ hashes: { sha256: digest } }] })
    expect((await read(people.reporter, `${place}/packages/pypi/${file}`)).body).toBe('wheel')
    const wrong = await read(people.reporter, `${place}/packages/pypi/${file.replace(digest, sha256('x'))}`)
    expect([wrong.status, wrong.body.message]).toEqual([404, '404 Package Not Found'])
    const again = await upload(people.developer, place)
    expect([again.status, again.body.message]).toEqual([400, refused('File name has already been taken')])
    expect((await upload(people.developer, place, {}, 'my_pkg-1.0.tar.gz')).status).toBe(201)
  })

  test.each<[string, Fields, string | undefined, string]>([
    ['a name', { name: 'a/b' }, undefined, refused('Name is invalid')],
    ['a version', { version: '1.0..1' }, undefined, refused('Version is invalid')],
    ['a file name', {}, 'a b.whl', refused('File name is invalid')],
    ['a file name of dots', {}, '..', refused('File name is invalid')],
    [
      'a requirement',
      { requires_python: 'x'.repeat(256) },
      undefined,
      refused('Required python is too long (maximum is 255 characters)'),
    ],
    ['a digest', { sha256_digest: sha256('other') }, undefined, refused('File sha256 does not match')],
    ['another digest', { md5_digest: 'x' }, undefined, refused('File md5 does not match')],
  ])('refuses %s', async (_what, fields, fileName, message) => {
    const { place } = await newProject()
    const answer = await upload(people.developer, place, fields, fileName)
    expect([answer.status, answer.body.message]).toEqual([400, message])
    expect((await people.reporter.get(`${place}/packages`)).body).toEqual([])
  })

  test('refuses missing fields, broken digests and large files', async () => {
    const { place } = await newProject()
    expect((await upload(people.developer, place, { name: undefined })).body.error).toBe('name is missing')
    expect((await upload(people.developer, place, { sha256_digest: 'x' })).body.error).toBe('sha256_digest is invalid')
    const limit = (bytes: number) =>
      server.root.put('/application/plan_limits', { plan_name: 'default', pypi_max_file_size: bytes })
    await limit(10)
    const large = await upload(people.developer, place, { bytes: 'x'.repeat(11) })
    expect([large.status, large.body.message]).toEqual([400, '400 Bad request - File is too large'])
    expect((await upload(people.developer, place, { bytes: 'x'.repeat(10) })).status).toBe(201)
    await limit(3_221_225_472)
  })
})

test('groups show the packages of projects that the caller may read', async () => {
  const group = await server.make.group(`pypi-${performance.now()}`.replace('.', '-'), people.owner)
  const { place } = await newProject({ namespace: group })
  await upload(people.developer, place)
  const base = `/groups/${group.id}/-/packages/pypi`
  expect((await read(people.reporter, `${base}/simple`)).body).toContain('>My_Pkg</a>')
  expect((await read(people.guest, `${base}/simple`)).body).not.toContain('My_Pkg')
  const page = await read(people.reporter, `${base}/simple/my-pkg`)
  const [, address = ''] = /href="[^"]*\/api\/v4([^"#]*)/.exec(page.body) ?? []
  expect(address).toContain(`${base}/files/`)
  expect((await read(people.reporter, address)).body).toBe('wheel')
  expect((await read(people.guest, address)).status).toBe(404)
  expect((await read(people.guest, `${base}/simple/my-pkg`)).status).toBe(403)
  expect((await send(`${base}/simple/my-pkg`)).status).toBe(401)
  expect((await read(people.outsider, `${base}/simple`)).status).toBe(404)
})

test('names that are not here are forwarded where the server says so', async () => {
  const { place } = await newProject()
  expect((await read(people.reporter, `${place}/packages/pypi/simple/none`)).status).toBe(404)
  await server.root.put('/application/settings', { pypi_package_requests_forwarding: true })
  const answer = await read(people.reporter, `${place}/packages/pypi/simple/No.ne`)
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://pypi.org/simple/no-ne/'])
  await server.root.put('/application/settings', { pypi_package_requests_forwarding: false })
})
