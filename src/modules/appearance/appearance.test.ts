/** How the instance looks (contract 25, Appearance, and step 16 of the acceptance walk). */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { sendMail } from '../../platform/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { startMailServer } from '../../testing/mail.ts'
import { mailLines } from './appearance.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())
afterEach(() => server.app.platform.database.write((tx) => tx.deleteFrom('appearances').execute()))

const path = '/application/appearance'
const initial = {
  ...{ title: '', description: '', pwa_name: '', pwa_short_name: '', pwa_description: '' },
  ...{ pwa_icon: null, logo: null, header_logo: null, favicon: null },
  ...{ member_guidelines: '', new_project_guidelines: '', profile_image_guidelines: '' },
  ...{ header_message: '', footer_message: '', message_background_color: '#E75E40', message_font_color: '#FFFFFF' },
  email_header_and_footer_enabled: false,
}
const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(64)])
const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(64)])
const ico = Buffer.concat([Buffer.from([0, 0, 1, 0]), Buffer.alloc(64)])

function form(name: string, content: Buffer | string, filename = 'my logo.png'): FormData {
  const data = new FormData()
  if (typeof content === 'string') data.append(name, content)
  else data.append(name, new Blob([new Uint8Array(content)]), filename)
  return data
}

async function fetched(place: string) {
  const response = await fetch(server.url + place)
  return { status: response.status, headers: response.headers, content: Buffer.from(await response.arrayBuffer()) }
}

test('it is read and changed by administrators', async () => {
  const user = await server.user('reader')
  const first = await server.root.get(path)
  expect([first.status, first.body]).toEqual([200, initial])
  expect(Object.keys(first.body)).toEqual(Object.keys(initial))
  expect((await user.get(path)).status).toBe(403)
  expect((await user.put(path, { title: 'x' })).status).toBe(403)
  expect((await server.anonymous.get(path)).status).toBe(401)
  const given = {
    title: 'x',
    header_message: '<b>ü</b> 💥',
    message_font_color: '#abc',
    email_header_and_footer_enabled: true,
  }
  expect((await server.root.put(path, given)).body).toEqual({ ...initial, ...given })
  expect((await server.root.put(path, { title: '' })).body).toEqual({ ...initial, ...given, title: '' })
  expect((await server.root.get(path)).body).toEqual({ ...initial, ...given, title: '' })
})

test.each(['pwa_icon', 'logo', 'header_logo', 'favicon'])(
  '%s is uploaded, served without sign-in, replaced and removed',
  async (name) => {
    const { body } = await server.root.put(path, form(name, png))
    expect(body).toEqual({ ...initial, [name]: `/uploads/-/system/appearance/${name}/1/my_logo.png` })
    const shown = await fetched(body[name])
    expect([shown.status, shown.content.equals(png), shown.headers.get('content-type')]).toEqual([
      200,
      true,
      'image/png',
    ])
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff')
    expect(shown.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect((await server.root.put(path, { title: 'kept' })).body[name]).toBe(body[name])
    const second = await server.root.put(path, form(name, ico, 'b.ico'))
    expect(second.body[name]).toBe(`/uploads/-/system/appearance/${name}/1/b.ico`)
    expect((await fetched(body[name])).status).toBe(404)
    expect((await fetched(second.body[name])).content.equals(ico)).toBe(true)
    expect((await server.root.put(path, form(name, ''))).body[name]).toBeNull()
    expect((await fetched(second.body[name])).status).toBe(404)
    const { objects } = server.app.platform
    const left = (await Array.fromAsync(objects.list('avatars/appearance/' as never))).map(({ key }) => key)
    expect(left).toEqual([])
  },
)

test('wrong values are refused, and nothing of the request is stored', async () => {
  const color = ['must be a valid color code']
  for (const wrong of ['red1', '', '#12345', '#1234567', '#ggg', ' #abc', '#abc\n', 'url(x)']) {
    const answer = await server.root.put(path, {
      title: 'x',
      message_font_color: wrong,
      message_background_color: '#fff',
    })
    expect(answer, wrong).toMatchObject({ status: 400, body: { message: { message_font_color: color } } })
  }
  expect((await server.root.put(path, { title: 'x'.repeat(256) })).body.message).toEqual({
    title: ['is too long (maximum is 255 characters)'],
  })
  const formats = 'file format is not supported. Please try one of the following supported formats: '
  const refused = async (name: string, content: Buffer) => {
    const answer = await server.root.put(path, form(name, content))
    return [answer.status, answer.body.message[name]?.[0]]
  }
  expect(await refused('favicon', gif)).toEqual([400, `${formats}png, ico`])
  expect((await refused('logo', Buffer.from('<svg/>')))[1]).toContain(`${formats}image/png, image/jpeg`)
  expect(await refused('logo', Buffer.concat([png, Buffer.alloc(1024 * 1024)]))).toEqual([
    400,
    'is too big (should be at most 1 MiB)',
  ])
  for (const given of [{ title: { a: 1 } }, { logo: { a: 1 } }, { email_header_and_footer_enabled: 'perhaps' }]) {
    expect((await server.root.put(path, given)).status).toBe(400)
  }
  expect((await server.root.get(path)).body).toEqual(initial)
})

test.each([
  '/uploads/-/system/appearance/logo/1/none.png',
  '/uploads/-/system/appearance/logo/2/my_logo.png',
  '/uploads/-/system/appearance/title/1/my_logo.png',
  '/uploads/-/system/appearance/constructor/1/my_logo.png',
  '/uploads/-/system/appearance/logo/1/..%2F..%2Fmy_logo.png',
  '/uploads/-/system/appearance/avatar/1/my_logo.png',
])('%s is not there', async (place) => {
  await server.root.put(path, form('logo', png))
  expect((await fetched(place)).status).toBe(404)
})

test('mails have the two lines only where administrators want it', async () => {
  const { platform } = server.app
  await server.root.put(path, { header_message: 'above', footer_message: 'below' })
  expect(await mailLines(platform)).toEqual({ header: '', footer: '' })
  await server.root.put(path, { email_header_and_footer_enabled: true })
  expect(await mailLines(platform)).toEqual({ header: 'above', footer: 'below' })
})

test('a mail is delivered between the two lines', async () => {
  await using mails = await startMailServer()
  await using own = await startTestServer({ settings: { FENNEC_SMTP_URL: mails.url } })
  const lines = { header_message: 'above', footer_message: 'below', email_header_and_footer_enabled: true }
  await own.root.put(path, lines)
  const { platform } = own.app
  const mail = { to: 'ada@example.test', subject: 'Hello', text: 'between' }
  await platform.database.write((tx) => sendMail(platform, tx, mail))
  await platform.jobs.drain()
  expect(mails.received).toMatchObject([{ text: 'above\n\nbetween\n\nbelow' }])
})
