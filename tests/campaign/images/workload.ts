import { Failed, isBroken } from '../failed.ts'
import { anyHead, type Ledger } from '../ledger.ts'
import { type ImageClient, layerOf } from './client.ts'

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const indexType = 'application/vnd.oci.image.index.v1+json'

export type ImageLoad = {
  client: ImageClient
  /** Digests of manifests by `repository:tag`. */
  ledger: Ledger
  random(): number
  repositories: readonly string[]
  workers: number
  /** Distinct layers, which all images share. */
  layers: number
  /** Whether users delete tags; otherwise tags only move. */
  deletes: boolean
  /** Ends the work. */
  isOver(): boolean
}

/** What was counted. `refused`: manifests that were refused because a layer was collected meanwhile. */
export type Counted = { pushed: number; deleted: number; refused: number }

const tagsOfWorker = 3
const chance = (load: ImageLoad, share: number) => load.random() < share
const pick = <T>(load: ImageLoad, list: readonly T[]): T => list[Math.floor(load.random() * list.length)] as T

/** A manifest whose layers are missing: it was refused, as contract 02 R10 permits after a deletion. */
class Refused extends Error {}

async function putManifest({ client }: ImageLoad, repository: string, reference: string, body: object, type: string) {
  const text = Buffer.from(JSON.stringify(body))
  const digest = client.digestOf(text)
  const { status, bytes } = await client.send('PUT', repository, `manifests/${reference || digest}`, text, type)
  if (status === 400 && bytes.includes('MANIFEST_BLOB_UNKNOWN')) throw new Refused()
  if (status !== 201) throw new Failed({ status: status, text: `a manifest was refused: ${bytes}` })
  return { mediaType: type, digest, size: text.length }
}

/** Pushes an image of some layers. @param reference empty for its digest */
export async function pushImage(load: ImageLoad, repository: string, reference: string, step: string) {
  const put = (content: Buffer) => load.client.putBlob(repository, content, chance(load, 0.5))
  const config = Buffer.from(JSON.stringify({ created: '2026-01-01T00:00:00Z', step }))
  const layers = []
  for (let count = 0; count < 3; count += 1) {
    const content = layerOf(Math.floor(load.random() * load.layers))
    layers.push({ mediaType: 'application/octet-stream', digest: await put(content), size: content.length })
  }
  const body = {
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: await put(config), size: config.length },
    layers,
  }
  return putManifest(load, repository, reference, body, manifestType)
}

async function pushIndex(load: ImageLoad, repository: string, tag: string, step: string) {
  const manifests = []
  for (const platform of ['a', 'b']) manifests.push(await pushImage(load, repository, '', `${step} ${platform}`))
  return putManifest(load, repository, tag, { schemaVersion: 2, mediaType: indexType, manifests }, indexType)
}

async function deleteTag({ client, ledger }: ImageLoad, repository: string, tag: string): Promise<void> {
  const name = `${repository}:${tag}`
  ledger.begin(name, null)
  const { status, bytes } = await client.send('DELETE', repository, `manifests/${tag}`)
  if (status !== 202) throw new Failed({ status: status, text: `a deletion was refused: ${bytes}` })
  ledger.acknowledge(name, null)
}

async function stepOnce(load: ImageLoad, worker: number, step: string, counted: Counted): Promise<void> {
  const { ledger } = load
  const repository = pick(load, load.repositories)
  const tag = `w${worker}-${Math.floor(load.random() * tagsOfWorker)}`
  const name = `${repository}:${tag}`
  if (load.deletes && ledger.valueOf(name) !== null && chance(load, 0.3)) {
    await deleteTag(load, repository, tag)
    counted.deleted += 1
    return
  }
  ledger.begin(name, anyHead)
  try {
    const push = chance(load, 0.2) ? pushIndex : pushImage
    ledger.acknowledge(name, (await push(load, repository, tag, step)).digest)
    counted.pushed += 1
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    ledger.refuse(name)
    counted.refused += 1
  }
}

/** Pushes and deletes in all workers at once, until the work is over or the server is gone. */
export async function workOnImages(load: ImageLoad, round: number): Promise<Counted> {
  const counted: Counted = { pushed: 0, deleted: 0, refused: 0 }
  const working = async (worker: number) => {
    for (let step = 0; !load.isOver(); step += 1) {
      try {
        await stepOnce(load, worker, `${round} ${worker} ${step}`, counted)
      } catch (error) {
        if (isBroken(error)) return
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: load.workers }, (_, worker) => working(worker)))
  return counted
}

type Listed = { digest: string }

/** Pulls a manifest with everything that it needs. @returns what is wrong, one sentence each */
async function pullProblems(client: ImageClient, repository: string, reference: string): Promise<string[]> {
  const { status, headers, bytes } = await client.send('GET', repository, `manifests/${reference}`)
  if (status !== 200) return [`${repository} ${reference} answers ${status}`]
  if (client.digestOf(bytes) !== headers.get('docker-content-digest')) return [`${repository} ${reference} is damaged`]
  const { config, layers = [], manifests = [] } = JSON.parse(bytes.toString())
  const problems: string[] = []
  for (const { digest } of manifests as Listed[]) problems.push(...(await pullProblems(client, repository, digest)))
  for (const { digest } of [...(config ? [config] : []), ...layers] as Listed[]) {
    const blob = await client.send('GET', repository, `blobs/${digest}`)
    if (blob.status !== 200 || client.digestOf(blob.bytes) !== digest) {
      problems.push(`${repository} ${reference}: blob ${digest} answers ${blob.status} with other content`)
    }
  }
  return problems
}

/** Pulls what a tag names. @returns its digest, null when there is no such tag, or what is wrong */
export async function readTag({ client }: ImageLoad, repository: string, tag: string): Promise<string | null> {
  const { status, headers } = await client.send('HEAD', repository, `manifests/${tag}`)
  if (status === 404) return null
  const problems = await pullProblems(client, repository, tag)
  return problems.length === 0 ? headers.get('docker-content-digest') : problems.join('; ')
}

/** Compares all tags with the ledger, and pulls everything that they need. @returns what is wrong, one sentence each */
export async function imageProblems({ client, ledger, repositories }: ImageLoad): Promise<string[]> {
  const actual = new Map<string, string>()
  const problems: string[] = []
  for (const repository of repositories) {
    const { status, bytes } = await client.send('GET', repository, 'tags/list')
    const tags: string[] = status === 200 ? JSON.parse(bytes.toString()).tags : []
    for (const tag of tags) {
      const head = await client.send('HEAD', repository, `manifests/${tag}`)
      actual.set(`${repository}:${tag}`, head.headers.get('docker-content-digest') ?? '')
      problems.push(...(await pullProblems(client, repository, tag)))
    }
  }
  return [...ledger.settle(actual), ...problems]
}
