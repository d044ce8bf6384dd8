/** Service accounts of projects (contract 26.9, and step 11 of the acceptance walk). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, queriesDuring, startTestServer, type TestServer } from '../../testing/index.ts'
import { refused } from './testing.ts'

let server: TestServer
let [owner, maintainer, developer]: Person[] = []
let group: Awaited<ReturnType<TestServer['make']['group']>>
let project: Awaited<ReturnType<TestServer['make']['project']>>
let accounts: string
let made = 0

beforeAll(async () => {
  server = await startTestServer()
  ;[owner, maintainer, developer] = [await server.user('olga'), await server.user('mara'), await server.user('dan')]
})
beforeEach(async () => {
  made += 1
  group = await server.make.group(`team${made}`, owner as Person)
  project = await server.make.project('app', owner as Person, { namespace: group })
  await server.make.member({ project }, maintainer as Person, 40)
  await server.make.member({ project }, developer as Person, 30)
  accounts = `/projects/${project.id}/service_accounts`
})
afterAll(() => server.stop())

async function newAccount(wanted: Record<string, unknown> = {}) {
  const { status, body } = (await maintainer?.post(accounts, wanted)) ?? {}
  expect(status).toBe(201)
  return body as { id: number; username: string; email: string }
}

async function newToken(accountId: number) {
  const wanted = { name: 'made', scopes: ['api'] }
  const { status, body } = (await maintainer?.post(`${accounts}/${accountId}/personal_access_tokens`, wanted)) ?? {}
  expect(status).toBe(201)
  return { id: body.id as number, token: body.token as string, client: server.as(body.token) }
}

const added = (id: number, level = 30) =>
  maintainer?.post(`/projects/${project.id}/members`, { user_id: id, access_level: level })

describe('the accounts of a project', () => {
  test('are made, read, changed and deleted by its maintainers', async () => {
    const account = await newAccount()
    const pattern = new RegExp(`^service_account_project_${project.id}_[0-9a-f]{32}$`)
    expect(account).toEqual({
      ...{ id: expect.any(Number), name: 'Service account user', username: expect.stringMatching(pattern) },
      email: `${account.username}@noreply.${new URL(server.app.platform.externalUrl).hostname}`,
    })
    expect((await maintainer?.get(`${accounts}/${account.id}`))?.body).toEqual(account)
    const second = await newAccount({ name: 'Robot', username: `robot${made}`, email: `robot${made}@example.com` })
    expect((await maintainer?.get(accounts))?.body).toEqual([second, account])
    expect((await maintainer?.get(`${accounts}?order_by=id&sort=asc&per_page=1`))?.body).toEqual([account])
    const changed = await maintainer?.patch(`${accounts}/${account.id}`, { name: 'Changed' })
    expect([changed?.status, changed?.body]).toEqual([200, { ...account, name: 'Changed' }])
    expect(await maintainer?.patch(`${accounts}/${account.id}`, { username: `robot${made}` })).toMatchObject(
      refused(400, 'Username has already been taken'),
    )
    expect((await maintainer?.delete(`${accounts}/${account.id}`))?.status).toBe(204)
    expect(await maintainer?.get(`${accounts}/${account.id}`)).toMatchObject(refused(404, '404 User Not Found'))
    expect((await server.root.get(`/service_accounts?per_page=100`)).body).toContainEqual(second)
  })

  test('are of one project, and no people', async () => {
    const { id } = await newAccount()
    const other = await server.make.project('other', owner as Person, { namespace: group })
    await server.make.member({ project: other }, maintainer as Person, 40)
    const elsewhere = `/projects/${other.id}/service_accounts`
    expect((await maintainer?.get(elsewhere))?.body).toEqual([])
    for (const path of [`${elsewhere}/${id}`, `${elsewhere}/${id}/personal_access_tokens`, `${accounts}/99999999`]) {
      expect(await maintainer?.get(path)).toMatchObject(refused(404, '404 User Not Found'))
    }
    expect((await owner?.get(`/groups/${group.id}/service_accounts/${id}`))?.status).toBe(404)
    expect(await maintainer?.get(`${accounts}/${developer?.id}`)).toMatchObject(
      refused(400, '400 Bad request - User is not of type Service Account'),
    )
    expect(await maintainer?.delete(`${accounts}/${developer?.id}`)).toMatchObject(
      refused(400, '400 Bad request - User is not of type Service Account'),
    )
    expect((await maintainer?.get(`${accounts}/x`))?.body).toMatchObject({ error: 'user_id is invalid' })
  })

  test('are not for developers, and stay as they are in an archived project', async () => {
    const { id } = await newAccount()
    expect((await developer?.get(accounts))?.status).toBe(403)
    expect((await developer?.post(accounts))?.status).toBe(403)
    await owner?.post(`/projects/${project.id}/archive`)
    expect((await maintainer?.get(accounts))?.status).toBe(200)
    expect((await maintainer?.post(accounts))?.status).toBe(403)
    expect((await maintainer?.delete(`${accounts}/${id}`))?.status).toBe(403)
  })

  test('are allowed in personal namespaces, and where the instance lets owners make accounts', async () => {
    const own = await server.make.project(`own${made}`, developer as Person)
    expect((await developer?.post(`/projects/${own.id}/service_accounts`))?.status).toBe(201)
    const setting = 'allow_top_level_group_owners_to_create_service_accounts'
    await server.root.put('/application/settings', { [setting]: false })
    expect(await maintainer?.post(accounts)).toMatchObject(
      refused(400, '400 Bad request - User does not have permission to create a service account in this project.'),
    )
    expect((await server.root.post(accounts)).status).toBe(201)
    await server.root.put('/application/settings', { [setting]: true })
  })

  test('are a hundred at most, also where two are made at once', async () => {
    const { id } = await newAccount()
    await server.app.platform.database.write(async (tx) => {
      const { id: _, ...row } = await tx.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      for (let number = 0; number < 98; number += 1) {
        const names = { username: `${row.username}${number}`, email: `${number}${row.email}` }
        await tx
          .insertInto('users')
          .values({ ...row, ...names, profile: JSON.stringify(row.profile) })
          .execute()
      }
    })
    const answers = await Promise.all([maintainer?.post(accounts), maintainer?.post(accounts)])
    expect(answers.map((answer) => answer?.status).toSorted()).toEqual([201, 400])
    expect(await maintainer?.post(accounts)).toMatchObject(
      refused(400, '400 Bad request - The limit of 100 service accounts of a project is reached'),
    )
  })

  test('take the same number of queries for one and for many', async () => {
    const count = async () => (await queriesDuring(server, async () => void (await maintainer?.get(accounts)))).length
    await newAccount()
    const one = await count()
    for (let index = 0; index < 5; index += 1) await newAccount()
    expect(await count()).toBe(one)
  })
})

describe('an account', () => {
  test('acts in its project once it is a member, and can be added nowhere else', async () => {
    const { id } = await newAccount()
    const { client } = await newToken(id)
    expect((await client.get(`/projects/${project.id}`)).status).toBe(404)
    expect((await added(id))?.status).toBe(201)
    expect((await client.get(`/projects/${project.id}`)).status).toBe(200)
    const base = ['Service accounts of a project can be added to that project only']
    const member = { user_id: id, access_level: 30 }
    const other = await server.make.project('other', owner as Person, { namespace: group })
    expect(await owner?.post(`/projects/${other.id}/members`, member)).toMatchObject(refused(400, { base }))
    expect(await owner?.post(`/groups/${group.id}/members`, member)).toMatchObject(refused(400, { base }))
    const several = await owner?.post(`/groups/${group.id}/members`, {
      user_id: `${id},${developer?.id}`,
      access_level: 30,
    })
    expect(Object.values(several?.body.message)).toEqual(base)
  })

  test('has tokens that are listed, rotated and revoked', async () => {
    const { id } = await newAccount()
    await added(id)
    const first = await newToken(id)
    const tokens = `${accounts}/${id}/personal_access_tokens`
    const rotated = await maintainer?.post(`${tokens}/${first.id}/rotate`)
    expect([rotated?.status, rotated?.body.token]).toEqual([200, expect.any(String)])
    expect((await first.client.get('/user')).status).toBe(401)
    const client = server.as(rotated?.body.token)
    expect((await client.get('/user')).body).toMatchObject({ id, bot: true })
    expect((await maintainer?.get(`${tokens}?state=active`))?.body).toMatchObject([{ id: rotated?.body.id }])
    expect((await maintainer?.delete(`${tokens}/${rotated?.body.id}`))?.status).toBe(204)
    expect((await client.get('/user')).status).toBe(401)
    expect(await maintainer?.delete(`${tokens}/99999999`)).toMatchObject(
      refused(404, '404 Personal Access Token Not Found'),
    )
    expect((await developer?.get(tokens))?.status).toBe(403)
    expect((await maintainer?.post(tokens, { name: 'x', scopes: ['sudo'] }))?.status).toBe(422)
    expect((await maintainer?.post(tokens))?.body.error).toBe('name is missing, scopes is missing')
  })

  test('gives no one more than they have', async () => {
    const { id } = await newAccount()
    const { id: tokenId } = await newToken(id)
    await owner?.post(`/projects/${project.id}/members`, { user_id: id, access_level: 50 })
    const tokens = `${accounts}/${id}/personal_access_tokens`
    const wanted = { name: 'x', scopes: ['api'] }
    expect((await maintainer?.post(tokens, wanted))?.status).toBe(403)
    expect((await maintainer?.post(`${tokens}/${tokenId}/rotate`))?.status).toBe(403)
    expect((await owner?.post(tokens, wanted))?.status).toBe(201)
  })

  test('ends with its project, and goes with it to another group', async () => {
    const { id } = await newAccount()
    await added(id)
    const { client } = await newToken(id)
    const target = await server.make.group(`target${made}`, owner as Person)
    expect((await owner?.put(`/projects/${project.id}/transfer`, { namespace: target.id }))?.status).toBe(200)
    expect((await owner?.get(accounts))?.body).toMatchObject([{ id }])
    expect((await client.get(`/projects/${project.id}`)).status).toBe(200)
    await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
    await owner?.delete(`/projects/${project.id}`)
    await server.app.platform.jobs.drain()
    expect((await client.get('/user')).status).toBeGreaterThan(400)
    const query = server.app.platform.database.read.selectFrom('users').select('id').where('id', '=', id)
    expect(await query.executeTakeFirst()).toBeUndefined()
  })
})
