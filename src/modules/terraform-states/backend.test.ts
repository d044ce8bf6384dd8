/** The protocol of the `http` backend, as Terraform and OpenTofu speak it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import { jobWithToken } from '../pipelines/testing.ts'
import { backendOf } from './testing.ts'

let server: TestServer
let people: People
let place: ProjectWithMembers
let states: string
let count = 0
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  place = await projectWithMembers(server, { people, path: `infra-${count}` })
  states = `/projects/${place.project.id}/terraform/state`
})

const backend = (password = people.maintainer.token, username = 'anyone', name = 'production') =>
  backendOf({ address: `${server.url}/api/v4${states}/${name}`, username, password })

const document = (serial: number, more: object = {}) => JSON.stringify({ version: 4, serial, ...more }, null, 2)

test('a plan and two applies: lock, read, write, unlock', async () => {
  const program = backend()
  expect(await program.lock()).toEqual({ status: 200, held: null })
  expect(await program.read()).toBeNull()
  expect(await program.write(document(1))).toBe(200)
  expect(await program.unlock()).toBe(200)
  expect(await program.lock()).toEqual({ status: 200, held: null })
  expect(await program.read()).toBe(document(1))
  expect(await program.write(document(2, { lineage: 'ключ 🦊' }))).toBe(200)
  expect(await program.unlock()).toBe(200)
  expect(await program.read()).toBe(document(2, { lineage: 'ключ 🦊' }))
  const { body } = await people.developer.get(`${states}/production/versions`)
  expect(body.map(({ serial }: { serial: number }) => serial)).toEqual([2, 1])
  const first = await people.developer.open(`${states}/production/versions/1`)
  expect([await first.text(), first.headers.get('content-type')]).toEqual([document(1), 'application/json'])
  expect(await program.delete()).toBe(200)
  expect(await program.read()).toBeNull()
})

test('the second caller is answered with the lock of the first, and may not write', async () => {
  const [first, second] = [backend(), backend(people.owner.token)]
  await first.lock('OperationTypePlan')
  expect(await second.lock()).toEqual({
    status: 409,
    held: {
      ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      Operation: 'OperationTypePlan',
      Info: '',
      Who: people.maintainer.username,
      Version: '1.9.5',
      Created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      Path: '',
    },
  })
  expect(await second.write(document(1))).toBe(409)
  expect(await second.delete()).toBe(409)
  expect(await first.write(document(1))).toBe(200)
  expect(await first.unlock()).toBe(200)
  expect(await second.lock()).toEqual({ status: 200, held: null })
})

test('of twenty locks at once one is given', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => backend().lock()))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const holders = new Set(answers.map(({ held }) => held?.ID).filter((id) => id !== undefined))
  expect(holders.size).toBe(1)
})

describe('an unlock', () => {
  test('with another id is refused by the status alone; the right one ends the lock, which may be repeated', async () => {
    await backend().lock()
    const [{ lock }] = (await people.developer.get(states)).body
    const unlock = (ID?: string) => people.maintainer.delete(`${states}/production/lock`, { body: ID ? { ID } : {} })
    const wrong = await unlock('another')
    expect([wrong.status, wrong.body]).toEqual([409, 409])
    for (let times = 0; times < 2; times++) expect((await unlock(lock.ID)).status).toBe(200)
    expect((await people.developer.get(states)).body[0]).toMatchObject({ locked: false, lock: null, locked_by: null })
  })

  test('without an id ends the lock of anyone', async () => {
    await backend().lock()
    expect((await people.owner.delete(`${states}/production/lock`)).status).toBe(200)
    expect((await backend().lock()).status).toBe(200)
  })

  test('of a state that is not there is 404', async () => {
    expect((await people.owner.delete(`${states}/production/lock`)).status).toBe(404)
  })
})

describe('the credentials', () => {
  test('of a job are those of its user, in its project and in those that list it', async () => {
    const { token, end } = await jobWithToken(server, { projectId: place.project.id, userId: people.maintainer.id })
    const program = backend(token, 'gitlab-ci-token')
    expect((await program.lock()).status).toBe(200)
    expect(await program.write(document(1))).toBe(200)
    expect(await program.unlock()).toBe(200)
    const other = await projectWithMembers(server, { people, path: `other-${count}` })
    states = `/projects/${other.project.id}/terraform/state`
    expect((await backend(token, 'gitlab-ci-token').lock()).status).toBe(403)
    await people.owner.post(`/projects/${other.project.id}/job_token_scope/allowlist`, {
      target_project_id: place.project.id,
    })
    expect((await backend(token, 'gitlab-ci-token').lock()).status).toBe(200)
    await end()
    expect((await backend(token, 'gitlab-ci-token').lock()).status).toBe(401)
  })

  test('of a developer read, by a job too', async () => {
    await backend().write(document(1))
    const { token } = await jobWithToken(server, { projectId: place.project.id, userId: people.developer.id })
    for (const program of [backend(people.developer.token), backend(token, 'gitlab-ci-token')]) {
      expect(await program.read()).toBe(document(1))
      expect([await program.write(document(2)), (await program.lock()).status]).toEqual([403, 403])
    }
  })

  test('are not the token of a job under another name, nor a wrong or revoked one', async () => {
    const { token } = await jobWithToken(server, { projectId: place.project.id, userId: people.maintainer.id })
    const gone = await people.maintainer.post('/user/personal_access_tokens', { name: 'a', scopes: ['k8s_proxy'] })
    await people.maintainer.delete(`/personal_access_tokens/${gone.body.id}`)
    for (const password of [token, 'wrong', gone.body.token]) {
      expect(await backend(password).write(document(1))).toBe(401)
    }
    expect(await backend('').write(document(1))).toBe(401)
  })

  test('need the scope for what they do', async () => {
    const make = (scopes: string[]) =>
      server.root.post(`/users/${people.maintainer.id}/personal_access_tokens`, { name: 'a', scopes })
    const reading = backend((await make(['read_api'])).body.token)
    await backend().write(document(1))
    expect(await reading.read()).toBe(document(1))
    expect([await reading.write(document(2)), (await reading.lock()).status]).toEqual([403, 403])
    const neither = backend((await make(['read_repository'])).body.token)
    await expect(neither.read()).rejects.toThrow('403')
  })

  test('by Basic count here only', async () => {
    const headers = { Authorization: `Basic ${Buffer.from(`a:${people.maintainer.token}`).toString('base64')}` }
    expect((await server.anonymous.get(states, { headers })).status).toBe(200)
    expect((await server.anonymous.get(`/projects/${place.project.id}`, { headers })).status).toBe(404)
  })
})
