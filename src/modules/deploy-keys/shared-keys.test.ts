import { describe, expect, test } from 'vitest'
import {
  addDeployKey,
  keyLine,
  keyNotFound,
  keyOf,
  keyRow,
  keysOf,
  made,
  maintainer,
  makePublicKey,
  recordNotFound,
  serveForTests,
  server,
} from './testing.ts'

const taken = { status: 400, body: { message: { 'deploy_key.fingerprint_sha256': ['has already been taken'] } } }

serveForTests()

describe('the same key', () => {
  test('is returned unchanged in a project that has it', async () => {
    const project = await made('again')
    const key = await addDeployKey(maintainer, project, 'again')
    const values = { title: '', key: keyLine('again', 'another'), can_push: true, expires_at: '2020-01-01' }
    expect(await maintainer.post(keysOf(project), values)).toMatchObject({ status: 201, body: key })
    expect((await maintainer.get(keysOf(project))).body).toEqual([key])
  })

  test('is added to another project by a maintainer of both', async () => {
    const [project, other] = [await made('joined'), await made('joined_elsewhere')]
    const stranger = await server.user('joined_stranger')
    await server.make.member({ project: other }, stranger, 40)
    await server.make.member({ project }, stranger, 30)
    const key = await addDeployKey(maintainer, project, 'joined')
    const values = { title: 'different', key: keyLine('joined'), can_push: true, expires_at: '2030-01-01' }
    expect(await stranger.post(keysOf(other), values)).toMatchObject(taken)
    expect(await stranger.post(`${keyOf(other, key)}/enable`)).toMatchObject(keyNotFound)
    expect(await maintainer.post(keysOf(other), values)).toMatchObject({
      status: 201,
      body: { ...key, can_push: true },
    })
    expect((await stranger.get(keysOf(other))).body).toEqual([{ ...key, can_push: true }])
    expect((await maintainer.get(keyOf(project, key))).body).toEqual(key)
  })

  test('is added through roles in groups, and by administrators', async () => {
    const owner = await server.user('group_owner')
    const namespace = await server.make.group('keepers', owner)
    const below = await server.make.group('below', owner, { parent: namespace })
    const source = await server.make.project('source', owner, { namespace: below })
    const [target, another] = [await made('group_target'), await made('root_target')]
    await server.make.member({ project: target }, owner, 40)
    const key = await addDeployKey(owner, source, 'of a group')
    expect((await owner.post(`${keyOf(target, key)}/enable`)).status).toBe(201)
    expect(await maintainer.post(`${keyOf(another, key)}/enable`)).toMatchObject({ status: 201 })
    const only = await addDeployKey(owner, source, 'of a group alone')
    expect(await maintainer.post(`${keyOf(another, only)}/enable`)).toMatchObject(keyNotFound)
    expect(await server.root.post(`${keyOf(another, only)}/enable`)).toMatchObject({ status: 201 })
  })

  test('of a user is not a deploy key', async () => {
    const project = await made('personal')
    const { body } = await maintainer.post('/user/keys', { title: 'own', key: keyLine('personal') })
    const values = { title: '', key: keyLine('personal') }
    const both = { ...taken.body.message, 'deploy_key.title': ["can't be blank"] }
    expect(await maintainer.post(keysOf(project), { ...values, title: 'a' })).toMatchObject(taken)
    expect((await maintainer.post(keysOf(project), values)).body.message).toEqual(both)
    expect(await maintainer.post(`${keyOf(project, body)}/enable`)).toMatchObject(keyNotFound)
    expect(await server.root.post(`${keyOf(project, body)}/enable`)).toMatchObject(keyNotFound)
    expect(await maintainer.get(keyOf(project, body))).toMatchObject(recordNotFound)
    const key = await addDeployKey(maintainer, project, 'not personal')
    expect(await maintainer.get(`/user/keys/${key.id}`)).toMatchObject({ status: 404 })
    const mine = await maintainer.post('/user/keys', { title: 'a', key: keyLine('not personal') })
    expect(mine.body.message).toEqual({ fingerprint_sha256: ['has already been taken'] })
  })

  test('is enabled once, and retains its right to push', async () => {
    const project = await made('enabled')
    const key = await makePublicKey(server, 'enabled')
    const { projects_with_write_access: _w, projects_with_readonly_access: _r, ...shown } = key
    const enabled = { status: 201, body: { ...shown, can_push: false } }
    expect(await maintainer.post(`${keyOf(project, key)}/enable`)).toMatchObject(enabled)
    await maintainer.put(keyOf(project, key), { can_push: true })
    expect((await maintainer.post(`${keyOf(project, key)}/enable`)).body.can_push).toBe(true)
    expect((await maintainer.get(keysOf(project))).body).toHaveLength(1)
    expect((await maintainer.delete(keyOf(project, key))).status).toBe(204)
    expect(await keyRow(key.id)).toMatchObject({ public: true })
  })

  test('is added once by concurrent requests', async () => {
    const project = await made('racing')
    for (let round = 0; round < 5; round++) {
      const values = { title: 'race', key: keyLine(`race ${round}`) }
      const answers = await Promise.all([1, 2, 3, 4].map(() => maintainer.post(keysOf(project), values)))
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    }
    expect((await maintainer.get(keysOf(project))).body).toHaveLength(5)
  })

  test('is enabled once by concurrent requests', async () => {
    const project = await made('enabling')
    for (let round = 0; round < 5; round++) {
      const key = await makePublicKey(server, `enabling ${round}`)
      const answers = await Promise.all([1, 2, 3].map(() => maintainer.post(`${keyOf(project, key)}/enable`)))
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    }
    expect((await maintainer.get(keysOf(project))).body).toHaveLength(5)
  })
})

describe('a key without a project', () => {
  const projects = (path: string) => Promise.all([made(`${path}_one`), made(`${path}_two`)])

  test('is deleted with its last project', async () => {
    const [one, two] = await projects('last')
    const key = await addDeployKey(maintainer, one, 'last')
    await maintainer.post(`${keyOf(two, key)}/enable`)
    expect((await maintainer.delete(keyOf(one, key))).status).toBe(204)
    expect((await maintainer.get(keyOf(two, key))).status).toBe(200)
    expect((await maintainer.delete(keyOf(two, key))).status).toBe(204)
    expect(await keyRow(key.id)).toBeUndefined()
    expect((await addDeployKey(maintainer, one, 'last')).id).toBeGreaterThan(key.id)
  })

  test('is deleted when concurrent requests remove it from its last two projects', async () => {
    const [one, two] = await projects('both')
    for (let round = 0; round < 5; round++) {
      const key = await addDeployKey(maintainer, one, `both ${round}`)
      await maintainer.post(`${keyOf(two, key)}/enable`)
      const answers = await Promise.all([one, two, one].map((project) => maintainer.delete(keyOf(project, key))))
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 204, 404])
      expect(await keyRow(key.id)).toBeUndefined()
    }
  })

  test('is found or created again by a concurrent request', async () => {
    const [one, two] = await projects('revived')
    for (let round = 0; round < 5; round++) {
      const key = await addDeployKey(maintainer, one, `revived ${round}`)
      const values = { title: 'anew', key: keyLine(`revived ${round}`) }
      const [removed, added] = await Promise.all([
        maintainer.delete(keyOf(one, key)),
        maintainer.post(keysOf(two), values),
      ])
      expect([removed.status, added.status]).toEqual([204, 201])
      expect((await maintainer.get(keyOf(two, added.body))).body).toEqual(added.body)
    }
  })

  test('is deleted with its project, unless it is public or has another project', async () => {
    const [one, two] = await projects('deleted')
    const [alone, shared] = [
      await addDeployKey(maintainer, one, 'alone'),
      await addDeployKey(maintainer, one, 'shared'),
    ]
    const open = await makePublicKey(server, 'open to all')
    await maintainer.post(`${keyOf(one, open)}/enable`)
    await maintainer.post(`${keyOf(two, shared)}/enable`)
    await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
    try {
      expect((await server.root.delete(`/projects/${one.id}`)).status).toBe(202)
      await server.app.platform.jobs.drain()
    } finally {
      await server.root.put('/application/settings', { deletion_adjourned_period: 7 })
    }
    expect(await keyRow(alone.id)).toBeUndefined()
    expect(await keyRow(shared.id)).toBeDefined()
    expect(await keyRow(open.id)).toBeDefined()
    expect((await maintainer.get(keysOf(two))).body).toEqual([shared])
  })
})
