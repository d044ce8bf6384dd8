import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storageKey } from '../../../infra/objects/index.ts'
import {
  bytesAt,
  makePeople,
  type People,
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { metricImages } from '../index.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

let at: ProjectWithMembers
let issues: string
let images: string
let count = 0
beforeEach(async () => {
  count += 1
  at = await projectWithMembers(server, { people, path: `demo${count}`, visibility: 'public' })
  issues = `/projects/${at.project.id}/issues`
  images = `${issues}/${await newIssue()}/metric_images`
})

async function newIssue(more: object = { issue_type: 'incident' }): Promise<number> {
  const { status, body } = await people.developer.post(issues, { title: 'Down', ...more })
  expect(status).toBe(201)
  return body.iid
}

function form(content: Buffer | string = png, name = 'load.png', texts: Record<string, string> = {}): FormData {
  const body = new FormData()
  body.set('file', new Blob([content as never]), name)
  for (const [key, text] of Object.entries(texts)) body.set(key, text)
  return body
}

const upload = (...parts: Parameters<typeof form>) => people.reporter.post(images, form(...parts))
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const notFound = { status: 404, body: { message: 'Metric image not found' } }

describe('an image of an incident', () => {
  test('is uploaded, listed, served, changed and deleted', async () => {
    const texts = { url: 'https://example.com/m', url_text: 'CPU' }
    const { status, body } = await upload(png, '../../a b.PNG', texts)
    expect([status, body]).toEqual([
      201,
      {
        ...{ id: expect.any(Number), created_at: expect.any(String), filename: 'a_b.PNG' },
        file_path: `/uploads/-/system/issuable_metric_image/file/${body.id}/a_b.PNG`,
        ...texts,
      },
    ])
    const second = (await upload()).body
    for (const reader of [people.guest, people.outsider, server.anonymous]) {
      const listed = await reader.get(`${images}?per_page=1`)
      expect([listed.status, listed.body, listed.headers.get('x-total')]).toEqual([200, [body, second], null])
      const served = await bytesAt(reader as Person, `root:${body.file_path}`)
      expect([served.status, served.bytes]).toEqual([200, png])
      expect(Object.fromEntries(served.headers)).toMatchObject({
        'content-type': 'image/png',
        'content-disposition': expect.stringMatching(/^inline;/),
        'content-security-policy': "default-src 'none'; sandbox",
      })
    }
    const one = `${images}/${body.id}`
    const changed = await people.reporter.put(one, { url: 'http://b', url_text: '' })
    expect(changed).toMatchObject({ status: 200, body: { url: 'http://b', url_text: null } })
    expect((await people.reporter.delete(one)).status).toBe(204)
    expect(await people.reporter.delete(one)).toMatchObject(notFound)
    expect(await people.reporter.put(one, {})).toMatchObject(notFound)
    expect((await people.owner.get(`root:${body.file_path}`)).status).toBe(404)
  })

  test.each([
    ['400 Bad request - File is too large', [Buffer.concat([png, Buffer.alloc(1_048_577)]), 'a.png', {}]],
    [expect.stringMatching(/^File format is not supported\./), ['<svg/>', 'a.png', {}]],
    ['Url is blocked: Only allowed schemes are http, https', [png, 'a.png', { url: 'javascript:alert(1)' }]],
    ['Url text is too long (maximum is 128 characters)', [png, 'a.png', { url_text: 'x'.repeat(129) }]],
  ] as const)('is refused: %s', async (message, [content, name, texts]) => {
    expect(await upload(content, name, texts)).toMatchObject({ status: 400, body: { message } })
    expect((await people.reporter.get(images)).body).toEqual([])
  })

  test('needs a file, and texts that are right when it is changed', async () => {
    expect((await people.reporter.post(images, {})).body.error).toBe('file is missing')
    const { body } = await upload()
    expect(await people.reporter.put(`${images}/${body.id}`, { url: 'ftp://a' })).toMatchObject({
      status: 422,
      body: { message: 'Metric image could not be updated' },
    })
  })

  test('is added, changed and deleted from reporters on only', async () => {
    const { body } = await upload()
    const one = `${images}/${body.id}`
    for (const other of [people.guest, people.outsider]) {
      expect(await other.post(images, form())).toMatchObject(forbidden)
      expect(await other.put(one, {})).toMatchObject(forbidden)
      expect(await other.delete(one)).toMatchObject(forbidden)
    }
  })

  test('is of that incident, and not of other issues', async () => {
    const { body } = await upload()
    const other = `${issues}/${await newIssue()}/metric_images`
    expect((await people.reporter.get(other)).body).toEqual([])
    expect(await people.reporter.put(`${other}/${body.id}`, {})).toMatchObject(notFound)
    expect(await people.reporter.delete(`${other}/${body.id}`)).toMatchObject(notFound)
    const plain = `${issues}/${await newIssue({})}/metric_images`
    expect(await people.owner.get(plain)).toMatchObject(forbidden)
    expect(await people.owner.post(plain, form())).toMatchObject(forbidden)
    expect(await people.owner.put(`${plain}/${body.id}`, {})).toMatchObject(forbidden)
    expect(await people.owner.delete(`${plain}/${body.id}`)).toMatchObject(forbidden)
  })

  test('is served to those who may read the incident, by its name', async () => {
    images = `${issues}/${await newIssue({ issue_type: 'incident', confidential: true })}/metric_images`
    const path = `root:${(await upload()).body.file_path}`
    for (const reader of [people.reporter, people.owner, server.root]) expect((await reader.get(path)).status).toBe(200)
    for (const other of [people.outsider, people.guest, server.anonymous]) {
      expect(await other.get(path)).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
      expect((await other.get(images)).status).toBe(404)
    }
    for (const wrong of [
      path.replace('load', 'other'),
      path.replace(/file\/\d+/, 'file/x'),
      path.replace(/\d+/, '0'),
    ]) {
      expect((await people.owner.get(wrong)).status).toBe(404)
    }
  })

  test('is not there while the issue has another type', async () => {
    const { body } = await upload()
    const issue = images.replace('/metric_images', '')
    await people.owner.put(issue, { issue_type: 'issue' })
    expect((await people.owner.get(`root:${body.file_path}`)).status).toBe(404)
    await people.owner.put(issue, { issue_type: 'incident' })
    expect((await people.owner.get(`root:${body.file_path}`)).status).toBe(200)
  })

  test('stays with the incident when that is moved', async () => {
    const { body } = await upload()
    const other = await projectWithMembers(server, { people, path: `other${count}` })
    const moved = await people.owner.post(`${images.replace('metric_images', 'move')}`, {
      to_project_id: other.project.id,
    })
    expect(moved.status).toBe(201)
    const taken = await people.owner.get(`/projects/${other.project.id}/issues/${moved.body.iid}/metric_images`)
    expect(taken.body).toEqual([])
    expect((await people.owner.get(images)).body).toEqual([body])
  })
})

test('bytes go with the project, and those of deleted incidents are swept', async () => {
  await upload()
  const { platform } = server.app
  const { objects, clock } = platform
  const keys = async () => {
    const found: string[] = []
    for await (const { key } of objects.list(storageKey('issue-metric-images', at.project.id))) found.push(key)
    return found
  }
  const sweep = metricImages.jobs?.find(({ kind }) => kind === 'metric_images.sweep_of_incidents')
  const later = { ...platform, clock: { ...clock, now: () => new Date(clock.now().getTime() + 2 * 86_400_000) } }
  const run = () => sweep?.run(later, null as never, { signal: new AbortController().signal } as never)
  await run()
  expect(await keys()).toHaveLength(1)
  expect((await people.owner.delete(images.replace('/metric_images', ''))).status).toBe(204)
  await run()
  expect(await keys()).toEqual([])
  images = `${issues}/${await newIssue()}/metric_images`
  await upload()
  const base = `/projects/${at.project.id}`
  await server.root.delete(base)
  await server.root.delete(`${base}?permanently_remove=true&full_path=${encodeURIComponent(at.path)}`)
  await platform.jobs.drain()
  expect(await keys()).toEqual([])
})
