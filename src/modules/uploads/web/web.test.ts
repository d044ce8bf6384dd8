import { describe, expect, test } from 'vitest'
import { bytesAt, type Client, git, httpUrl } from '../../../testing/index.ts'
import { newOwner, people, secretOf, server, serveUploadsForTests, upload } from '../testing.ts'

serveUploadsForTests()

/** Requests an address of the server without following redirects. */
async function ask(path: string, client: Client = server.anonymous, options: RequestInit = {}) {
  const headers = { ...(client.token ? { 'PRIVATE-TOKEN': client.token } : {}), ...(options.headers as object) }
  const answer = await fetch(`${server.url}${path}`, { redirect: 'manual', ...options, headers })
  return { status: answer.status, headers: answer.headers, body: await answer.text() }
}

const absent = { status: 404, body: '{"message":"404 Not Found"}' }

async function external() {
  const person = await server.user(`external-${performance.now()}`.replace('.', '-'))
  await server.app.platform.database.write((tx) =>
    tx.updateTable('users').set({ external: true }).where('id', '=', person.id).execute(),
  )
  return person
}

describe('on the web', () => {
  test('harmless files are shown in place, others are to be saved', async () => {
    const { place } = await newOwner('project', 'public')
    const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    for (const [name, type, kind] of [
      ['dk.png', 'image/png', 'inline'],
      ['a.mp4', 'video/mp4', 'inline'],
      ['a.pdf', 'application/pdf', 'inline'],
      ['polyglot.gif', 'image/gif', 'inline'],
      ['x.svg', 'application/octet-stream', 'attachment'],
      ['x.html', 'application/octet-stream', 'attachment'],
      ['x.js', 'application/octet-stream', 'attachment'],
      ['x', 'application/octet-stream', 'attachment'],
    ] as const) {
      const { body } = await upload(people.guest, place, name, script)
      const { status, headers, body: content } = await ask(body.full_path)
      expect([status, content, headers.get('content-type')]).toEqual([200, script, type])
      expect(headers.get('content-disposition')).toBe(`${kind}; filename="${name}"; filename*=UTF-8''${name}`)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      const policy = name === 'a.pdf' ? null : "default-src 'none'; sandbox"
      expect([name, headers.get('content-security-policy')]).toEqual([name, policy])
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('parts, heads and unchanged files are answered as such', async () => {
    const { place } = await newOwner('group', 'public')
    const { full_path: path } = (await upload(people.guest, place, 'a.bin', '0123456789')).body
    const { headers } = await ask(path)
    expect((await ask(path, undefined, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })).status).toBe(304)
    expect(await ask(path, undefined, { headers: { Range: 'bytes=-3' } })).toMatchObject({ status: 206, body: '789' })
    const head = await ask(path, undefined, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10'])
  })

  test.each([
    ['project', 'public', [200, 200, 200, 200, 200]],
    ['project', 'internal', [404, 404, 200, 200, 200]],
    ['project', 'private', [404, 404, 404, 200, 200]],
    ['group', 'public', [200, 200, 200, 200, 200]],
    ['group', 'internal', [404, 404, 200, 200, 200]],
    ['group', 'private', [404, 404, 404, 200, 200]],
  ] as const)('a file of a %s that is %s has these readers', async (kind, visibility, statuses) => {
    const { place } = await newOwner(kind, visibility)
    const readers = [server.anonymous, await external(), people.outsider, people.guest, server.root]
    for (const name of ['dk.png', 'a.txt']) {
      const { full_path: path, url } = (await upload(people.owner, place, name)).body
      const found = await Promise.all(readers.map((client) => ask(path, client)))
      expect(found.map(({ status }) => status)).toEqual(statuses)
      for (const answer of found) if (answer.status === 404) expect(answer).toMatchObject(absent)
      const short = await Promise.all(readers.map((client) => ask(url, client)))
      expect(short.map(({ status }) => status)).toEqual(statuses.map((status) => (status === 200 ? 302 : 404)))
    }
  })

  test('images of a project that does not protect them are open to all callers who have the address', async () => {
    for (const visibility of ['internal', 'private'] as const) {
      const { place } = await newOwner('project', visibility)
      const image = (await upload(people.owner, place, 'dk.PNG')).body
      const text = (await upload(people.owner, place, 'a.pdf')).body
      expect((await people.maintainer.get(place)).body.enforce_auth_checks_on_uploads).toBe(true)
      expect(await ask(image.full_path)).toMatchObject(absent)
      const off = { enforce_auth_checks_on_uploads: false }
      expect((await people.developer.put(place, off)).status).toBe(403)
      expect((await people.maintainer.put(place, off)).body).toMatchObject(off)
      expect((await ask(image.full_path)).status).toBe(200)
      expect((await ask(image.full_path, people.outsider)).status).toBe(200)
      expect(await ask(text.full_path)).toMatchObject(absent)
      expect((await ask(text.full_path, people.guest)).status).toBe(200)
    }
  })

  test('credentials are those of the API', async () => {
    const { place } = await newOwner('project')
    const { full_path: path } = (await upload(people.guest, place, 'dk.png')).body
    expect((await ask(`${path}?private_token=${people.guest.token}`)).status).toBe(200)
    expect((await ask(path, undefined, { headers: { Authorization: `Bearer ${people.guest.token}` } })).status).toBe(
      200,
    )
    expect((await ask(path, { ...people.guest, token: 'glpat-wrong' })).status).toBe(401)
    const narrow = await server.make.token(people.guest, ['read_user'])
    expect((await ask(path, { ...people.guest, token: narrow })).status).toBe(403)
    expect(
      (await ask(path, { ...people.guest, token: await server.make.token(people.guest, ['read_api']) })).status,
    ).toBe(200)
  })

  test('nothing else is there', async () => {
    const { id, place, web } = await newOwner('project', 'public')
    const answer = await upload(people.guest, place, 'dk.png')
    const secret = secretOf(answer)
    const group = await newOwner('group', 'public')
    for (const path of [
      `${web}/uploads/${'a'.repeat(32)}/dk.png`,
      `${web}/uploads/${secret}/other.png`,
      `${web}/uploads/${secret}/..%2Fdk.png`,
      `${web}/uploads/${secret.toUpperCase()}/dk.png`,
      `${web}/uploads/invalid_secret/dk.png`,
      `/-/group/${id}/uploads/${secret}/dk.png`,
      `${group.web}/uploads/${secret}/dk.png`,
      `/-/project/0/uploads/${secret}/dk.png`,
      `/-/project/x/uploads/${secret}/dk.png`,
      `/-/project/${'9'.repeat(30)}/uploads/${secret}/dk.png`,
      `/uploads/${secret}/other.png`,
      `/uploads/${'b'.repeat(32)}/dk.png`,
      `/uploads/x/dk.png`,
    ]) {
      expect([path, await ask(path)]).toEqual([path, expect.objectContaining(absent)])
    }
  })

  test('files of a project that is removed are not there', async () => {
    const { id, place } = await newOwner('project', 'public')
    const { full_path: path, url } = (await upload(people.guest, place, 'dk.png')).body
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', id).execute(),
    )
    for (const address of [path, url]) expect(await ask(address, server.root)).toMatchObject(absent)
  })
})

describe('an older address', () => {
  test('redirects to the one with the id', async () => {
    for (const kind of ['project', 'group'] as const) {
      const { path, place } = await newOwner(kind)
      const name = 'résumé (1).pdf'
      const { body } = await upload(people.guest, place, name)
      const encoded = encodeURIComponent('résumé__1_.pdf')
      const [, , secret] = body.url.split('/')
      const location = `${server.url}${body.full_path.replace(/[^/]+$/, encoded)}`
      const former = kind === 'project' ? `/${path}` : `/groups/${path}/-`
      for (const address of [`${former}/uploads/${secret}/${encoded}`, `/uploads/${secret}/${encoded}`]) {
        const { status, headers } = await ask(address, people.guest)
        expect([status, headers.get('location')]).toEqual([302, location])
        expect((await ask(address, people.guest, { method: 'HEAD' })).status).toBe(302)
        expect(await ask(address)).toMatchObject(absent)
        expect(await ask(address, people.outsider)).toMatchObject(absent)
        expect((await ask(address, { ...people.guest, token: 'glpat-wrong' })).status).toBe(401)
      }
      const byQuery = await ask(`${former}/uploads/${secret}/${encoded}?private_token=${people.guest.token}`)
      expect([byQuery.status, byQuery.headers.get('location')]).toEqual([302, location])
      const { bytes } = await bytesAt(people.guest, location.slice(server.url.length))
      expect(bytes.toString()).toBe('content')
    }
  })

  test('may hold a former path of the project', async () => {
    const { path, place } = await newOwner('project')
    const { body } = await upload(people.guest, place, 'dk.png')
    await people.owner.put(place, { path: 'renamed' })
    for (const full of [path, `${people.owner.username}/renamed`]) {
      expect((await ask(`/${full}${body.url}`, people.guest)).status).toBe(302)
    }
  })

  test('is that of a project or group, and nothing else', async () => {
    const { path, place } = await newOwner('project', 'public')
    const { url } = (await upload(people.guest, place, 'dk.png')).body
    for (const address of [
      `/nobody/nothing${url}`,
      `/groups/nothing/-${url}`,
      `/groups/${path}/-${url}`,
      `/${path.replace('/', '%2F')}x${url}`,
      `/%ff${url}`,
      `/a%00b${url}`,
      `/x${'/y'.repeat(500)}${url}`,
    ]) {
      expect([address, (await ask(address)).status]).toEqual([address, 404])
    }
    expect((await ask(`/${path}${url}`)).status).toBe(302)
    expect((await ask(`/${path}${url}`, people.owner, { method: 'POST' })).status).toBe(404)
    expect((await ask(`/${path}/-${url}`)).status).toBe(404)
  })

  test('does not hide repositories below a group called uploads', async () => {
    const parent = await server.make.group('parent', people.owner)
    const namespace = await server.make.group('uploads', people.owner, { parent })
    const project = await server.make.project('0123456789abcdef', people.owner, { namespace })
    const { code } = await git('/tmp', 'ls-remote', httpUrl(server, people.owner, project.full_path))
    expect(code).toBe(0)
  })
})

test('an upload whose secret several owners have leads to one that the caller may read', async () => {
  const [closed, open] = [await newOwner('project'), await newOwner('group', 'public')]
  const { url } = (await upload(people.owner, closed.place, 'a.txt')).body
  const secret = url.split('/')[2]
  const { database } = server.app.platform
  const row = await database.read
    .selectFrom('uploads')
    .selectAll()
    .where('secret', '=', secret)
    .executeTakeFirstOrThrow()
  const { id: _, ...copied } = row
  await database.write((tx) =>
    tx
      .insertInto('uploads')
      .values({ ...copied, project_id: null, namespace_id: open.id })
      .execute(),
  )
  expect((await ask(url, people.owner)).headers.get('location')).toContain(`/-/project/${closed.id}/`)
  expect((await ask(url)).headers.get('location')).toContain(`/-/group/${open.id}/`)
})
