import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let alice: Person

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
})
afterAll(() => server.stop())

test('preferences are read and changed in part', async () => {
  const defaults = {
    ...{ id: alice.id, user_id: alice.id, view_diffs_file_by_file: false },
    ...{ show_whitespace_in_diffs: true, pass_user_identities_to_ci_jwt: false },
  }
  expect((await alice.get('/user/preferences')).body).toEqual(defaults)
  const changed = { ...defaults, show_whitespace_in_diffs: false }
  expect((await alice.put('/user/preferences', { show_whitespace_in_diffs: 'no' })).body).toEqual(changed)
  await server.root.put(`/users/${alice.id}`, { view_diffs_file_by_file: true, bio: 'b' })
  expect((await alice.get('/user/preferences')).body).toEqual({ ...changed, view_diffs_file_by_file: true })
  expect((await alice.put('/user/preferences', {})).body.error).toBe(
    'view_diffs_file_by_file, show_whitespace_in_diffs, pass_user_identities_to_ci_jwt are missing, at least one ' +
      'parameter must be provided',
  )
  expect((await alice.put('/user/preferences', { view_diffs_file_by_file: 'x' })).body.error).toBe(
    'view_diffs_file_by_file is invalid',
  )
})

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1])

function formOf(content: Buffer, name = 'me.png'): FormData {
  const form = new FormData()
  form.set('avatar', new Blob([new Uint8Array(content)]), name)
  return form
}

test('users set their own pictures, which are found by public addresses', async () => {
  const { status, body } = await alice.put('/user/avatar', formOf(png))
  const url = `${server.url}/uploads/-/system/user/avatar/${alice.id}/me.png`
  expect([status, body]).toEqual([
    200,
    { avatar_url: expect.stringMatching(new RegExp(`/avatar/${alice.id}/me.png$`)) },
  ])
  const picture = await fetch(url)
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect((await alice.put('/user/avatar', formOf(Buffer.from('text')))).body.message.avatar[0]).toMatch(
    /^file format is not supported\. Please try one of the following/,
  )
  expect(
    (await alice.put('/user/avatar', formOf(Buffer.concat([png, Buffer.alloc(200 * 1024)])))).body.message,
  ).toEqual({
    avatar: ['is too big (should be at most 200 KiB)'],
  })
  expect((await alice.put('/user/avatar')).body.error).toBe('avatar is missing')
  const avatarOf = async (email: string) => (await server.anonymous.get(`/avatar?email=${email}&size=32`)).body
  expect(await avatarOf('alice@example.com')).toEqual({ avatar_url: null })
  await server.root.put(`/users/${alice.id}`, { public_email: 'alice@example.com' })
  expect(await avatarOf('alice@example.com')).toEqual(body)
  await server.root.put('/application/settings', { gravatar_enabled: true })
  expect((await avatarOf('other@example.com')).avatar_url).toMatch(
    /^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{64}\?s=32&d=identicon$/,
  )
  await server.root.put('/application/settings', { gravatar_enabled: false })
  expect((await server.anonymous.get('/avatar')).body.error).toBe('email is missing')
  expect((await server.anonymous.get('/avatar?email=a@b.c&size=0')).status).toBe(400)
})

test('administrators list the last activity of users', async () => {
  const { database } = server.app.platform
  const names = ['early', 'later', 'long-ago']
  const days = ['2026-02-01', '2026-02-02', '2020-01-01']
  for (const [index, name] of names.entries()) {
    const { id } = await server.user(name)
    const last_activity_on = days[index] as string
    await database.write((tx) => tx.updateTable('users').set({ last_activity_on }).where('id', '=', id).execute())
  }
  const listed = async (query: string) => (await server.root.get(`/user/activities?${query}`)).body
  expect((await listed('from=2026-01-01')).slice(0, 2)).toEqual([
    { username: 'early', last_activity_on: '2026-02-01', last_activity_at: '2026-02-01' },
    { username: 'later', last_activity_on: '2026-02-02', last_activity_at: '2026-02-02' },
  ])
  expect((await listed('from=2019-01-01T10:00:00Z'))[0].username).toBe('long-ago')
  expect((await listed('from=2026-02-02'))[0].username).toBe('later')
  expect((await listed('')).map(({ username }: { username: string }) => username)).toContain('root')
  expect((await listed('')).map(({ username }: { username: string }) => username)).not.toContain('long-ago')
  expect((await listed('from=x')).error).toBe('from is invalid')
})
