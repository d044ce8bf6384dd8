import { buffer } from 'node:stream/consumers'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import { keyOfDeployment } from '../keys.ts'
import type { PagesDeploymentRow } from '../tables.ts'
import type { IndexedFile, Line, Part } from './format.ts'

/** Parsed parts of indexes in memory; each takes about twice its bytes. */
const mostCachedBytes = 16 * 1024 * 1024

/** Parsed JSON of objects, which never change, by place; the least recently used goes first. */
class JsonCache {
  readonly #entries = new Map<string, { value: unknown; bytes: number }>()
  #bytes = 0

  get(place: string): unknown {
    const entry = this.#entries.get(place)
    if (!entry) return undefined
    this.#entries.delete(place)
    this.#entries.set(place, entry)
    return entry.value
  }

  set(place: string, value: unknown, bytes: number): void {
    if (this.#entries.has(place) || bytes > mostCachedBytes) return
    this.#entries.set(place, { value, bytes })
    this.#bytes += bytes
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= mostCachedBytes) return
      this.#entries.delete(oldest)
      this.#bytes -= entry.bytes
    }
  }
}

const caches = perPlatform(() => new JsonCache())

/** Bytes of the object of a deployment; null when it is missing. */
export async function openBytes(platform: Platform, row: PagesDeploymentRow, firstByte: number, lengthBytes: number) {
  const range = { firstByte, lastByte: firstByte + lengthBytes - 1 }
  return (await platform.objects.get(keyOfDeployment(row), { range }))?.stream ?? null
}

async function readJson(platform: Platform, row: PagesDeploymentRow, at: number, lengthBytes: number) {
  const place = `${row.secret}:${at}`
  const cached = caches(platform).get(place)
  if (cached !== undefined) return cached
  const stream = await openBytes(platform, row, at, lengthBytes)
  const value: unknown = stream ? JSON.parse((await buffer(stream)).toString()) : []
  if (stream) caches(platform).set(place, value, lengthBytes)
  return value
}

/** The last item whose first member is not behind a path; undefined when all are. */
function lastUpTo<T extends readonly [string, ...unknown[]]>(items: readonly T[], path: string): T | undefined {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((items[middle] as T)[0] <= path) low = middle + 1
    else high = middle
  }
  return items[low - 1]
}

/** Finds a file of a site by its path; null when the site does not have it. */
export async function findFile(platform: Platform, row: PagesDeploymentRow, path: string): Promise<IndexedFile | null> {
  const root = await readJson(platform, row, row.root_offset, row.object_bytes - row.root_offset)
  const part = lastUpTo(root as Part[], path)
  if (!part) return null
  const line = lastUpTo((await readJson(platform, row, part[1], part[2])) as Line[], path)
  if (line?.[0] !== path) return null
  const [, offset, sizeBytes, digest] = line
  return { path, offset, sizeBytes, digest }
}
