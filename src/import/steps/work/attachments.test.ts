import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../testing/index.ts'
import { contextFor, startFake } from '../../testing.ts'
import { placeOf } from '../context.ts'
import { withAttachments } from './attachments.ts'

const secret = '0123456789abcdef'.repeat(2)

test('links lead to the files here, whatever their names, and a file that cannot be read keeps its link', async () => {
  await using folder = await temporaryDirectory()
  await using source = await startFake(({ url }) => (url?.endsWith('/gone') ? { status: 404 } : { body: 'a file' }))
  let stored = 0
  await using target = await startFake(async (request) => {
    request.resume()
    stored += 1
    return { status: 201, body: { url: `/uploads/new${stored}/$&$$` } }
  })
  const context = contextFor({ source: source.url, target: target.url }, folder.path)
  const [one, longer, gone] = ['a', 'a$&.png', 'gone'].map((name) => `/uploads/${secret}/${name}`)
  const text = `[](${one}) [](${longer}) [](${gone}) [](${one})`
  const brought = await withAttachments(context, placeOf('projects', 'g/p', 1, 2), text)
  expect(brought).toBe(`[](/uploads/new1/$&$$) [](/uploads/new2/$&$$) [](${gone}) [](/uploads/new1/$&$$)`)
  expect(context.state.problems()).toMatchObject([{ place: 'g/p', what: 'attached file gone' }])
})
