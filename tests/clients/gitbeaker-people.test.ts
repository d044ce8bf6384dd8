import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey } from '../../src/modules/gpg-keys/testing.ts'
import { startTestServer, type TestServer } from '../../src/testing/index.ts'

/** What contract 20 has of users' own settings, with gitbeaker. */
type Api = InstanceType<typeof Gitlab<false>>
let server: TestServer
let root: Api
let own: Api
let alice: number
let bob: number

beforeAll(async () => {
  server = await startTestServer()
  const person = await server.user('alice')
  alice = person.id
  bob = (await server.user('bob')).id
  root = new Gitlab({ host: server.url, token: server.rootToken })
  own = new Gitlab({ host: server.url, token: person.token })
})
afterAll(() => server?.stop())

test('statuses, preferences and counts', async () => {
  const status = await own.Users.editStatus({ emoji: 'coffee', message: 'busy' })
  expect(status).toMatchObject({ emoji: 'coffee', message: 'busy' })
  expect(await root.Users.showStatus({ iDOrUsername: alice })).toEqual(status)
  expect(await own.Users.editCurrentUserPreferences(true, false)).toMatchObject({
    ...{ user_id: alice, view_diffs_file_by_file: true, show_whitespace_in_diffs: false },
  })
  expect(await own.Users.showCurrentUserPreferences()).toMatchObject({ view_diffs_file_by_file: true })
  expect(await own.Users.showCount()).toMatchObject({ todos: 0, assigned_issues: 0 })
  expect(await root.Users.showAssociationsCount(alice)).toMatchObject({ projects_count: 0 })
  expect(await root.Users.allActivities()).toEqual(
    expect.arrayContaining([expect.objectContaining({ username: 'alice' })]),
  )
})

test('e-mails and GPG keys', async () => {
  const email = await own.UserEmails.create('second@example.com')
  expect(await root.UserEmails.all({ userId: alice })).toEqual([email])
  await own.UserEmails.remove(email.id)
  const { publicText } = await makeKey(['alice@example.com'])
  const key = await own.UserGPGKeys.create(publicText)
  expect(await root.UserGPGKeys.all({ userId: alice })).toEqual([key])
  expect(await own.UserGPGKeys.show(key.id)).toEqual(key)
  await own.UserGPGKeys.remove(key.id)
  expect(await own.UserGPGKeys.all()).toEqual([])
})

test('following and custom attributes', async () => {
  expect(await own.Users.follow(bob)).toMatchObject({ username: 'bob' })
  expect(await own.Users.allFollowers(bob)).toMatchObject([{ username: 'alice' }])
  expect(await own.Users.allFollowing(alice)).toMatchObject([{ username: 'bob' }])
  await own.Users.unfollow(bob)
  expect(await root.UserCustomAttributes.set(alice, 'place', 'here')).toEqual({ key: 'place', value: 'here' })
  expect(await root.UserCustomAttributes.all(alice)).toEqual([{ key: 'place', value: 'here' }])
  await root.UserCustomAttributes.remove(alice, 'place')
})

test('applications, statistics and the licence', async () => {
  const app = await root.Applications.create('app', 'http://app.example/cb', 'api')
  expect(app).toMatchObject({ application_name: 'app', secret: expect.any(String) })
  expect(await root.Applications.all()).toHaveLength(1)
  await root.Applications.remove(app.id)
  expect(await root.ApplicationStatistics.show()).toMatchObject({ users: expect.stringMatching(/^[\d,]+$/) })
  expect(await root.License.show()).toMatchObject({ plan: 'ultimate' })
  expect(await root.Avatar.show('alice@example.com')).toMatchObject({ avatar_url: null })
})
