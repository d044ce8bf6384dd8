import { createHash } from 'node:crypto'
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'

/** Where images of one name are pushed and pulled. `tokenUrl` and `credentials`: only for a registry with tokens. */
export type Registry = { url: string; name: string; tokenUrl?: string; credentials?: string }

type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  sizeBytes: number
}
type Sent = { headers?: OutgoingHttpHeaders; body?: readonly Buffer[]; isKept?: boolean }

/** A session of a client: kept-alive connections, and the token of the registry where it has tokens. */
export type Client = {
  /** @throws Error when the status is not the expected one */
  send(method: string, path: string, expected: number, sent?: Sent): Promise<Answer>
  close(): void
}

/** A descriptor of a manifest. */
export type Descriptor = { mediaType: string; digest: string; size: number }
/** Content in pieces, with its digest. */
export type Blob = { pieces: readonly Buffer[]; digest: string; size: number }

export const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const configType = 'application/vnd.oci.image.config.v1+json'
const layerType = 'application/vnd.oci.image.layer.v1.tar'

/** Makes a blob of pieces. */
export function blobOf(...pieces: readonly Buffer[]): Blob {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  const size = pieces.reduce((sum, { length }) => sum + length, 0)
  return { pieces, digest: `sha256:${hash.digest('hex')}`, size }
}

const descriptorOf = ({ digest, size }: Blob, mediaType: string): Descriptor => ({ mediaType, digest, size })

/** The manifest of an image. */
export function manifestOf(config: Blob, layers: readonly Blob[]): Buffer {
  const descriptors = layers.map((layer) => descriptorOf(layer, layerType))
  const body = { schemaVersion: 2, mediaType: manifestType, config: descriptorOf(config, configType) }
  return Buffer.from(JSON.stringify({ ...body, layers: descriptors }))
}

type Parameters = { method: string; agent: Agent; headers: OutgoingHttpHeaders }

function exchange(url: string, parameters: Parameters, { body = [], isKept = true }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, parameters, (answer) => {
      const chunks: Buffer[] = []
      let sizeBytes = 0
      answer.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length
        if (isKept) chunks.push(chunk)
      })
      answer.on('error', reject)
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks), sizeBytes })
      })
    })
    sent.on('error', reject)
    for (const piece of body) sent.write(piece)
    sent.end()
  })
}

/**
 * Opens a session as clients do for each push or pull: with a new token, where the registry has tokens.
 * @param connections how many requests may be under way at once
 */
export async function openClient({ url, name, tokenUrl, credentials }: Registry, connections = 1): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send = async (target: string, method: string, expected: number, authorization: string | null, sent: Sent) => {
    const size = sent.body?.reduce((sum, { length }) => sum + length, 0)
    const headers: OutgoingHttpHeaders = {
      ...sent.headers,
      ...(authorization === null ? {} : { Authorization: authorization }),
      ...(size === undefined ? {} : { 'Content-Length': size }),
    }
    const answer = await exchange(target, { method, agent, headers }, sent)
    if (answer.status === expected) return answer
    throw new Error(`${method} ${target}: ${answer.status} ${answer.body.toString('utf8', 0, 300)}`)
  }
  let authorization: string | null = null
  if (tokenUrl !== undefined) {
    const asked = `${tokenUrl}?service=container_registry&scope=repository:${name}:pull,push`
    const { body } = await send(asked, 'GET', 200, `Basic ${credentials}`, {})
    authorization = `Bearer ${JSON.parse(body.toString()).token}`
  }
  return {
    send: (method, path, expected, sent = {}) =>
      send(path.startsWith('http') ? path : `${url}${path}`, method, expected, authorization, sent),
    close: () => agent.destroy(),
  }
}

/** Calls a function for each item, a few at once. */
export async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<unknown>) {
  const rest = items.values()
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, async () => {
      for (const item of rest) await work(item)
    }),
  )
}

/** Pushes a blob that the registry has not: asks for it, opens an upload, sends the content. */
export async function pushBlob(client: Client, name: string, { pieces, digest }: Blob): Promise<void> {
  await client.send('HEAD', `/v2/${name}/blobs/${digest}`, 404)
  const { headers } = await client.send('POST', `/v2/${name}/blobs/uploads/`, 202, { body: [] })
  const location = String(headers.location)
  const target = `${location}${location.includes('?') ? '&' : '?'}digest=${encodeURIComponent(digest)}`
  await client.send('PUT', target, 201, { headers: { 'Content-Type': 'application/octet-stream' }, body: pieces })
}

/** Pushes a manifest under a tag. */
export function pushManifest(client: Client, name: string, tag: string, manifest: Buffer): Promise<Answer> {
  const sent = { headers: { 'Content-Type': manifestType }, body: [manifest] }
  return client.send('PUT', `/v2/${name}/manifests/${tag}`, 201, sent)
}

/** The manifest of a tag. */
export async function pullManifest(client: Client, name: string, tag: string) {
  const { body } = await client.send('GET', `/v2/${name}/manifests/${tag}`, 200, { headers: { Accept: manifestType } })
  return JSON.parse(body.toString()) as { config: Descriptor; layers: Descriptor[] }
}

/** Fetches a blob and drops the content. @throws Error when its length is wrong */
export async function pullBlob(client: Client, name: string, { digest, size }: Descriptor): Promise<void> {
  const { sizeBytes } = await client.send('GET', `/v2/${name}/blobs/${digest}`, 200, { isKept: false })
  if (sizeBytes !== size) throw new Error(`${digest}: ${sizeBytes} bytes instead of ${size}`)
}
