/** The acceptance walk of docs/contract/08-uploads.md; the numbers of the tests are those of its steps. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jpeg } from '../../src/modules/uploads/metadata/image-testing.ts'
import {
  type Answer,
  bytesAt,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../src/testing/index.ts'

let server: TestServer
let place: ProjectWithMembers
let project: string
beforeAll(async () => {
  server = await startTestServer()
  place = await projectWithMembers(server)
  project = `/projects/${place.project.id}`
})
afterAll(() => server.stop())

function form(name: string, content: string | Uint8Array<ArrayBuffer>): FormData {
  const data = new FormData()
  data.append('file', new Blob([content]), name)
  return data
}

const answers: Record<string, Answer> = {}
const url = (name: string) => answers[name]?.body.url as string

test('1. a guest uploads an image', async () => {
  const answer = await place.guest.post(`${project}/uploads`, form('dk.png', 'image'))
  answers.image = answer
  const { body } = answer
  expect([answer.status, body.alt]).toEqual([201, 'dk'])
  expect(body.url).toMatch(/^\/uploads\/[0-9a-f]{32}\/dk\.png$/)
  expect(body.full_path).toBe(`/-/project/${place.project.id}${body.url}`)
  expect(body.markdown).toBe(`![dk](${body.url})`)
})

test('2. the name of a file is sanitised', async () => {
  const { body } = await place.guest.post(`${project}/uploads`, form('notes v1.txt', 'text'))
  expect(body.markdown).toBe(`[notes_v1.txt](${body.url})`)
})

test('3. maintainers list uploads', async () => {
  const { body } = await place.maintainer.get(`${project}/uploads`)
  expect(body.map(({ filename }: { filename: string }) => filename)).toEqual(['notes_v1.txt', 'dk.png'])
  expect(body[0].uploaded_by.username).toBe(place.guest.username)
  expect((await place.developer.get(`${project}/uploads`)).status).toBe(403)
  expect((await server.anonymous.get(`${project}/uploads`)).status).toBe(401)
})

test('4. maintainers download by id', async () => {
  const { status, headers, bytes } = await bytesAt(place.maintainer, `${project}/uploads/${answers.image?.body.id}`)
  expect([status, bytes.toString()]).toEqual([200, 'image'])
  expect(headers.get('content-disposition')).toBe(`attachment; filename="dk.png"; filename*=UTF-8''dk.png`)
})

test('5. guests download by secret', async () => {
  const secret = url('image').split('/')[2]
  const statusOf = async (path: string) => (await place.guest.get(`${project}/uploads/${path}`)).status
  expect(await statusOf(`${secret}/dk.png`)).toBe(200)
  expect(await statusOf('invalid_secret/dk.png')).toBe(404)
  expect(await statusOf(`${secret}/..%2Fdk.png`)).toBe(400)
})

test('6. the web path follows the visibility', async () => {
  const path = answers.image?.body.full_path as string
  const { status, headers } = await bytesAt(place.guest, `root:${path}`)
  expect([status, headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(headers.get('content-disposition')).toMatch(/^inline;/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
  expect((await server.anonymous.get(`root:${path}`)).status).toBe(404)
  await place.owner.put(project, { visibility: 'public' })
  expect((await server.anonymous.get(`root:${path}`)).status).toBe(200)
  expect((await server.anonymous.get(`${project}${url('image')}`)).status).toBe(401)
  expect((await place.outsider.get(`${project}${url('image')}`)).status).toBe(403)
})

test('7. scripts are not served as such', async () => {
  for (const name of ['x.svg', 'x.html']) {
    const { body } = await place.guest.post(`${project}/uploads`, form(name, '<script>alert(1)</script>'))
    const { headers } = await server.anonymous.get(`root:${body.full_path}`)
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toMatch(/^attachment;/)
  }
})

test('8. an image loses where it was made', async () => {
  const { given, left } = jpeg()
  const { body } = await place.guest.post(`${project}/uploads`, form('photo.jpg', new Uint8Array(given)))
  const { bytes } = await bytesAt(place.guest, `root:${body.full_path}`)
  expect(given.includes('SECRET place')).toBe(true)
  expect(bytes.equals(left)).toBe(true)
  const [entry] = (await place.maintainer.get(`${project}/uploads`)).body
  expect(entry.size).toBe(bytes.length)
})

test('9. the size is limited', async () => {
  await server.root.put('/application/settings', { max_attachment_size: 1 })
  const send = (size: number) => place.guest.post(`${project}/uploads`, form('a', new Uint8Array(size)))
  expect((await send(1_048_576)).status).toBe(201)
  const before = (await place.maintainer.get(`${project}/uploads`)).body
  expect((await send(1_048_577)).status).toBe(413)
  expect((await place.maintainer.get(`${project}/uploads`)).body).toEqual(before)
  await server.root.put('/application/settings', { max_attachment_size: 100 })
})

test('10. groups have uploads as well', async () => {
  const namespace = await server.make.group('with-uploads', place.owner)
  for (const [person, level] of [
    [place.maintainer, 40],
    [place.guest, 10],
  ] as const) {
    await server.make.member({ namespace }, person, level)
  }
  const group = `/groups/${namespace.id}`
  const { status, body } = await place.guest.post(`${group}/uploads`, form('a.png', 'image'))
  expect([status, body.full_path]).toEqual([201, `/-/group/${namespace.id}${body.url}`])
  expect((await place.maintainer.get(`${group}/uploads`)).body).toHaveLength(1)
  expect((await place.guest.get(`${group}${body.url}`)).status).toBe(200)
  expect((await place.outsider.get(`${group}${body.url}`)).status).toBe(404)
})

test('11. and 12. maintainers delete by id and by secret', async () => {
  const at = `${project}/uploads/${answers.image?.body.id}`
  expect((await place.developer.delete(at)).status).toBe(403)
  expect((await place.maintainer.delete(at)).status).toBe(204)
  expect((await place.guest.get(`root:${answers.image?.body.full_path}`)).status).toBe(404)
  expect((await place.maintainer.delete(at)).status).toBe(404)
  const { body } = await place.maintainer.get(`${project}/uploads`)
  for (const { id } of body.slice(1)) await place.maintainer.delete(`${project}/uploads/${id}`)
  const again = await place.guest.post(`${project}/uploads`, form('last.txt', 'x'))
  await place.maintainer.delete(`${project}/uploads/${body[0].id}`)
  expect((await place.maintainer.delete(`${project}${again.body.url}`)).status).toBe(204)
  expect((await place.maintainer.get(`${project}/uploads`)).body).toEqual([])
})

test('14. Markdown links to the full path', async () => {
  const { body } = await place.guest.post(`${project}/uploads`, form('dk.png', 'image'))
  const text = `see ${body.markdown} and [a](/uploads/x/dk.png)`
  const page = await place.developer.post(`${project}/wikis`, { title: 'p', content: text })
  const shown = await place.guest.get(`${project}/wikis/${page.body.slug}?render_html=true`)
  expect(shown.body.content).toContain(`<img src="${body.full_path}" alt="dk">`)
  expect(shown.body.content).toContain('href="/uploads/x/dk.png"')
})
