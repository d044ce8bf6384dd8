import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { requestFolder } from '../../../config.ts'
import { ObjectError } from '../../../infra/objects/index.ts'
import { bytesAt, type Client } from '../../../testing/index.ts'
import { jpeg } from '../metadata/image-testing.ts'
import { fileForm, newOwner, people, secretOf, server, serveUploadsForTests, storedKeys, upload } from '../testing.ts'

serveUploadsForTests()

const boundary = 'X-BOUNDARY'

/** Sends a body as it is, with any bytes in its headers. */
async function sendRaw(
  client: Client,
  place: string,
  body: string | Buffer,
  type = `multipart/form-data; boundary=${boundary}`,
) {
  const answer = await fetch(`${server.url}/api/v4${place}/uploads`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': client.token, 'Content-Type': type },
    body: new Uint8Array(Buffer.from(body)),
  })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

const part = (disposition: string | Buffer, content = 'content') =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"`),
    Buffer.from(disposition),
    Buffer.from(`\r\nContent-Type: text/html\r\n\r\n${content}\r\n`),
  ])
const ending = Buffer.from(`--${boundary}--\r\n`)

/** The names in the list of uploads, the newest first. */
const namesIn = async (place: string) =>
  (await people.maintainer.get(`${place}/uploads`)).body.map(({ filename }: { filename: string }) => filename)

const temporaryFiles = () => {
  try {
    return readdirSync(requestFolder(server.app.platform.config)).filter((name) => name.startsWith('upload-'))
  } catch {
    return []
  }
}

describe.each(['project', 'group'] as const)('a file of a %s', (kind) => {
  test('is stored by users who see the project, and described', async () => {
    const { place, web } = await newOwner(kind)
    const { status, body } = await upload(people.guest, place, 'dk.png', 'bytes')
    expect(status).toBe(201)
    expect(body.url).toMatch(/^\/uploads\/[0-9a-f]{32}\/dk\.png$/)
    expect(body).toEqual({
      id: body.id,
      alt: 'dk',
      url: body.url,
      full_path: `${web}${body.url}`,
      markdown: `![dk](${body.url})`,
    })
    expect(Object.keys(body)).toEqual(['id', 'alt', 'url', 'full_path', 'markdown'])
    const link = await upload(people.guest, place, 'notes v1.txt')
    expect(link.body).toMatchObject({ alt: 'notes_v1.txt', markdown: `[notes_v1.txt](${link.body.url})` })
    expect((await bytesAt(people.maintainer, `${place}/uploads/${body.id}`)).bytes.toString()).toBe('bytes')
    const open = await newOwner(kind, 'public')
    expect((await upload(people.outsider, open.place, 'a')).status).toBe(201)
    expect((await upload(server.anonymous, open.place, 'a')).status).toBe(401)
  })

  test('is another one each time', async () => {
    const { place } = await newOwner(kind)
    const [first, second] = [await upload(people.guest, place, 'a'), await upload(people.guest, place, 'a')]
    expect(first.body.id).not.toBe(second.body.id)
    expect(secretOf(first)).not.toBe(secretOf(second))
    expect(await namesIn(place)).toEqual(['a', 'a'])
  })

  test('is of uploads at the same time all of them', async () => {
    const { place } = await newOwner(kind)
    const names = Array.from({ length: 12 }, (_, index) => `${index}`)
    const answers = await Promise.all(names.map((name) => upload(people.guest, place, name, name.repeat(1000))))
    expect(new Set(answers.map(secretOf)).size).toBe(12)
    for (const [index, { body }] of answers.entries()) {
      const { bytes } = await bytesAt(people.maintainer, `${place}/uploads/${body.id}`)
      expect(bytes.toString()).toBe(String(index).repeat(1000))
    }
  })
})

describe('the name of a file', () => {
  test.each([
    ['; filename="../../etc/passwd"', 'passwd'],
    ['; filename="a b#?.png"', 'a_b__.png'],
    ['; filename=".."', '_..'],
    [`; filename="${'n'.repeat(300)}"`, 'n'.repeat(255)],
    ['; filename="résumé.pdf"', 'résumé.pdf'],
    ['; filename="C:\\\\x\\\\y.png"', 'y.png'],
    [`; filename="x.txt"; filename*=UTF-8''na%C3%AFve%20file.txt`, 'naïve_file.txt'],
    [`; filename*=UTF-8''..%2F..%2Fx.txt`, 'x.txt'],
    [Buffer.from('; filename="a\u00ffb.txt"', 'latin1'), 'ab.txt'],
    ['; filename="日本語.txt"', '日本語.txt'],
    ['; filename="<script>.html"', '_script_.html'],
    ['; filename="CON"', 'CON'],
  ])('%j is stored safely (%#)', async (disposition, name) => {
    const { place, web } = await newOwner('project')
    const { status, body } = await sendRaw(people.guest, place, Buffer.concat([part(disposition), ending]))
    expect([status, body.url?.split('/').slice(3)]).toEqual([201, [name]])
    expect(await namesIn(place)).toEqual([name])
    const at = `${body.url.slice(0, -name.length)}${encodeURIComponent(name)}`
    for (const address of [`${place}${at}`, `${web}${at}`]) {
      const { status: found, bytes } = await bytesAt(people.guest, address)
      expect([found, bytes.toString()]).toEqual([200, 'content'])
    }
  })
})

test('a file without a name is called unnamed', async () => {
  const { place } = await newOwner('project')
  const { status, body } = await upload(people.guest, place, '')
  expect([status, body.alt]).toEqual([201, 'unnamed'])
})

describe('a body', () => {
  const missing = { error: 'file is missing', message: '400 (Bad request) "file" not given' }
  const invalid = { error: 'file is invalid', message: { file: ['is invalid'] } }
  const broken = { message: '400 Bad request - invalid multipart body' }

  test('without a file is refused', async () => {
    const { place } = await newOwner('project')
    const field = new FormData()
    field.append('file', 'text')
    for (const [given, body] of [
      [undefined, missing],
      [{}, missing],
      [new FormData(), missing],
      [fileForm('', ''), missing],
      [fileForm('x', 'x', 'other'), missing],
      [new URLSearchParams({ a: 'b' }), missing],
      [field, invalid],
      [{ file: 'text' }, invalid],
      [{ file: { uploaded: true, path: '/etc/passwd', filename: 'x', sizeBytes: 1 } }, invalid],
    ] as const) {
      const answer = await people.guest.post(`${place}/uploads`, given)
      expect([answer.status, answer.body]).toEqual([400, body])
    }
    expect(await namesIn(place)).toEqual([])
  })

  test('that is broken or cut off is refused', async () => {
    const { place } = await newOwner('project')
    const before = await storedKeys()
    for (const [body, type] of [
      [part('; filename="a"')],
      [part('; filename="a"').subarray(0, -20)],
      ['garbage'],
      [Buffer.concat([part('; filename="a"'), ending]), 'multipart/form-data'],
      [Buffer.concat([part('; filename="a"'), ending]), 'multipart/form-data; boundary=other'],
      ['{', 'application/json'],
    ] as const) {
      expect(await sendRaw(people.guest, place, body, type)).toEqual({ status: 400, body: broken })
    }
    expect([await namesIn(place), await storedKeys()]).toEqual([[], before])
  })

  test('of several files has the last one stored, and other parts ignored', async () => {
    const { place } = await newOwner('project')
    const form = fileForm('first', 'x'.repeat(200_000))
    form.append('file', new Blob(['second']), 'second')
    form.append('other', new Blob(['other']), 'other')
    form.append('id', '0')
    const { status, body } = await people.guest.post(`${place}/uploads`, form)
    expect([status, body.alt]).toEqual([201, 'second'])
    expect((await bytesAt(people.maintainer, `${place}/uploads/${body.id}`)).bytes.toString()).toBe('second')
  })

  test('of a file may have no bytes, exactly the limit, and not one byte more', async () => {
    const { place } = await newOwner('project')
    const before = await storedKeys()
    await server.root.put('/application/settings', { max_attachment_size: 1 })
    try {
      expect((await upload(people.guest, place, 'empty', '')).status).toBe(201)
      expect((await upload(people.guest, place, 'limit', new Uint8Array(1_048_576))).status).toBe(201)
      const refused = await upload(people.guest, place, 'more', new Uint8Array(1_048_577))
      expect([refused.status, refused.body]).toEqual([413, { message: '413 Request Entity Too Large' }])
      const large = await upload(people.guest, place, 'much', new Uint8Array(30 * 1_048_576)).catch(() => null)
      expect(large === null || large.status === 413).toBe(true)
    } finally {
      await server.root.put('/application/settings', { max_attachment_size: 100 })
    }
    expect(await namesIn(place)).toEqual(['limit', 'empty'])
    expect((await storedKeys()).length).toBe(before.length + 2)
    await expect.poll(temporaryFiles).toEqual([])
    const { body } = await people.maintainer.get(`${place}/uploads`)
    expect(body.map(({ size }: { size: number }) => size)).toEqual([1_048_576, 0])
    expect((await bytesAt(people.maintainer, `${place}/uploads/${body[1].id}`)).bytes.length).toBe(0)
  })

  test('may be larger than files elsewhere, where the setting allows it', async () => {
    const { place } = await newOwner('project')
    await server.root.put('/application/settings', { max_attachment_size: 102 })
    try {
      expect((await upload(people.guest, place, 'large', new Uint8Array(101 * 1_048_576))).status).toBe(201)
    } finally {
      await server.root.put('/application/settings', { max_attachment_size: 100 })
    }
  })

  test('that breaks off leaves nothing', async () => {
    const { place } = await newOwner('project')
    const before = await storedKeys()
    const port = Number(new URL(server.url).port)
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST /api/v4${place}/uploads HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: ${people.guest.token}\r\n` +
        `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: 9000000\r\n\r\n`,
    )
    socket.write(part('; filename="a.bin"', 'x'.repeat(2_000_000)))
    await expect.poll(temporaryFiles).toHaveLength(1)
    socket.destroy()
    await expect.poll(temporaryFiles).toEqual([])
    expect([await namesIn(place), await storedKeys()]).toEqual([[], before])
  })
})

describe('an image', () => {
  test('is stored without its metadata, by its content and not by its name', async () => {
    const { place } = await newOwner('project')
    const { given, left } = jpeg()
    for (const name of ['photo.jpg', 'photo.txt']) {
      const { body } = await upload(people.guest, place, name, new Uint8Array(given))
      const { bytes } = await bytesAt(people.maintainer, `${place}/uploads/${body.id}`)
      expect(bytes.equals(left)).toBe(true)
    }
    const { body } = await people.maintainer.get(`${place}/uploads`)
    expect(body.map(({ size }: { size: number }) => size)).toEqual([left.length, left.length])
    const text = await upload(people.guest, place, 'text.jpg', 'no image')
    expect((await bytesAt(people.maintainer, `${place}/uploads/${text.body.id}`)).bytes.toString()).toBe('no image')
  })

  test('that is damaged is refused, and leaves nothing', async () => {
    const { place } = await newOwner('project')
    const before = await storedKeys()
    for (const content of [jpeg().given.subarray(0, 100), Buffer.from('II*\0 is the beginning of this text')]) {
      const { status, body } = await upload(people.guest, place, 'a.jpg', new Uint8Array(content))
      expect([status, body]).toEqual([422, { message: '422 Unprocessable Entity - Failed to process image' }])
    }
    expect([await namesIn(place), await storedKeys()]).toEqual([[], before])
  })
})

describe('a failure', () => {
  test.each([
    ['storage_full', 507, '507 Insufficient Storage'],
    ['unavailable', 503, '503 Service Unavailable'],
  ] as const)('of the object store, %s, is answered with %d', async (code, answered, message) => {
    const { place } = await newOwner('group')
    const { objects } = server.app.platform
    const original = objects.put
    objects.put = async () => Promise.reject(new ObjectError(code, 'no'))
    const { status, body } = await upload(people.guest, place, 'a').finally(() => {
      objects.put = original
    })
    expect([status, body]).toEqual([answered, { message }])
    expect(await namesIn(place)).toEqual([])
  })

  test('of the record removes the bytes', async () => {
    const before = await storedKeys()
    const { objects, database } = server.app.platform
    const original = objects.put
    for (const kind of ['project', 'group'] as const) {
      const table = kind === 'project' ? ('projects' as const) : ('namespaces' as const)
      for (const [change, status] of [
        [{ pending_delete: true }, 404],
        [{ marked_for_deletion_on: '2026-01-01' }, 403],
      ] as const) {
        const { id, place } = await newOwner(kind)
        // The owner changes while the file is stored.
        objects.put = async (...given) => {
          const stored = await original.apply(objects, given)
          await database.write((tx) => tx.updateTable(table).set(change).where('id', '=', id).execute())
          return stored
        }
        const answer = await upload(people.guest, place, 'a').finally(() => {
          objects.put = original
        })
        expect([kind, answer.status]).toEqual([kind, status])
      }
    }
    expect(await storedKeys()).toEqual(before)
  })

  test('an archived project takes no files', async () => {
    const { id, place } = await newOwner('project')
    const { database } = server.app.platform
    await database.write((tx) => tx.updateTable('projects').set({ archived: true }).where('id', '=', id).execute())
    const { status, body } = await upload(people.owner, place, 'a')
    expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
  })
})
