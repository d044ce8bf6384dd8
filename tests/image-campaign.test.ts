import { expect, test, vi } from 'vitest'
import { collectGarbage } from '../src/modules/container-registry/index.ts'
import { startTestServer } from '../src/testing/index.ts'
import { imageClient } from './campaign/images/client.ts'
import { remainsAfterGrace } from './campaign/images/remains.ts'
import { type ImageLoad, imageProblems, workOnImages } from './campaign/images/workload.ts'
import { openLedger } from './campaign/ledger.ts'
import { numbersFrom } from './campaign/numbers.ts'

vi.setConfig({ testTimeout: 120_000 })

const steps = 30

/** Collects without a grace period again and again while images are pushed. */
async function runImages(deletes: boolean) {
  await using server = await startTestServer()
  const { platform } = server.app
  const user = await server.user('pusher')
  for (const path of ['one', 'two']) await server.make.project(path, user)
  const token = await server.make.token(user, ['api'])
  const authorization = `Basic ${Buffer.from(`pusher:${token}`).toString('base64')}`
  let left = steps
  const load: ImageLoad = {
    client: imageClient(server.url, authorization),
    ledger: openLedger(),
    random: numbersFrom(7),
    repositories: ['pusher/one', 'pusher/one/web', 'pusher/two'],
    workers: 6,
    layers: 8,
    deletes,
    isOver: () => left-- <= 0,
  }
  let isWorking = true
  const collecting = (async () => {
    while (isWorking) {
      await collectGarbage(platform, 0, new AbortController().signal)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  const counted = await workOnImages(load, 1)
  isWorking = false
  await collecting
  const problems = await imageProblems(load)
  for (const name of load.ledger.names()) {
    const [repository = '', tag] = name.split(':')
    await load.client.send('DELETE', repository, `manifests/${tag}`)
  }
  return { counted, problems, remains: await remainsAfterGrace(platform, platform.clock.now()) }
}

const nothing = { registry_manifests: 0, registry_blob_links: 0, registry_blobs: 0, contents: 0 }

test('images that are pushed beside garbage collection are never refused or broken', async () => {
  const { counted, problems, remains } = await runImages(false)
  expect(problems).toEqual([])
  expect(counted).toEqual({ pushed: steps, deleted: 0, refused: 0 })
  expect(remains).toEqual(nothing)
})

test('images that are pushed while others are deleted and collected can be pulled', async () => {
  const { counted, problems, remains } = await runImages(true)
  expect(problems).toEqual([])
  expect(counted.pushed + counted.deleted + counted.refused).toBe(steps)
  expect(remains).toEqual(nothing)
})
