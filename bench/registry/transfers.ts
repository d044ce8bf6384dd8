import { randomBytes } from 'node:crypto'
import { inTurn, type Pairs, timed } from '../measure.ts'
import type { Result } from '../table.ts'
import {
  type Blob,
  blobOf,
  eachOf,
  manifestOf,
  openClient,
  pullBlob,
  pullManifest,
  pushBlob,
  pushManifest,
  type Registry,
} from './client.ts'

export type Sides = Record<'fennec' | 'floor', Registry>
export const floorName = 'distribution'

/** As docker does it. */
const uploadsAtOnce = 5
const downloadsAtOnce = 3

const mebibyte = 1024 * 1024

/** Images of the same form. `label` begins the names of results. */
type Shape = { label: string; tag: string; layers: number; layerBytes: number; rounds: number }

const shapes: readonly Shape[] = [
  { label: '200 layers of 4 KiB', tag: 'small', layers: 200, layerBytes: 4096, rounds: 9 },
  { label: '4 layers of 64 MiB', tag: 'large', layers: 4, layerBytes: 64 * mebibyte, rounds: 5 },
]

type Image = { config: Blob; layers: readonly Blob[]; manifest: Buffer }

/** An image that no registry has: the layers differ in their first bytes from all others. @param rest shared by them */
function newImage(layers: number, rest: Buffer): Image {
  const made = Array.from({ length: layers }, () => blobOf(randomBytes(16), rest))
  const config = blobOf(
    Buffer.from(JSON.stringify({ created: '2026-01-02T03:04:05Z', id: randomBytes(8).toString('hex') })),
  )
  return { config, layers: made, manifest: manifestOf(config, made) }
}

async function push(registry: Registry, tag: string, { config, layers, manifest }: Image): Promise<void> {
  const client = await openClient(registry, uploadsAtOnce)
  await eachOf([...layers, config], uploadsAtOnce, (blob) => pushBlob(client, registry.name, blob))
  await pushManifest(client, registry.name, tag, manifest)
  client.close()
}

async function pull(registry: Registry, tag: string): Promise<void> {
  const client = await openClient(registry, downloadsAtOnce)
  const { config, layers } = await pullManifest(client, registry.name, tag)
  await eachOf([config, ...layers], downloadsAtOnce, (blob) => pullBlob(client, registry.name, blob))
  client.close()
}

const compared = (name: string, pairs: Pairs): Result => {
  return { name, ...pairs, unit: 'ms', floorName, budget: '<= 1x', met: pairs.ratio <= 1 }
}

async function measureShape(sides: Sides, { label, tag, layers, layerBytes, rounds }: Shape): Promise<Result[]> {
  const rest = randomBytes(layerBytes - 16)
  // The first push and pull of a process pay for what it loads.
  for (const side of ['fennec', 'floor'] as const) {
    await push(sides[side], tag, newImage(layers, rest))
    await pull(sides[side], tag)
  }
  const pushes = await inTurn(rounds, async (side) => {
    const image = newImage(layers, rest)
    return (await timed(() => push(sides[side], tag, image))).ms
  })
  const pulls = await inTurn(rounds, async (side) => (await timed(() => pull(sides[side], tag))).ms)
  return [compared(`push ${label}`, pushes), compared(`pull ${label}`, pulls)]
}

/** Pushes and pulls of many small layers, and of few large ones. */
export async function measureTransfers(sides: Sides): Promise<Result[]> {
  const results: Result[] = []
  for (const shape of shapes) results.push(...(await measureShape(sides, shape)))
  return results
}
