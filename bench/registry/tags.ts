import type { Caller } from '../caller.ts'
import { inTurn, type Pairs, timed } from '../measure.ts'
import type { Result } from '../table.ts'
import {
  blobOf,
  type Client,
  eachOf,
  manifestOf,
  openClient,
  pullManifest,
  pushBlob,
  pushManifest,
  type Registry,
} from './client.ts'
import { floorName, type Sides } from './transfers.ts'

const tagCount = 10_000
const pushedAtOnce = 8
const rounds = 9
/** Tags whose details are fetched in one round; the time of all is extrapolated. */
const sampleCount = 100

const tagOf = (index: number) => `v${String(index).padStart(5, '0')}`
const sample = Array.from({ length: sampleCount }, (_, index) => tagOf(Math.floor((index * tagCount) / sampleCount)))

/** Pushes an image for each tag, each with a config of its own, and one layer that they share. */
async function pushTags(registry: Registry): Promise<void> {
  const { name } = registry
  const layer = blobOf(Buffer.alloc(4096, 'layer of all images'))
  const first = await openClient(registry)
  await pushBlob(first, name, layer)
  first.close()
  const indexes = Array.from({ length: tagCount }, (_, index) => index)
  // A token is valid for five minutes.
  for (let start = 0; start < tagCount; start += 1000) {
    const client = await openClient(registry, pushedAtOnce)
    await eachOf(indexes.slice(start, start + 1000), pushedAtOnce, async (index) => {
      const created = new Date(Date.UTC(2025, 0, 1) + index * 60_000).toISOString()
      const config = blobOf(Buffer.from(JSON.stringify({ created, architecture: 'amd64', os: 'linux' })))
      await pushBlob(client, name, config)
      await pushManifest(client, name, tagOf(index), manifestOf(config, [layer]))
    })
    client.close()
  }
}

async function listNames(client: Client, name: string): Promise<void> {
  const { body } = await client.send('GET', `/v2/${name}/tags/list`, 200)
  const { length } = JSON.parse(body.toString()).tags
  if (length !== tagCount) throw new Error(`${length} tags instead of ${tagCount}`)
}

/** The digest, the size and the date of a tag, as a client of distribution finds them. */
async function detailOf(client: Client, name: string, tag: string): Promise<void> {
  const { config, layers } = await pullManifest(client, name, tag)
  const { body } = await client.send('GET', `/v2/${name}/blobs/${config.digest}`, 200)
  const { created } = JSON.parse(body.toString())
  const size = layers.reduce((sum, layer) => sum + layer.size, 0)
  if (!created || size !== 4096) throw new Error(`${tag}: ${created}, ${size} bytes`)
}

const scale = tagCount / sampleCount
const compared = (name: string, pairs: Pairs, limit: number): Result => {
  return { name, ...pairs, unit: 'ms', floorName, budget: `<= ${limit}x`, met: pairs.ratio <= limit }
}

type Tagged = { fennec: Caller; path: string; clients: Record<'fennec' | 'floor', Client>; sides: Sides }

async function measureNames({ sides, clients }: Tagged): Promise<Result> {
  const pairs = await inTurn(rounds, async (side) => (await timed(() => listNames(clients[side], sides[side].name))).ms)
  return compared('tags/list of 10,000 tags', pairs, 1)
}

/** All tags with their number and the bytes of their images: one request, or the list and every manifest. */
async function measureSummary({ fennec, path, sides, clients }: Tagged): Promise<Result> {
  const { name } = sides.floor
  const pairs = await inTurn(rounds, async (side) => {
    if (side === 'fennec') {
      const asked = timed(() => fennec.call({ path: `${path}?tags=true&tags_count=true&size=true` }))
      const { ms, value } = await asked
      const { tags_count: count, tags, size } = JSON.parse(value)
      if (count !== tagCount || tags.length !== tagCount || size !== 4096)
        throw new Error(`${count} tags, ${size} bytes`)
      return ms
    }
    const listed = await timed(() => listNames(clients.floor, name))
    const read = await timed(async () => {
      for (const tag of sample) await pullManifest(clients.floor, name, tag)
    })
    return listed.ms + read.ms * scale
  })
  return compared('10,000 tags with their count and size (floor extrapolated)', pairs, 0.1)
}

/** Every tag with digest, size and date: one request each, or two. */
async function measureDetails({ fennec, path, sides, clients }: Tagged): Promise<Result> {
  const pairs = await inTurn(rounds, async (side) => {
    const { ms } = await timed(async () => {
      for (const tag of sample) {
        if (side === 'floor') await detailOf(clients.floor, sides.floor.name, tag)
        else await fennec.call({ path: `${path}/tags/${tag}` })
      }
    })
    return ms * scale
  })
  return compared('details of 10,000 tags, one by one (extrapolated)', pairs, 1)
}

/**
 * Lists of tags at 10,000 tags.
 * @param fennec calls the API
 * @param projectId the project whose root repository `sides.fennec` is
 */
export async function measureTags(sides: Sides, fennec: Caller, projectId: number): Promise<Result[]> {
  await Promise.all([pushTags(sides.fennec), pushTags(sides.floor)])
  const [repository] = JSON.parse(await fennec.call({ path: `/api/v4/projects/${projectId}/registry/repositories` }))
  const path = `/api/v4/projects/${projectId}/registry/repositories/${repository.id}`
  const summaryPath = `/api/v4/registry/repositories/${repository.id}`
  const clients = { fennec: await openClient(sides.fennec), floor: await openClient(sides.floor) }
  const tagged: Tagged = { fennec, path, clients, sides }
  const results = [
    await measureNames(tagged),
    await measureSummary({ ...tagged, path: summaryPath }),
    await measureDetails(tagged),
  ]
  for (const client of Object.values(clients)) client.close()
  return results
}
