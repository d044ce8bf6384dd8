import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storageKey } from '../../../infra/objects/index.ts'
import { bytesAt, makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { deliver, type ProjectWithAlerts, projectWithAlerts } from '../testing.ts'
import { imageProblems, sweepImagesJob } from './removal.ts'

let server: TestServer
let people: People
let place: ProjectWithAlerts
let images: string

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

beforeEach(async () => {
  place = await projectWithAlerts(server, people)
  const { url, token } = await place.integration()
  await deliver(url, token, { title: 'a' })
  images = `${place.alerts}/1/metric_images`
})

function form(content: Buffer | string = png, name = 'dk.png', texts: Record<string, string> = {}): FormData {
  const body = new FormData()
  body.set('file', new Blob([content as never]), name)
  for (const [key, text] of Object.entries(texts)) body.set(key, text)
  return body
}

const upload = (...parts: Parameters<typeof form>) => place.developer.post(images, form(...parts))
const notFound = { status: 404, body: { message: 'Metric image not found' } }

describe('an image', () => {
  test('is uploaded, listed, served, changed and deleted', async () => {
    const texts = { url: 'https://example.com/m', url_text: 'CPU' }
    const { status, body } = await upload(png, '../../a b.PNG', texts)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      created_at: expect.any(String),
      filename: 'a_b.PNG',
      file_path: `/uploads/-/system/alert_metric_image/file/${body.id}/a_b.PNG`,
      ...texts,
    })
    const second = await upload()
    expect(second.body).toMatchObject({ url: null, url_text: null })
    expect((await place.developer.get(images)).body).toEqual([body, second.body])
    const served = await bytesAt(place.developer, `root:${body.file_path}`)
    expect([served.status, served.bytes]).toEqual([200, png])
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': expect.stringMatching(/^inline;/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const address = `${images}/${body.id}`
    const changed = await place.developer.put(address, { url: 'http://b', url_text: '' })
    expect(changed).toMatchObject({ status: 200, body: { url: 'http://b', url_text: null } })
    expect((await place.developer.put(address, {})).body).toEqual(changed.body)
    expect((await place.developer.delete(address)).status).toBe(204)
    expect(await place.developer.delete(address)).toMatchObject(notFound)
    expect(await place.developer.put(address, { url: 'http://b' })).toMatchObject(notFound)
    expect((await bytesAt(place.developer, `root:${body.file_path}`)).status).toBe(404)
    expect((await place.developer.get(images)).body).toEqual([second.body])
  })

  test('is served to those who may read the alert, by its name', async () => {
    const { body } = await upload()
    const path = `root:${body.file_path}`
    for (const reader of [place.maintainer, place.owner, server.root]) expect((await reader.get(path)).status).toBe(200)
    for (const other of [place.reporter, place.outsider, server.anonymous]) {
      expect(await other.get(path)).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
    }
    for (const wrong of [
      path.replace('dk', 'kd'),
      path.replace(String(body.id), 'x'),
      path.replace(String(body.id), '0'),
    ]) {
      expect((await place.owner.get(wrong)).status).toBe(404)
    }
    await place.owner.put(place.base, { monitor_access_level: 'disabled' })
    expect((await place.owner.get(path)).status).toBe(404)
  })

  const message = (text: string) => ({ status: 400, body: { message: text } })
  const formats =
    'File format is not supported. Please try one of the following supported formats: png, jpg, jpeg, gif, bmp, tiff, ico, webp'

  test('is a small file of a known format', async () => {
    const pad = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes - png.length)])
    expect((await upload(pad(1_048_576))).status).toBe(201)
    expect(await upload(pad(1_048_577))).toMatchObject(message('400 Bad request - File is too large'))
    for (const [content, name] of [
      ['<svg onload="alert(1)"/>', 'x.svg'],
      ['<svg onload="alert(1)"/>', 'x.png'],
      [png, 'x.jpg'],
      [png, 'x.txt'],
      [png, 'png'],
      ['', 'x.png'],
    ] as const) {
      expect(await upload(content as Buffer, name)).toMatchObject(message(formats))
    }
    expect((await place.developer.get(images)).body).toHaveLength(1)
  })

  test('needs a file', async () => {
    const missing = new FormData()
    missing.set('url', 'http://a')
    expect((await place.developer.post(images, missing)).body.error).toBe('file is missing')
    expect((await place.developer.post(images, {})).body.error).toBe('file is missing')
    const text = new FormData()
    text.set('file', 'text')
    expect((await place.developer.post(images, text)).body.error).toBe('file is invalid')
  })

  test.each([
    ['Url is blocked: Only allowed schemes are http, https', { url: 'javascript:alert(1)' }],
    ['Url is blocked: Only allowed schemes are http, https', { url: 'ftp://example.com' }],
    ['Url is too long (maximum is 255 characters)', { url: `http://a/${'x'.repeat(255)}` }],
    ['Url text is too long (maximum is 128 characters)', { url_text: 'x'.repeat(129) }],
  ])('has texts: %s', async (text, texts) => {
    expect(await upload(png, 'a.png', texts as never)).toMatchObject(message(text))
    const { body } = await upload()
    expect(await place.developer.put(`${images}/${body.id}`, texts)).toMatchObject({
      status: 422,
      body: { message: 'Metric image could not be updated' },
    })
  })

  test('belongs to an alert of a project', async () => {
    const { body } = await upload()
    const other = await projectWithAlerts(server, people)
    const foreign = `${other.alerts}/1/metric_images`
    expect(await other.developer.post(foreign, form())).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    })
    expect(await other.developer.get(foreign)).toMatchObject({ status: 404, body: { message: 'Alert not found' } })
    expect(await place.reporter.get(images)).toMatchObject({ status: 404, body: { message: 'Alert not found' } })
    expect(await other.developer.put(`${foreign}/${body.id}`, {})).toMatchObject(notFound)
    expect(await other.developer.delete(`${foreign}/${body.id}`)).toMatchObject(notFound)
  })

  test('has no record any more when its bytes go', async () => {
    const { body } = await upload()
    const { objects } = server.app.platform
    const real = objects.delete
    let found: string[] | null = null
    objects.delete = async (key) => {
      await real(key)
      found = await Array.fromAsync(imageProblems(server.app.platform))
    }
    const deleted = await place.developer.delete(`${images}/${body.id}`).finally(() => {
      objects.delete = real
    })
    expect([deleted.status, found]).toEqual([204, []])
  })

  test.each([
    ['key_conflict', 422, 'Metric image could not be deleted'],
    ['unavailable', 503, '503 Service Unavailable'],
  ] as const)('whose bytes cannot be deleted (%s) stays', async (code, status, message) => {
    const { body } = await upload()
    const { objects } = server.app.platform
    const real = objects.delete
    const { ObjectError } = await import('../../../infra/objects/index.ts')
    objects.delete = async () => Promise.reject(new ObjectError(code, 'no'))
    try {
      expect(await place.developer.delete(`${images}/${body.id}`)).toMatchObject({
        status,
        body: { message },
      })
    } finally {
      objects.delete = real
    }
    expect((await place.developer.get(images)).body).toHaveLength(1)
  })
})

test('bytes without a record are swept, those of deleted projects removed, and missing ones found', async () => {
  const { body } = await upload()
  const { platform } = server.app
  const { objects, clock } = platform
  const keys = async () => {
    const found: string[] = []
    for await (const { key } of objects.list(storageKey('alert-metric-images', place.project.id))) found.push(key)
    return found
  }
  const [kept] = await keys()
  const stray = storageKey('alert-metric-images', place.project.id, 'f'.repeat(32))
  await objects.put(stray, [Buffer.from('x')] as never)
  const problems = async () => {
    const found: string[] = []
    for await (const problem of imageProblems(platform)) found.push(problem)
    return found.filter((problem) => problem.includes(` ${body.id}:`))
  }
  expect(await problems()).toEqual([])
  const later = { ...platform, clock: { ...clock, now: () => new Date(clock.now().getTime() + 2 * 86_400_000) } }
  await sweepImagesJob.run(later, null, { signal: new AbortController().signal } as never)
  expect(await keys()).toEqual([kept])
  await objects.delete(kept as never)
  expect(await problems()).toEqual([`metric image ${body.id}: its file is missing`])
  await upload()
  expect(await keys()).toHaveLength(1)
  await server.root.delete(place.base)
  await server.root.delete(`${place.base}?permanently_remove=true&full_path=${encodeURIComponent(place.path)}`)
  await platform.jobs.drain()
  expect(await keys()).toEqual([])
})
