import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../api/index.ts'
import { acceptsGzip } from './send.ts'

/** `zipped` is made when it is first asked for. */
type Asset = { type: string; bytes: Buffer; zipped?: Buffer }

/** Beside the bundle, which makes them; the package has it. A server that runs from its sources has none: its pages work without. */
const folders = ['console', '../../bundle/console'].map((name) => join(import.meta.dirname, name))
const folder = folders.find((one) => existsSync(one)) ?? ''
const files = [
  ['style', 'style.css', 'text/css; charset=utf-8'],
  ['script', 'main.js', 'text/javascript; charset=utf-8'],
  ['icon', 'icon.svg', 'image/svg+xml'],
] as const

const assets = new Map<string, Asset>()

/** The addresses of the style, the script and the icon. They change with the contents. */
export const assetAddresses: { style?: string; script?: string; icon?: string } = {}

for (const [kind, name, type] of files) {
  const path = join(folder, name)
  if (!existsSync(path)) continue
  const bytes = readFileSync(path)
  const address = `/-/assets/${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}/${name}`
  assets.set(address, { type, bytes })
  assetAddresses[kind] = address
}

function zippedOf(asset: Asset): Buffer {
  asset.zipped ??= gzipSync(asset.bytes, { level: 9 })
  return asset.zipped
}

/** Sends an asset, which a browser keeps for a year. @throws ApiError 404 */
export function sendAsset(request: FastifyRequest, reply: FastifyReply, path: string): void {
  const found = assets.get(path)
  if (!found) throw notFound()
  const isZipped = acceptsGzip(request)
  reply.headers({
    'Content-Type': found.type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    ...(isZipped && { 'Content-Encoding': 'gzip' }),
  })
  reply.send(isZipped ? zippedOf(found) : found.bytes)
}
