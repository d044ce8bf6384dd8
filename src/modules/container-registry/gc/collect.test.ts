import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { queriesOf } from '../../../testing/index.ts'
import { blobOf, codeOf } from '../http/testing.ts'
import {
  descriptorOf,
  type Images,
  imageOf,
  indexOf,
  ociIndex,
  ociManifest,
  startImages,
} from '../manifests/testing.ts'
import { collectGarbage, dueForCollection, sweepContents } from './collect.ts'
import { collectGarbageJob } from './jobs.ts'
import { storedDigests } from './testing.ts'

const dayMs = 86_400_000
const minuteMs = 60_000

let clock: ManualClock
let images: Images
beforeAll(async () => {
  clock = manualClock({ start: '2026-01-02T03:04:05Z' })
  // The job, which runs as the clock is advanced, has nothing to do.
  images = await startImages({ clock, settings: { FENNEC_REGISTRY_GC_GRACE: '99999h' } })
})
afterAll(() => images.server.stop())

const platform = () => images.server.app.platform
const collect = (graceMs = dayMs, looked?: (count: number) => void) =>
  collectGarbage(platform(), graceMs, new AbortController().signal, looked)

/** Collects until nothing is left to be removed, a day between. */
async function collectAll(): Promise<void> {
  for (let day = 0; day < 4; day += 1) {
    clock.advance(dayMs + minuteMs)
    await collect()
  }
}

const statusOf = async (name: string, reference: string) => (await images.get(name, reference)).status
const blobStatus = async (name: string, digest: string, actions = 'pull') =>
  (await images.registry.send('HEAD', `${name}/blobs/${digest}`, { scope: `${name}:${actions}` })).status

describe('what has no reference', () => {
  test('is removed after the grace period of each step, with the content', async () => {
    const name = await images.project('steps')
    const text = await images.image(name, 'v1', ['steps one', 'steps two'])
    const { digest } = blobOf(text)
    const layer = blobOf('steps one').digest
    clock.advance(10 * dayMs)
    expect(await collect()).toEqual({ manifests: 0, links: 0, blobs: 0, sizeBytes: 0 })
    await images.remove(name, 'v1')
    clock.advance(dayMs - minuteMs)
    expect(await collect()).toMatchObject({ manifests: 0, links: 0, blobs: 0 })
    expect(await statusOf(name, digest)).toBe(200)
    clock.advance(2 * minuteMs)
    expect(await dueForCollection(platform(), dayMs)).toMatchObject({ manifests: 1, links: 0 })
    const portions: number[] = []
    const looked = (count: number) => void portions.push(count)
    expect(await collect(dayMs, looked)).toMatchObject({ manifests: 1, links: 3, blobs: 0 })
    expect(portions).toEqual([1, 3])
    expect([await statusOf(name, digest), await blobStatus(name, layer)]).toEqual([404, 404])
    expect(await storedDigests(platform())).toContain(layer)
    clock.advance(dayMs + minuteMs)
    expect(await collect()).toMatchObject({ manifests: 0, links: 0, blobs: 3 })
    expect(await storedDigests(platform())).not.toContain(layer)
  })

  test('is what an index listed, after the index, and what refers to a subject, after the subject', async () => {
    const name = await images.project('tree')
    const child = await images.image(name, undefined, ['tree child'])
    const inner = indexOf([child])
    await images.put(name, inner, { type: ociIndex })
    await images.put(name, indexOf([inner]), { reference: 'all', type: ociIndex })
    const subject = descriptorOf(blobOf(child), ociManifest)
    const signature = await images.image(name, undefined, ['tree signature'], {}, { subject })
    const orphan = await images.image(name, undefined, [], {}, { subject: descriptorOf(blobOf('x'), ociManifest) })
    clock.advance(2 * dayMs)
    expect(await collect()).toMatchObject({ manifests: 1 })
    expect(await statusOf(name, blobOf(orphan).digest)).toBe(404)
    for (const text of [child, inner, signature]) expect(await statusOf(name, blobOf(text).digest)).toBe(200)
    await images.remove(name, 'all')
    clock.advance(dayMs + minuteMs)
    expect(await collect()).toMatchObject({ manifests: 4 })
    for (const text of [child, inner, signature]) expect(await statusOf(name, blobOf(text).digest)).toBe(404)
    await collectAll()
    expect(await storedDigests(platform())).toEqual([])
  })

  test('is retained for a grace period after a manifest was deleted that listed it, or was its subject', async () => {
    const name = await images.project('deleted')
    const child = await images.image(name, undefined, ['deleted child'])
    const index = indexOf([child])
    await images.put(name, index, { reference: 'all', type: ociIndex })
    const subject = descriptorOf(blobOf(index), ociIndex)
    const signature = await images.image(name, undefined, [], {}, { subject })
    clock.advance(3 * dayMs)
    await collect()
    await images.remove(name, blobOf(index).digest)
    clock.advance(dayMs / 2)
    await collect()
    for (const text of [child, signature]) expect(await statusOf(name, blobOf(text).digest)).toBe(200)
    expect((await images.put(name, index, { reference: 'all', type: ociIndex })).status).toBe(201)
    await collectAll()
    for (const text of [child, signature]) expect(await statusOf(name, blobOf(text).digest)).toBe(200)
    await images.remove(name, blobOf(index).digest)
    await collectAll()
    for (const text of [child, signature]) expect(await statusOf(name, blobOf(text).digest)).toBe(404)
  })

  test('is a manifest whose tag was moved, from then on', async () => {
    const name = await images.project('moved')
    const old = await images.image(name, 'latest', ['moved old'])
    clock.advance(5 * dayMs)
    const young = await images.image(name, 'latest', ['moved young'])
    clock.advance(dayMs / 2)
    await collect()
    expect(await statusOf(name, blobOf(old).digest)).toBe(200)
    await images.put(name, old, { reference: 'old' })
    await images.remove(name, 'old')
    clock.advance(dayMs / 2 + minuteMs)
    await collect()
    expect(await statusOf(name, blobOf(old).digest)).toBe(200)
    clock.advance(dayMs / 2)
    await collect()
    expect(await statusOf(name, blobOf(old).digest)).toBe(404)
    expect(await statusOf(name, blobOf(young).digest)).toBe(200)
  })

  test('is a blob that was deleted from its repository, from then on', async () => {
    const name = await images.project('unlinked')
    const text = await images.image(name, 'v1', ['unlinked'])
    const { digest } = blobOf('unlinked')
    clock.advance(5 * dayMs)
    await collect()
    await images.remove(name, blobOf(text).digest)
    expect((await images.registry.send('DELETE', `${name}/blobs/${digest}`, { scope: `${name}:delete` })).status).toBe(
      202,
    )
    clock.advance(dayMs - minuteMs)
    await collect()
    expect(await storedDigests(platform())).toContain(digest)
    clock.advance(2 * minuteMs)
    await collect()
    expect(await storedDigests(platform())).not.toContain(digest)
  })

  test('in one repository remains in another', async () => {
    const [first, second] = [await images.project('first'), await images.project('second')]
    await images.image(first, 'v1', ['common', 'only first'])
    await images.image(second, 'v1', ['common'])
    await images.remove(first, 'v1')
    await collectAll()
    expect(await blobStatus(first, blobOf('common').digest)).toBe(404)
    const path = `${second}/blobs/${blobOf('common').digest}`
    const { bytes } = await images.registry.send('GET', path, { scope: `${second}:pull` })
    expect(bytes.toString()).toBe('common')
    expect(await storedDigests(platform())).not.toContain(blobOf('only first').digest)
  })
})

describe('the grace period begins again', () => {
  test.each([
    ['an upload', async (name: string) => void (await images.blob(name, `renewed ${name}`))],
    [
      'HEAD with a token that pushes',
      async (name: string) => void (await blobStatus(name, blobOf(`renewed ${name}`).digest, 'pull,push')),
    ],
    [
      'a mount',
      async (name: string) => {
        const other = await images.project(`source-${name.split('/')[1]}`)
        await images.image(other, 'v1', [`renewed ${name}`])
        const path = `${name}/blobs/uploads/?mount=${blobOf(`renewed ${name}`).digest}&from=${other}`
        const scope = [`${name}:pull,push`, `${other}:pull`] as const
        expect((await images.registry.send('POST', path, { scope })).status).toBe(201)
      },
    ],
  ])('by %s', async (kind, renew) => {
    const name = await images.project(`renewed-${kind.length}`)
    const { digest } = await images.blob(name, `renewed ${name}`)
    clock.advance(dayMs - minuteMs)
    await renew(name)
    clock.advance(dayMs - minuteMs)
    await collect()
    expect(await blobStatus(name, digest)).toBe(200)
    expect(await blobStatus(name, digest)).toBe(200)
    clock.advance(2 * minuteMs)
    await collect()
    expect(await blobStatus(name, digest)).toBe(404)
  })

  test('of a manifest by HEAD with a token that pushes', async () => {
    const name = await images.project('asked')
    const { digest } = blobOf(await images.image(name, undefined, ['asked']))
    const ask = (actions: string, headers: Record<string, string> = {}) =>
      images.registry.send('HEAD', `${name}/manifests/${digest}`, { scope: `${name}:${actions}`, headers })
    clock.advance(dayMs - minuteMs)
    expect((await ask('pull,push')).status).toBe(200)
    clock.advance(dayMs - minuteMs)
    await collect()
    expect((await ask('pull,push', { 'If-None-Match': digest })).status).toBe(304)
    clock.advance(dayMs - minuteMs)
    await collect()
    expect((await ask('pull')).status).toBe(200)
    clock.advance(2 * minuteMs)
    await collect()
    expect((await ask('pull')).status).toBe(404)
  })

  test('by a push of the manifest', async () => {
    const name = await images.project('again')
    const text = await images.image(name, undefined, ['again'])
    clock.advance(dayMs - minuteMs)
    await images.put(name, text)
    clock.advance(dayMs - minuteMs)
    await collect()
    expect(await statusOf(name, blobOf(text).digest)).toBe(200)
    clock.advance(2 * minuteMs)
    await collect()
    expect(await statusOf(name, blobOf(text).digest)).toBe(404)
  })
})

describe('without a grace period', () => {
  test('what is being pushed is retained for ten minutes, what was deleted is not', async () => {
    await collectAll()
    const name = await images.project('graceless')
    const layer = await images.blob(name, 'graceless')
    const child = await images.image(name, undefined, ['graceless child'], { of: 'graceless' })
    await collect(0)
    clock.advance(9 * minuteMs)
    await collect(0)
    const text = imageOf(layer, [layer])
    expect((await images.put(name, text, { reference: 'v1' })).status).toBe(201)
    const index = indexOf([child])
    expect((await images.put(name, index, { reference: 'all', type: ociIndex })).status).toBe(201)
    await images.remove(name, blobOf(text).digest)
    await images.remove(name, blobOf(index).digest)
    expect(await collect(0)).toMatchObject({ manifests: 1, links: 3, blobs: 3 })
    expect(await statusOf(name, blobOf(child).digest)).toBe(404)
    const left = await images.blob(name, 'left')
    clock.advance(10 * minuteMs)
    await collect(0)
    expect(await blobStatus(name, left.digest)).toBe(404)
    expect(await storedDigests(platform())).not.toContain(left.digest)
  })

  test('what lost its tag to another manifest is retained for ten minutes', async () => {
    const name = await images.project('replaced')
    const old = await images.image(name, 'latest', ['replaced old'])
    clock.advance(dayMs)
    await images.image(name, 'latest', ['replaced young'])
    await images.blob(name, 'replaced old')
    clock.advance(9 * minuteMs)
    await collect(0)
    expect(await statusOf(name, blobOf(old).digest)).toBe(200)
    clock.advance(minuteMs)
    expect(await collect(0)).toMatchObject({ manifests: 1, links: 1 })
    expect(await blobStatus(name, blobOf('replaced old').digest)).toBe(404)
  })

  test('a manifest of a layer that was collected is refused', async () => {
    const name = await images.project('late')
    const config = await images.blob(name, '{"late":1}')
    clock.advance(11 * minuteMs)
    await collect(0)
    expect(codeOf(await images.put(name, imageOf(config, [])))).toEqual([400, 'MANIFEST_BLOB_UNKNOWN'])
  })
})

test('what was found referenced is not looked at again until it loses a reference', async () => {
  const name = await images.project('looked-at')
  for (let number = 0; number < 5; number += 1) await images.image(name, `v${number}`, [`looked at ${number}`])
  clock.advance(2 * dayMs)
  await collect()
  expect(await queriesOf(images.server, () => collect())).toBe(3)
  await images.remove(name, 'v3')
  clock.advance(dayMs + minuteMs)
  expect(await collect()).toMatchObject({ manifests: 1, links: 1 })
})

test('contents without a row are removed, those of blobs and of other domains are not', async () => {
  const { objects } = platform()
  const name = await images.project('swept')
  const kept = await images.blob(name, 'kept')
  const left = blobOf('left by a process')
  const { blobKey, parseDigest } = await import('../blobs/digest.ts')
  const { storageKey } = await import('../../../infra/objects/index.ts')
  const digest = parseDigest(left.digest)
  if (!digest) throw new Error('no digest')
  await objects.put(blobKey(digest), [left.content] as never)
  const others = [storageKey('blobs', 'other', 'thing'), storageKey('lfs', 'thing')]
  for (const key of others) await objects.put(key, [left.content] as never)
  let looked = 0
  const count = (more: number) => {
    looked += more
  }
  const before = (await storedDigests(platform())).length
  expect(await sweepContents(platform(), new AbortController().signal, count)).toBe(1)
  expect(looked).toBe(before)
  const stored = await storedDigests(platform())
  expect([stored.includes(kept.digest), stored.includes(left.digest)]).toEqual([true, false])
  for (const key of others) expect(await objects.head(key)).not.toBeNull()
})

test('nothing is collected while the worker is switched off', async () => {
  const name = await images.project('paused')
  await images.image(name, 'v1', ['paused'])
  const { config, database } = platform()
  const left = async () => {
    const signal = new AbortController().signal
    await collectGarbageJob.run(platform(), null, { jobId: 1, attempt: 1, signal })
    const rows = await database.read.selectFrom('registry_manifests').select('id').execute()
    return rows.length
  }
  const { registryGcGraceMs } = config
  config.registryGcGraceMs = dayMs
  const before = await left()
  await images.remove(name, 'v1')
  await images.server.root.post('/features/container_registry_gc_worker', { value: false })
  clock.advance(2 * dayMs)
  expect(await left()).toBe(before)
  await images.server.root.delete('/features/container_registry_gc_worker')
  expect(await left()).toBe(before - 1)
  config.registryGcGraceMs = registryGcGraceMs
})
