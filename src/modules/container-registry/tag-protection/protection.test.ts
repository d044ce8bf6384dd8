/** What rules that protect tags of images forbid, and whom (contract 26.17). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import {
  makePeople,
  type People,
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { jobWithToken } from '../../pipelines/testing.ts'
import { blobOf } from '../http/testing.ts'
import { type RegistryRows, registryRows } from '../images/testing.ts'
import { imageOf, ociManifest } from '../manifests/testing.ts'
import { askForToken, type Login, loginOf } from '../tokens/testing.ts'

const clock = manualClock({ start: '2026-05-01T00:00:00.000Z' })
let server: TestServer
let people: People
let rows: RegistryRows
beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await makePeople(server)
  rows = registryRows(server)
})
afterAll(() => server.stop())

let at: ProjectWithMembers
let base: string
let id: number
let count = 0
beforeEach(async () => {
  count += 1
  at = await projectWithMembers(server, { people, path: `kept${count}` })
  base = `/projects/${at.project.id}/registry/repositories`
  id = await rows.repository(at.project, 'web')
})

async function protect(tag_name_pattern: string, push: string, deletion: string): Promise<string> {
  const path = `/projects/${at.project.id}/registry/protection/tag/rules`
  const created = await people.maintainer.post(path, {
    tag_name_pattern,
    minimum_access_level_for_push: push || 'maintainer',
    minimum_access_level_for_delete: deletion || 'maintainer',
  })
  const rule = `${path}/${created.body.id}`
  const unset = {
    ...(push === '' && { minimum_access_level_for_push: '' }),
    ...(deletion === '' && { minimum_access_level_for_delete: '' }),
  }
  expect((await people.maintainer.patch(rule, unset)).status).toBe(200)
  return rule
}

type Refusal = { errors: { code: string; message: string }[] }

/** Sends a request to the registry with a token that the login has asked for. @returns the status, and the code of an error */
async function send(login: Login, method: string, path: string, body?: Buffer, type?: string) {
  const name = `${at.path}/web`
  const actions = method === 'DELETE' ? 'delete' : 'pull,push'
  const token = (await askForToken(server, login, `repository:${name}:${actions}`)).body.token
  const response = await fetch(`${server.url}/v2/${name}/${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(type !== undefined && { 'Content-Type': type }) },
    ...(body !== undefined && { body: body as never }),
  })
  const [problem] = response.ok ? [] : ((await response.json()) as Refusal).errors
  return { status: response.status, code: problem?.code, message: problem?.message }
}

let content = 0
/** Pushes a manifest by a tag, or by its digest. */
async function push(login: Login, reference: string) {
  content += 1
  const config = blobOf(`{"number":${content}}`)
  await send(login, 'POST', `blobs/uploads/?digest=${config.digest}`, config.content)
  return send(login, 'PUT', `manifests/${reference}`, Buffer.from(imageOf(config, [])), ociManifest)
}

const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status
const deniedPush = { status: 403, code: 'DENIED', message: 'Pushing to protected tag forbidden' }
const deniedDeletion = { status: 403, code: 'DENIED', message: 'Deleting protected tag forbidden' }

describe('a push', () => {
  test('of a tag in whose name a pattern is found needs its level', async () => {
    const rule = await protect('^v\\d|-stable$', 'owner', '')
    for (const tag of ['v1', 'v1.0', 'a-stable']) {
      expect([tag, await push(loginOf(people.maintainer), tag)]).toEqual([tag, deniedPush])
    }
    for (const free of ['xv1', 'a-stable-', 'v', 'V1', 'latest']) {
      expect([free, await statusOf(push(loginOf(people.maintainer), free))]).toEqual([free, 201])
    }
    expect(await statusOf(push(loginOf(people.owner), 'v1'))).toBe(201)
    expect(await rows.tagNames(id)).toContain('v1')
    expect((await people.maintainer.delete(rule)).status).toBe(204)
    expect(await statusOf(push(loginOf(people.maintainer), 'v1'))).toBe(201)
  })

  test('needs the highest level of the rules that match; administrators are exempt', async () => {
    await protect('v.*', 'maintainer', '')
    await protect('.*1', 'admin', '')
    await protect('.*2', '', 'admin')
    expect(await push(loginOf(people.owner), 'v1')).toEqual(deniedPush)
    expect(await statusOf(push(loginOf(people.maintainer), 'v2'))).toBe(201)
    expect(await push(loginOf(people.developer), 'v2')).toEqual(deniedPush)
    expect(await statusOf(push(loginOf(people.developer), 'w2'))).toBe(201)
    expect(await statusOf(push({ user: 'root', password: server.root.token }, 'v1'))).toBe(201)
  })

  test('by a deploy token counts as that of a developer, and by a job as that of its user', async () => {
    await protect('v.*', 'maintainer', '')
    const scopes = ['read_registry', 'write_registry']
    const token = await people.owner.post(`/projects/${at.project.id}/deploy_tokens`, { name: 'a', scopes })
    const deploy = { user: token.body.username, password: token.body.token }
    expect(await push(deploy, 'v1')).toEqual(deniedPush)
    expect(await statusOf(push(deploy, 'w1'))).toBe(201)
    for (const [person, status] of [
      [people.developer, 403],
      [people.maintainer, 201],
    ] as const) {
      const job = await jobWithToken(server, { projectId: at.project.id, userId: person.id })
      expect(await statusOf(push({ user: 'gitlab-ci-token', password: job.token }, 'v1'))).toBe(status)
    }
  })

  test('counts the level of now, not that of the time of the token', async () => {
    await protect('v.*', 'maintainer', '')
    const name = `${at.path}/web`
    const { body } = await askForToken(server, loginOf(people.maintainer), `repository:${name}:pull,push`)
    const member = `/projects/${at.project.id}/members/${people.maintainer.id}`
    expect((await people.owner.put(member, { access_level: 30 })).status).toBe(200)
    const answer = await fetch(`${server.url}/v2/${name}/manifests/v1`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${body.token}` },
      body: '{}',
    })
    expect(answer.status).toBe(403)
  })
})

describe('a deletion by the registry', () => {
  test('needs the level for the tag, and for every tag on a manifest', async () => {
    await protect('v.*', '', 'owner')
    const manifest = await rows.image(id, `two tags ${count}`, { tags: ['v1', 'free'] })
    const other = await rows.image(id, `one tag ${count}`, { tags: ['other'] })
    const digests = new Map(
      (await people.owner.get(`${base}/${id}/tags?details=true`)).body.map((tag: { name: string; digest: string }) => [
        tag.name,
        tag.digest,
      ]),
    )
    expect(manifest).not.toBe(other)
    expect(await send(loginOf(people.maintainer), 'DELETE', 'manifests/v1')).toEqual(deniedDeletion)
    expect(await send(loginOf(people.maintainer), 'DELETE', 'tags/reference/v1')).toEqual(deniedDeletion)
    expect(await send(loginOf(people.maintainer), 'DELETE', `manifests/${digests.get('v1')}`)).toEqual(deniedDeletion)
    expect(await rows.tagNames(id)).toEqual(['free', 'other', 'v1'])
    expect(await statusOf(send(loginOf(people.maintainer), 'DELETE', `manifests/${digests.get('other')}`))).toBe(202)
    expect(await statusOf(send(loginOf(people.maintainer), 'DELETE', 'manifests/free'))).toBe(202)
    expect(await statusOf(send(loginOf(people.owner), 'DELETE', `manifests/${digests.get('v1')}`))).toBe(202)
    expect(await rows.tagNames(id)).toEqual([])
  })
})

describe('a deletion by the API', () => {
  const forbidden = { status: 403, body: { message: '403 Forbidden - Deleting protected tag forbidden.' } }

  test('of a tag or a repository needs the level', async () => {
    await protect('v.*', '', 'owner')
    await rows.image(id, `api ${count}`, { tags: ['v1', 'free'] })
    expect(await people.maintainer.delete(`${base}/${id}/tags/v1`)).toMatchObject(forbidden)
    expect(await people.maintainer.delete(`${base}/${id}`)).toMatchObject(forbidden)
    expect((await people.maintainer.delete(`${base}/${id}/tags/free`)).status).toBe(204)
    expect((await people.owner.delete(`${base}/${id}/tags/v1`)).status).toBe(204)
    await rows.image(id, `rest ${count}`, { tags: ['w1'] })
    expect((await people.maintainer.delete(`${base}/${id}`)).status).toBe(202)
  })

  test('of many tags skips those below the level, and its preview shows what it deletes', async () => {
    await protect('v.*', '', 'owner')
    await protect('w.*', 'owner', '')
    await rows.agedImages(id, `bulk ${count}`, { v1: 3, v2: 2, w1: 1, x1: 1 })
    const query = 'name_regex_delete=.*'
    const previewed = async (person: Person) =>
      (await person.get(`${base}/${id}/deletable_tags?${query}`)).body.map(({ name }: { name: string }) => name).sort()
    expect(await previewed(people.owner)).toEqual(['v1', 'v2', 'w1', 'x1'])
    expect(await previewed(people.maintainer)).toEqual(['w1', 'x1'])
    expect((await people.maintainer.delete(`${base}/${id}/tags?${query}`)).status).toBe(202)
    await server.app.platform.jobs.drain()
    expect(await rows.tagNames(id)).toEqual(['v1', 'v2'])
    clock.advance(3_600_000)
    expect((await people.owner.delete(`${base}/${id}/tags?${query}`)).status).toBe(202)
    await server.app.platform.jobs.drain()
    expect(await rows.tagNames(id)).toEqual([])
  })

  test('by a cleanup policy skips every tag that is protected from deletion', async () => {
    await protect('v.*', '', 'maintainer')
    await protect('w.*', 'admin', '')
    await rows.agedImages(id, `policy ${count}`, { v1: 300, w1: 300, x1: 300 })
    const policy = { enabled: true, cadence: '1d', keep_n: null, older_than: '7d', name_regex: '.*' }
    const changes = { container_expiration_policy_attributes: policy }
    expect((await people.owner.put(`/projects/${at.project.id}`, changes)).status).toBe(200)
    clock.advance(86_400_000)
    await server.app.platform.jobs.drain()
    expect(await rows.tagNames(id)).toEqual(['v1'])
  })
})
