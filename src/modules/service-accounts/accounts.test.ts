import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'
import { newAccount, newToken, type PlaceOfAccounts, placeOfAccounts, refused } from './testing.ts'

let server: TestServer
let place: PlaceOfAccounts
let made = 0
beforeAll(async () => {
  server = await startTestServer()
})
beforeEach(async () => {
  made += 1
  place = await placeOfAccounts(server, `team${made}`)
})
afterEach(() => {
  server.app.platform.config.serviceAccountsLimit = 0
})
afterAll(() => server.stop())

const host = () => new URL(server.app.platform.externalUrl).hostname
const settings = (values: object) => server.root.put('/application/settings', values)
const userRow = (id: number) =>
  server.app.platform.database.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
const strictRule =
  "Username can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'."
const badRequest = (reason: string) => refused(400, `400 Bad request - ${reason}`)
const noPermission = () => badRequest('User does not have permission to create a service account in this group.')

describe('a service account', () => {
  test('without parameters has generated names, and is an external user without rights', async () => {
    const { owner, accounts, group } = place
    const { status, body } = await owner.post(accounts)
    const prefix = `service_account_group_${group.id}_`
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      username: expect.stringMatching(new RegExp(`^${prefix}[0-9a-f]{32}$`)),
      name: 'Service account user',
      email: `${body.username}@noreply.${host()}`,
    })
    expect((await newAccount(place)).username).not.toBe(body.username)
    const shown = await server.root.get(`/users/${body.id}`)
    expect(shown.body).toMatchObject({
      bot: true,
      state: 'active',
      external: true,
      can_create_group: false,
      can_create_project: false,
      projects_limit: 0,
      using_license_seat: false,
      provisioned_by_group_id: group.id,
    })
    expect((await owner.get(`/groups/${group.id}/members/${body.id}`)).status).toBe(404)
    const { client } = await newToken(server, place, body.id)
    expect((await client.get(`/groups/${group.id}`)).status).toBe(404)
    expect((await client.post('/groups', { name: 'own', path: `own${made}` })).status).toBe(403)
    expect((await client.post('/projects', { name: 'own' })).status).toBeGreaterThanOrEqual(400)
  })

  test('has the names and the address that are given, in any script where names may be', async () => {
    const wanted = { name: 'Bøt 💥', username: `ci-bot${made}`, email: `ci${made}@corp.test` }
    const account = await newAccount(place, wanted)
    expect(account).toEqual({ id: account.id, ...wanted })
    expect((await userRow(account.id))?.confirmed_at).not.toBeNull()
    const other = await newAccount(place, { username: `other-bot${made}` })
    expect(other.email).toMatch(/^service_account_group_\d+_[0-9a-f]{32}@/)
  })

  test('is created by owners of a top-level group and by administrators', async () => {
    const { owner, accounts, subgroup } = place
    expect(await place.maintainer.post(accounts)).toMatchObject(refused(403, '403 Forbidden'))
    for (const person of [owner, server.root]) {
      expect(await person.post(`/groups/${subgroup.id}/service_accounts`)).toMatchObject(noPermission())
    }
    await settings({ allow_top_level_group_owners_to_create_service_accounts: false })
    expect(await owner.post(accounts)).toMatchObject(noPermission())
    expect((await server.root.post(accounts)).status).toBe(201)
    await settings({ allow_top_level_group_owners_to_create_service_accounts: true })
  })

  test.each([
    [{ username: 'été' }, strictRule],
    [{ username: '-bot' }, strictRule],
    [{ username: 'bot.git' }, strictRule],
    [{ username: '../etc' }, strictRule],
    [{ username: '' }, "Username can't be blank"],
    [{ username: 'x'.repeat(256) }, 'Username is too long (maximum is 255 characters)'],
    [{ username: 'api' }, 'Username api is a reserved name'],
    [{ name: ' ' }, "Name can't be blank"],
    [{ name: 'x'.repeat(256) }, 'Name is too long (maximum is 255 characters)'],
    [{ email: 'nobody' }, 'Email is invalid'],
    [{ email: 'nobody', name: '', username: '' }, "Email is invalid, Name can't be blank, and Username can't be blank"],
  ])('is not created with %j', async (wanted, sentence) => {
    expect(await place.owner.post(place.accounts, wanted)).toMatchObject(badRequest(sentence))
    expect(await server.root.post('/service_accounts', wanted)).toMatchObject(badRequest(sentence))
    const { id } = await newAccount(place)
    expect(await place.owner.patch(`${place.accounts}/${id}`, wanted)).toMatchObject(refused(400, sentence))
    expect(await server.root.patch(`/service_accounts/${id}`, wanted)).toMatchObject(badRequest(sentence))
  })

  test('does not take the names of users and groups, in any case', async () => {
    const { owner, accounts, group } = place
    const account = await newAccount(place, { username: `Taken${made}`, email: `taken${made}@corp.test` })
    const names = [{ username: `taken${made}` }, { username: group.path.toUpperCase() }, { username: owner.username }]
    const email = { email: `TAKEN${made}@corp.test` }
    const { id } = await newAccount(place)
    const usernameTaken = 'Username has already been taken'
    for (const wanted of names) {
      expect(await owner.post(accounts, wanted)).toMatchObject(badRequest(usernameTaken))
      expect(await owner.patch(`${accounts}/${id}`, wanted)).toMatchObject(refused(400, usernameTaken))
      expect(await server.root.patch(`/service_accounts/${id}`, wanted)).toMatchObject(badRequest(usernameTaken))
    }
    const both = await owner.post(accounts, { ...names[0], ...email })
    expect(both).toMatchObject(badRequest('Email has already been taken and Username has already been taken'))
    const own = await owner.patch(`${accounts}/${account.id}`, { ...email, username: `TAKEN${made}` })
    expect(own).toMatchObject({ status: 200, body: { username: `TAKEN${made}` } })
  })

  test('gets a name that two ask for at once only once', async () => {
    const { owner, accounts } = place
    const wanted = { username: `race${made}` }
    const answers = await Promise.all([owner.post(accounts, wanted), owner.post(accounts, wanted)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    const refusal = answers.find(({ status }) => status === 400)
    expect(refusal).toMatchObject(badRequest('Username has already been taken'))
    const [one, two] = [await newAccount(place), await newAccount(place)]
    const renamed = await Promise.all(
      [one, two].map(({ id }) => owner.patch(`${accounts}/${id}`, { username: `race${made}b` })),
    )
    expect(renamed.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(renamed.find(({ status }) => status === 400)).toMatchObject(refused(400, 'Username has already been taken'))
  })

  test('is refused when the instance has as many as it may have', async () => {
    const { config } = server.app.platform
    const { headers } = await server.root.get('/service_accounts?per_page=1')
    config.serviceAccountsLimit = Number(headers.get('x-total')) + 1
    const answers = await Promise.all([place.owner.post(place.accounts), place.owner.post(place.accounts)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    const text = 'No more seats are available to create Service Account User'
    expect(answers.find(({ status }) => status === 400)).toMatchObject(badRequest(text))
    expect(await server.root.post('/service_accounts')).toMatchObject(refused(403, `403 Forbidden - ${text}`))
  })
})

describe('an address', () => {
  test('waits for confirmation where that is enforced', async () => {
    const { owner, accounts } = place
    await settings({ email_confirmation_setting: 'hard' })
    const given = await newAccount(place, { email: `given${made}@corp.test` })
    expect((await userRow(given.id))?.confirmed_at).toBeNull()
    const { id, email } = await newAccount(place)
    expect((await userRow(id))?.confirmed_at).not.toBeNull()
    const waiting = await owner.patch(`${accounts}/${id}`, { email: `new${made}@corp.test` })
    expect(waiting).toMatchObject({ status: 200, body: { email, unconfirmed_email: `new${made}@corp.test` } })
    await settings({ email_confirmation_setting: 'soft' })
    const changed = await owner.patch(`${accounts}/${given.id}`, { email: `soft${made}@corp.test` })
    expect(changed.body).toEqual({ ...given, email: `soft${made}@corp.test` })
    await settings({ email_confirmation_setting: 'off' })
  })
})

describe('the list', () => {
  test('has the accounts of exactly this group, in the order that is asked for', async () => {
    const { owner, accounts, subgroup } = place
    const second = await newAccount(place, { username: `b${made}-bot` })
    const first = await newAccount(place, { username: `a${made}-bot` })
    const idsOf = async (query: string) => (await owner.get(`${accounts}${query}`)).body.map(({ id }: never) => id)
    expect((await owner.get(accounts)).body).toEqual([first, second])
    expect(await idsOf('?sort=asc')).toEqual([second.id, first.id])
    expect(await idsOf('?order_by=username&sort=asc')).toEqual([first.id, second.id])
    expect(await idsOf('?order_by=username')).toEqual([second.id, first.id])
    expect(await idsOf('?per_page=1&page=2')).toEqual([second.id])
    for (const [name, value] of [
      ['order_by', 'name'],
      ['sort', 'up'],
    ]) {
      const error = { error: `${name} does not have a valid value` }
      expect(await owner.get(`${accounts}?${name}=${value}`)).toMatchObject({ status: 400, body: error })
      expect(await server.root.get(`/service_accounts?${name}=${value}`)).toMatchObject({ status: 400, body: error })
    }
    expect(await owner.get(`/groups/${subgroup.id}/service_accounts`)).toMatchObject({ status: 200, body: [] })
    expect(await place.maintainer.get(accounts)).toMatchObject(refused(403, '403 Forbidden'))
    expect((await server.root.get('/service_accounts')).body.slice(0, 2)).toEqual([first, second])
  })

  test('takes the same number of queries for any number of accounts', async () => {
    await newAccount(place)
    const few = await queriesOf(server, () => place.owner.get(place.accounts))
    for (let number = 0; number < 3; number += 1) await newAccount(place)
    expect(await queriesOf(server, () => place.owner.get(place.accounts))).toBe(few)
  })
})

describe('an account that is addressed', () => {
  test('is one of this group', async () => {
    const { owner, accounts, maintainer, group } = place
    const account = await newAccount(place)
    const elsewhere = await newAccount(await placeOfAccounts(server, `else${made}`))
    const human = await server.user(`human${made}`)
    await server.app.platform.database.write((tx) =>
      tx.updateTable('users').set({ provisioned_by_group_id: group.id }).where('id', '=', human.id).execute(),
    )
    expect((await owner.get(`${accounts}/${account.id}`)).body).toEqual(account)
    for (const id of [maintainer.id, elsewhere.id, 99_999_999]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        expect(await owner.request(method, `${accounts}/${id}`)).toMatchObject(refused(404, '404 User Not Found'))
      }
    }
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const notOne = badRequest('User is not of type Service Account')
      expect(await owner.request(method, `${accounts}/${human.id}`)).toMatchObject(notOne)
      const invalid = { status: 400, body: { error: 'user_id is invalid' } }
      expect(await owner.request(method, `${accounts}/ASDF`)).toMatchObject(invalid)
      expect(await maintainer.request(method, `${accounts}/ASDF`)).toMatchObject(refused(403, '403 Forbidden'))
    }
  })

  test('is changed as far as asked', async () => {
    const { owner, accounts } = place
    const account = await newAccount(place)
    const path = `${accounts}/${account.id}`
    expect(await owner.patch(path, {})).toMatchObject({ status: 200, body: account })
    const named = await owner.patch(path, { name: 'Bot 2' })
    expect(named.body).toEqual({ ...account, name: 'Bot 2' })
    expect((await owner.patch(path, { username: `renamed${made}` })).body.username).toBe(`renamed${made}`)
    expect((await owner.get(`/namespaces/renamed${made}`)).status).not.toBe(500)
  })
})

describe('an account of the instance', () => {
  test('belongs to no group, and is for administrators', async () => {
    const { owner, maintainer } = place
    for (const ask of [() => owner.get('/service_accounts'), () => owner.post('/service_accounts')]) {
      expect(await ask()).toMatchObject(refused(403, '403 Forbidden'))
    }
    const { status, body } = await server.root.post('/service_accounts')
    expect([status, body.username]).toEqual([201, expect.stringMatching(/^service_account_[0-9a-f]{32}$/)])
    expect(body.email).toBe(`${body.username}@noreply.${host()}`)
    expect((await server.root.get('/service_accounts')).body[0]).toEqual(body)
    const path = `/service_accounts/${body.id}`
    expect(await owner.patch(path, { name: 'x' })).toMatchObject(refused(403, '403 Forbidden'))
    expect((await server.root.patch(path, { name: 'Clerk' })).body).toEqual({ ...body, name: 'Clerk' })
    const { root } = server
    expect(await root.patch('/service_accounts/99999999')).toMatchObject(refused(404, '404 Not found'))
    const human = await root.patch(`/service_accounts/${maintainer.id}`, { name: 'x' })
    expect(human).toMatchObject(badRequest('User is not a service account'))
    expect(await root.patch('/service_accounts/x')).toMatchObject({ body: { error: 'user_id is invalid' } })
    const token = await root.post(`/users/${body.id}/personal_access_tokens`, { name: 't', scopes: ['api'] })
    expect((await server.as(token.body.token).get('/user')).body.id).toBe(body.id)
    expect((await root.delete(`/users/${body.id}`)).status).toBe(204)
  })
})
