import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const signIn = (login: string, password: string) =>
  server.anonymous.post('root:/oauth/token', { grant_type: 'password', username: login, password })

describe('changing a user', () => {
  test('changes the given fields only', async () => {
    const user = await server.user('carol')
    const first = await server.root.put(`/users/${user.id}`, { bio: 'one', organization: 'Firm', projects_limit: 3 })
    expect(first).toMatchObject({ status: 200, body: { bio: 'one', organization: 'Firm', projects_limit: 3 } })
    const second = await server.root.put(`/users/${user.id}`, { name: 'Carol C.', bio: null, note: 'x', admin: true })
    expect(second.body).toMatchObject({
      name: 'Carol C.',
      bio: '',
      organization: 'Firm',
      projects_limit: 3,
      note: 'x',
      is_admin: true,
    })
    const third = await server.root.put(`/users/${user.id}`, { note: null, admin: false })
    expect(third.body).toMatchObject({ note: null, is_admin: false })
    expect((await server.root.put(`/users/${user.id}`, {})).status).toBe(200)
  })

  test('renames it, with its namespace and projects; the old paths redirect', async () => {
    const user = await server.user('dora')
    const project = await server.make.project('demo', user)
    const renamed = await server.root.put(`/users/${user.id}`, { username: 'Theodora' })
    expect(renamed).toMatchObject({ status: 200, body: { username: 'Theodora', web_url: `${server.url}/Theodora` } })
    const { database } = server.app.platform
    const row = await database.read
      .selectFrom('projects')
      .select('full_path')
      .where('id', '=', project.id)
      .executeTakeFirstOrThrow()
    expect(row.full_path).toBe('Theodora/demo')
    const moved = await user.get('/projects/dora%2Fdemo/repository/branches')
    expect(moved.status).toBe(301)
    expect(moved.headers.get('location')).toContain(`/projects/${project.id}/repository/branches`)
    expect((await user.get('/projects/theodora%2Fdemo/repository/branches')).status).toBe(200)
    expect((await user.get('/user')).body.username).toBe('Theodora')
    expect((await server.root.put(`/users/${user.id}`, { username: 'theodora' })).body.username).toBe('theodora')
    const reused = await server.root.post('/users', {
      email: 'new-dora@example.com',
      name: 'New',
      username: 'dora',
      force_random_password: true,
    })
    expect(reused.status).toBe(201)
  })

  test('rejects names of other users', async () => {
    const [eve, frank] = [await server.user('eve'), await server.user('frank')]
    await server.make.group('some-group', eve)
    const both = await server.root.put(`/users/${eve.id}`, { email: 'FRANK@example.com', username: 'Frank' })
    expect(both).toMatchObject({ status: 409, body: { message: 'Email has already been taken' } })
    for (const username of ['FRANK', 'Some-Group']) {
      const taken = await server.root.put(`/users/${eve.id}`, { username })
      expect(taken).toMatchObject({ status: 409, body: { message: 'Username has already been taken' } })
    }
    const own = await server.root.put(`/users/${frank.id}`, { email: 'FRANK@example.com', username: 'Frank' })
    expect(own).toMatchObject({ status: 200, body: { email: 'FRANK@example.com', username: 'Frank' } })
    await server.root.put(`/users/${eve.id}`, { provider: 'p', extern_uid: '1' })
    const identity = await server.root.put(`/users/${frank.id}`, { provider: 'p', extern_uid: '1' })
    expect(identity.body).toEqual({ message: { 'identities.extern_uid': ['has already been taken'] } })
  })

  test('of two concurrent requests for one name, one succeeds', async () => {
    const [one, two] = [await server.user('racer1'), await server.user('racer2')]
    const answers = await Promise.all(
      [one, two].map(({ id }) => server.root.put(`/users/${id}`, { username: 'champion' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('validates the fields', async () => {
    const user = await server.user('greta')
    const wrong = await server.root.put(`/users/${user.id}`, { email: 'x', username: 'ap i', password: 'short' })
    expect(wrong.status).toBe(400)
    expect(Object.keys(wrong.body.message)).toEqual(['email', 'username', 'password'])
    const unknown = await server.root.put('/users/999999', { name: 'x' })
    expect({ status: unknown.status, body: unknown.body }).toEqual({
      status: 404,
      body: { message: '404 User Not Found' },
    })
    expect(await user.put(`/users/${user.id}`, { admin: true })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    })
    expect((await server.root.put('/users/greta', {})).status).toBe(404)
  })

  test('concurrent changes of different fields are both retained', async () => {
    const user = await server.user('busy')
    const fields = ['bio', 'location', 'skype', 'linkedin', 'twitter', 'discord', 'organization', 'pronouns']
    await Promise.all(fields.map((name) => server.root.put(`/users/${user.id}`, { [name]: name })))
    const { body } = await server.root.get(`/users/${user.id}`)
    expect(fields.map((name) => body[name])).toEqual(fields)
  })

  test('adds and replaces an identity, and removes it', async () => {
    const user = await server.user('henry')
    await server.root.put(`/users/${user.id}`, { provider: 'saml', extern_uid: 'a' })
    const replaced = await server.root.put(`/users/${user.id}`, { provider: 'saml', extern_uid: 'b' })
    expect(replaced.body.identities).toEqual([{ provider: 'saml', extern_uid: 'b', saml_provider_id: null }])
    expect((await server.root.delete(`/users/${user.id}/identities/saml`)).status).toBe(204)
    const again = await server.root.delete(`/users/${user.id}/identities/saml`)
    expect({ status: again.status, body: again.body }).toEqual({
      status: 404,
      body: { message: '404 Identity Not Found' },
    })
    expect((await server.root.delete(`/users/${user.id}/identities/%00`)).status).toBe(400)
    expect((await server.root.delete('/users/999999/identities/saml')).body.message).toBe('404 User Not Found')
  })

  test('changes the password', async () => {
    const user = await server.user('ines')
    const { database } = server.app.platform
    const set = async (password: string) => {
      await server.root.put(`/users/${user.id}`, { password })
      // Only the user's own passwords do not expire.
      expect((await signIn('ines', password)).status).toBe(400)
      const own = { password_expired: false }
      await database.write((tx) => tx.updateTable('users').set(own).where('id', '=', user.id).execute())
    }
    await set('first-password-x')
    expect((await signIn('ines', 'first-password-x')).status).toBe(200)
    await set('second-password-x')
    expect((await signIn('ines', 'first-password-x')).status).toBe(400)
    expect((await signIn('INES', 'second-password-x')).status).toBe(200)
    const detail = (await server.root.get(`/users/${user.id}`)).body
    expect(detail).toMatchObject({ sign_in_count: 2, current_sign_in_ip: '127.0.0.1', last_sign_in_ip: '127.0.0.1' })
  })

  test('changes the e-mail address immediately, or when it is confirmed', async () => {
    const user = await server.user('jane')
    const path = `/users/${user.id}`
    await server.root.put(path, { public_email: 'jane@example.com', commit_email: 'jane@example.com' })
    const changed = await server.root.put(path, { email: 'jane2@example.com' })
    expect(changed.body).toMatchObject({
      email: 'jane2@example.com',
      public_email: null,
      commit_email: 'jane2@example.com',
    })
    await server.root.put('/application/settings', { email_confirmation_setting: 'hard' })
    expect((await server.root.put(path, { email: 'jane3@example.com' })).body.email).toBe('jane2@example.com')
    const skipped = await server.root.put(path, { email: 'jane4@example.com', skip_reconfirmation: true })
    expect(skipped.body.email).toBe('jane4@example.com')
    await server.root.put('/application/settings', { email_confirmation_setting: 'off' })
  })

  test('does not delete the last administrator', async () => {
    const refused = await server.root.put('/users/1', { admin: false })
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 400,
      body: { message: { admin: ['cannot remove the last administrator'] } },
    })
    const others = await Promise.all([server.user('admin1'), server.user('admin2')])
    for (const { id } of others) await server.root.put(`/users/${id}`, { admin: true })
    const [one, two] = others
    await server.root.put('/users/1', { admin: false })
    const answers = await Promise.all([
      one.put(`/users/${two.id}`, { admin: false }),
      two.put(`/users/${one.id}`, { admin: false }),
    ])
    const statuses = answers.map(({ status }) => status)
    expect(statuses).toContain(200)
    const left = others[statuses.indexOf(200)]
    expect((await left?.get('/user'))?.body.is_admin).toBe(true)
    const { database } = server.app.platform
    await database.write((tx) => tx.updateTable('users').set({ is_admin: true }).where('id', '=', 1).execute())
  })
})
