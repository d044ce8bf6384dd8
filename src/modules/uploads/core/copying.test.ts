import { expect, test } from 'vitest'
import { bytesAt } from '../../../testing/index.ts'
import { newOwner, people, secretOf, server, serveUploadsForTests, storedKeys, upload } from '../testing.ts'
import { copyReferencedUploads } from './copying.ts'

serveUploadsForTests()

test('uploads to which a text refers are copied with it', async () => {
  const [here, there] = [await newOwner('project'), await newOwner('group')]
  const owners = { from: { kind: 'project', id: here.id }, to: { kind: 'group', id: there.id } } as const
  const copied = (text: string) => copyReferencedUploads(server.app.platform, text, owners)
  const image = await upload(people.guest, here.place, 'dk.png', 'image')
  const other = await upload(people.guest, there.place, 'dk.png')
  const missing = `/uploads/${'a'.repeat(32)}/dk.png`
  const text = (url: string) => `![dk](${url}) <img src="${url}"> [x](${other.body.url}) ${missing} ${url}.txt`
  const moved = await copied(text(image.body.url))
  const [entry, ...rest] = (await people.maintainer.get(`${there.place}/uploads`)).body
  expect([rest.length, entry.filename, entry.uploaded_by.username]).toEqual([1, 'dk.png', people.guest.username])
  const [, path = ''] = /!\[dk\]\((.*?)\)/.exec(moved) ?? []
  expect(path).not.toBe(image.body.url)
  expect(moved).toBe(`![dk](${path}) <img src="${path}"> [x](${other.body.url}) ${missing} ${image.body.url}.txt`)
  expect((await bytesAt(people.guest, `${there.place}${path}`)).bytes.toString()).toBe('image')
  expect((await bytesAt(people.guest, `${here.place}${image.body.url}`)).bytes.toString()).toBe('image')
  expect(await copied('no reference')).toBe('no reference')
  for (const key of await storedKeys()) {
    if (key.endsWith(secretOf(image))) await server.app.platform.objects.delete(key as never)
  }
  expect(await copied(image.body.url)).toBe(image.body.url)
})
