import { expect, test } from 'vitest'
import { bytesAt } from '../../../testing/index.ts'
import { newOwner, people, secretOf, server, serveUploadsForTests, storedKeys, upload } from '../testing.ts'
import { writeWithUploads } from './copying.ts'

serveUploadsForTests()

test('uploads to which a text refers are copied with it', async () => {
  const [here, there] = [await newOwner('project'), await newOwner('group')]
  const owners = { from: { kind: 'project', id: here.id }, to: { kind: 'group', id: there.id } } as const
  const copied = (text: string) =>
    writeWithUploads(server.app.platform, [text], owners, async (_tx, rewritten) => rewritten(text))
  const image = await upload(people.guest, here.place, 'dk.png', 'image')
  const other = await upload(people.guest, there.place, 'dk.png')
  const missing = `/uploads/${'a'.repeat(32)}/dk.png`
  const elsewhere = `${here.web}${image.body.url} http://localhost:80${image.body.url}`
  const text = (url: string) =>
    `![dk](${url}) <img src="${url}"> [x](${other.body.url}) ${missing} ${url}. ${elsewhere}`
  const moved = await copied(text(image.body.url))
  const [entry, ...rest] = (await people.maintainer.get(`${there.place}/uploads`)).body
  expect([rest.length, entry.filename, entry.uploaded_by.username]).toEqual([1, 'dk.png', people.guest.username])
  const [, path = ''] = /!\[dk\]\((.*?)\)/.exec(moved) ?? []
  expect(path).not.toBe(image.body.url)
  expect(moved).toBe(text(path))
  expect((await bytesAt(people.guest, `${there.place}${path}`)).bytes.toString()).toBe('image')
  expect((await bytesAt(people.guest, `${here.place}${image.body.url}`)).bytes.toString()).toBe('image')
  expect(await copied('no reference')).toBe('no reference')
  for (const key of await storedKeys()) {
    if (key.endsWith(secretOf(image))) await server.app.platform.objects.delete(key as never)
  }
  expect(await copied(image.body.url)).toBe(image.body.url)
})

test('when the text is not stored, no copy remains', async () => {
  const [here, there] = [await newOwner('project'), await newOwner('project')]
  const image = await upload(people.guest, here.place, 'dk.png')
  const owners = { from: { kind: 'project', id: here.id }, to: { kind: 'project', id: there.id } } as const
  const keys = await storedKeys()
  const failing = writeWithUploads(server.app.platform, [image.body.url], owners, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(await storedKeys()).toEqual(keys)
  expect((await people.maintainer.get(`${there.place}/uploads`)).body).toEqual([])
})

test('at most 100 uploads are copied, each once', async () => {
  const [here, there] = [await newOwner('project'), await newOwner('project')]
  const { platform } = server.app
  const image = await upload(people.guest, here.place, 'dk.png')
  const unknown = Array.from({ length: 100 }, (_, index) => `/uploads/${String(index).padStart(32, '0')}/a.png`)
  const owners = { from: { kind: 'project', id: here.id }, to: { kind: 'project', id: there.id } } as const
  const copied = (texts: string[]) =>
    writeWithUploads(platform, texts, owners, async (_tx, rewritten) => rewritten(image.body.url))
  expect(await copied([...unknown, image.body.url])).toBe(image.body.url)
  expect(await copied([unknown.slice(1).join(' '), `${image.body.url} ${image.body.url}`])).not.toBe(image.body.url)
  expect((await people.maintainer.get(`${there.place}/uploads`)).body).toHaveLength(1)
})
