import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { everyone, type ProjectWithFlags, projectWithFlags } from '../testing.ts'

let server: TestServer
let people: People
let place: ProjectWithFlags
let credential: { api_url: string; instance_id: string }
let root: string
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())
beforeEach(async () => {
  place = await projectWithFlags(server, people)
  credential = (await people.developer.get(place.client)).body
  root = `/feature_flags/unleash/${place.project.id}`
})

const headersOf = (environment = 'production', instance_id = credential.instance_id) => ({
  'UNLEASH-APPNAME': environment,
  'UNLEASH-INSTANCEID': instance_id,
})

async function featuresIn(environment?: string) {
  const headers = environment === undefined ? { 'UNLEASH-INSTANCEID': credential.instance_id } : headersOf(environment)
  const { status, body } = await server.anonymous.get(`${root}/client/features`, { headers })
  expect([status, body.version]).toEqual([200, 1])
  return body.features
}

describe('the credential', () => {
  test('is made once, and for developers', async () => {
    expect(credential).toEqual({
      api_url: `${server.url}/api/v4/feature_flags/unleash/${place.project.id}`,
      instance_id: expect.stringMatching(/^glffct-[\w-]{20}$/),
      created_at: expect.any(String),
      last_used_at: null,
    })
    expect((await people.maintainer.get(place.client)).body).toEqual(credential)
    const others = [people.reporter, people.outsider, server.anonymous]
    expect(await Promise.all(others.map(async (client) => (await client.get(place.client)).status))).toEqual([
      403, 404, 401,
    ])
  })

  test('is the same for all who ask first at once', async () => {
    const other = await projectWithFlags(server, people)
    const answers = await Promise.all([1, 2, 3, 4].map(() => people.developer.get(other.client)))
    expect(new Set(answers.map(({ body }) => body.instance_id)).size).toBe(1)
  })

  test('is stored sealed and as a digest', async () => {
    const { read } = server.app.platform.database
    const [row] = await read
      .selectFrom('feature_flag_clients')
      .selectAll()
      .where('project_id', '=', place.project.id)
      .execute()
    expect(JSON.stringify(row)).not.toContain(credential.instance_id)
  })

  test('is replaced by maintainers, and the former one is refused at once', async () => {
    const reset = `${place.client}/reset_token`
    expect((await people.developer.post(reset)).status).toBe(403)
    expect((await people.outsider.post(reset)).status).toBe(404)
    const { status, body } = await people.maintainer.post(reset)
    expect([status, body.instance_id === credential.instance_id]).toEqual([201, false])
    expect((await server.anonymous.get(root, { headers: headersOf() })).status).toBe(401)
    expect((await server.anonymous.get(root, { headers: headersOf('x', body.instance_id) })).status).toBe(200)
    expect((await people.developer.get(place.client)).body).toEqual(body)
  })

  test('opens only its project, and nothing else does', async () => {
    const other = await projectWithFlags(server, people)
    const { instance_id: foreign } = (await people.developer.get(other.client)).body
    const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
    const get = (path: string, headers: Record<string, string> = {}) => server.anonymous.get(path, { headers })
    for (const wrong of [foreign, '', 'x', `${credential.instance_id}x`, people.owner.token]) {
      expect(await get(root, headersOf('x', wrong))).toMatchObject(unauthorized)
    }
    for (const project of [
      '0',
      'x',
      '999999999',
      '99999999999999999999',
      '-1',
      encodeURIComponent(place.path),
      '1.5',
      `0x${place.project.id.toString(16)}`,
    ]) {
      expect(await get(`/feature_flags/unleash/${project}`, headersOf())).toMatchObject(unauthorized)
    }
    expect(await get(root, { 'PRIVATE-TOKEN': people.owner.token })).toMatchObject(unauthorized)
    expect((await get(place.flags, headersOf())).status).toBe(401)
  })

  test('may be a parameter, and others are not looked at', async () => {
    const path = `${root}/client/features?instance_id=${credential.instance_id}&app_name=staging&any[]=1`
    await place.flag('f1', [everyone('staging')])
    const { status, body } = await server.anonymous.get(path, { headers: { Authorization: 'not a token' } })
    expect([status, body.features.length]).toEqual([200, 1])
    // The headers come first.
    const wrong = await server.anonymous.get(path, { headers: { 'UNLEASH-INSTANCEID': 'x' } })
    expect(wrong.status).toBe(401)
  })
})

describe('features', () => {
  test('are the flags with a strategy for the environment, with all that match', async () => {
    const list = await place.list('l', 'c,d')
    const ids = { name: 'userWithId', parameters: { userIds: 'a,b' }, scopes: [{ environment_scope: 'review/*' }] }
    const ofList = { ...ids, name: 'gitlabUserList', parameters: {}, user_list_id: list.id }
    await place.flag('zz', [ids, everyone('production', '*'), ofList], { description: 'd' })
    await place.flag('off', [everyone('production')], { active: false })
    await place.flag('nowhere', [{ name: 'default', parameters: {} }])
    await place.flag('aa', [everyone('production')])
    const zz = (...strategies: object[]) => ({ name: 'zz', description: 'd', enabled: true, strategies })
    const all = { name: 'default', parameters: {} }
    expect(await featuresIn('production')).toEqual([
      zz(all),
      { name: 'off', enabled: false, strategies: [all] },
      { name: 'aa', enabled: true, strategies: [all] },
    ])
    expect(await featuresIn('review/x')).toEqual([
      zz({ name: 'userWithId', parameters: { userIds: 'a,b' } }, all, {
        name: 'userWithId',
        parameters: { userIds: 'c,d' },
      }),
    ])
    expect(await featuresIn()).toEqual([zz(all)])
    expect(await featuresIn('Production')).toEqual([zz(all)])
    expect((await server.anonymous.get(`${root}/features`, { headers: headersOf() })).body.features).toHaveLength(3)
  })

  test('follow every write at once, and are 304 between them', async () => {
    const list = await place.list('l', 'a')
    await place.flag('f1', [
      { name: 'gitlabUserList', parameters: {}, user_list_id: list.id, scopes: [{ environment_scope: '*' }] },
    ])
    let etag = ''
    const poll = async () => {
      const headers = { ...headersOf(), ...(etag && { 'If-None-Match': etag }) }
      const { status, headers: answered, body } = await server.anonymous.get(`${root}/client/features`, { headers })
      etag = answered.get('etag') ?? etag
      return status === 304 ? 304 : body.features
    }
    expect(await poll()).toMatchObject([{ strategies: [{ parameters: { userIds: 'a' } }] }])
    expect(await poll()).toBe(304)
    await people.developer.put(`${place.lists}/1`, { user_xids: 'a,b' })
    expect(await poll()).toMatchObject([{ strategies: [{ parameters: { userIds: 'a,b' } }] }])
    await people.developer.put(`${place.flags}/f1`, { active: false })
    expect(await poll()).toMatchObject([{ enabled: false }])
    expect(await poll()).toBe(304)
    await people.developer.delete(`${place.flags}/f1`)
    expect(await poll()).toEqual([])
  })

  test('are those of a restored database, whose writes are as many as those that were lost', async () => {
    const { database } = server.app.platform
    const clients = database.read.selectFrom('feature_flag_clients').selectAll()
    const { generation } = await clients.where('project_id', '=', place.project.id).executeTakeFirstOrThrow()
    await place.flag('lost', [everyone('*')])
    expect(await featuresIn()).toMatchObject([{ name: 'lost' }])
    await database.write(async (tx) => {
      await tx.deleteFrom('feature_flags').where('project_id', '=', place.project.id).execute()
      await tx.updateTable('feature_flag_clients').set({ generation }).execute()
    })
    await place.flag('new', [everyone('*')])
    expect(await featuresIn()).toMatchObject([{ name: 'new' }])
  })

  test('are read anew when the credential was lost and is made again', async () => {
    expect(await featuresIn()).toEqual([])
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.deleteFrom('feature_flag_clients').where('project_id', '=', place.project.id).execute(),
    )
    await place.flag('new', [everyone('*')])
    credential = (await people.developer.get(place.client)).body
    expect(await featuresIn()).toMatchObject([{ name: 'new' }])
  })

  test('are read whatever the visibility and the access level', async () => {
    await place.flag('f1', [everyone('*')])
    await people.owner.put(place.base, { feature_flags_access_level: 'disabled' })
    expect(await featuresIn('x')).toHaveLength(1)
    await people.owner.post(`${place.base}/archive`)
    expect(await featuresIn('x')).toHaveLength(1)
  })

  test('end with the project', async () => {
    await place.flag('f1', [everyone('*')])
    await people.owner.delete(place.base)
    await server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', place.project.id).execute(),
    )
    expect((await server.anonymous.get(root, { headers: headersOf() })).status).toBe(401)
  })
})

describe('reports of clients', () => {
  test('are accepted and dropped, and the time is noted', async () => {
    for (const path of ['register', 'metrics']) {
      for (const body of ['{"appName":"x"}', '', 'no json', `"${'x'.repeat(1_048_570)}"`]) {
        const headers = { ...headersOf(), 'Content-Type': 'application/json' }
        const answer = await server.anonymous.post(`${root}/client/${path}`, body, { headers })
        expect([answer.status, answer.body]).toEqual([200, ''])
      }
      const large = await server.anonymous.post(`${root}/client/${path}`, 'x'.repeat(1_048_577), {
        headers: headersOf(),
      })
      expect(large.status).toBe(413)
      expect(
        (await server.anonymous.post(`${root}/client/${path}`, {}, { headers: headersOf('x', 'wrong') })).status,
      ).toBe(401)
    }
    expect((await people.developer.get(place.client)).body.last_used_at).not.toBeNull()
  })
})
