import { afterAll, beforeAll, expect, test } from 'vitest'
import { blobOf } from '../http/testing.ts'
import { manifestProblems } from './check.ts'
import { type Images, imageOf, indexOf, ociIndex, startImages } from './testing.ts'

let images: Images
beforeAll(async () => {
  images = await startImages()
})
afterAll(() => images.server.stop())

test('the check finds manifests with other content, and those that need what is not there', async () => {
  const { platform } = images.server.app
  const { database } = platform
  const name = await images.project('checked')
  const good = await images.image(name, 'good', ['layer'])
  await images.put(name, indexOf([good]), { reference: 'index', type: ociIndex })
  const sha512 = imageOf(await images.blob(name), [])
  await images.put(name, sha512, { reference: blobOf(sha512, 'sha512').digest })
  const problems = () => Array.fromAsync(manifestProblems(platform))
  expect(await problems()).toEqual([])

  const bad = await images.image(name, 'bad', ['other layer'])
  const { digest } = blobOf(bad)
  const { id, repository_id: repositoryId } = await database.read
    .selectFrom('registry_manifests')
    .select(['id', 'repository_id'])
    .where('digest', '=', digest)
    .executeTakeFirstOrThrow()
  const payloads = (payload: string) =>
    database.write((tx) =>
      tx.updateTable('registry_manifest_payloads').set({ payload }).where('manifest_id', '=', id).execute(),
    )
  await payloads(bad.replace('2', '3'))
  const subject = `manifest ${digest} of container repository ${repositoryId}`
  expect(await problems()).toEqual([`${subject} has other content than its digest says`])
  await payloads(bad)
  await database.write(async (tx) => {
    await tx.deleteFrom('registry_manifest_blobs').where('manifest_id', '=', id).execute()
    const blob = tx.selectFrom('registry_blobs').select('id').where('digest', '=', blobOf('other layer').digest)
    await tx.deleteFrom('registry_blob_links').where('blob_id', 'in', blob).execute()
  })
  expect(await problems()).toEqual([`${subject} needs ${blobOf('other layer').digest}`])
})
