import { isObject } from '../../infra/json/index.ts'
import { NotBrought } from '../clients/errors.ts'
import { isDigest, type Manifest, RegistryClient } from '../clients/registry.ts'
import type { ApiServer } from '../clients/server.ts'
import { type Item, itemOf, itemsOf, numberOf, requireNumber, requireText, textOf } from '../clients/values.ts'
import { verified } from '../clients/verified.ts'
import { attempt, bringEach, type ImportContext, type Place, rateOf } from './context.ts'

/** An image of images has few levels. */
const deepest = 4

/** Brings the container images, by the distribution protocol. */
export async function bringImages(context: ImportContext, place: Place): Promise<void> {
  const options = {
    list: 'registry/repositories',
    what: 'image repository',
    nameOf: (item: Item) => textOf(item, 'path'),
  }
  await bringEach(context, place, options, (repository) => bringRepository(context, place, repository))
}

/** The registry of a repository: its `location` has the host and no scheme. */
function registryOf(server: ApiServer, location: string): string {
  const own = new URL(server.url)
  const host = location.split('/')[0] ?? ''
  return host === own.host ? own.origin : `${isLocal(host) ? own.protocol : 'https:'}//${host}`
}

/** Registries of this machine may have no certificate. */
const isLocal = (host: string) => /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host)

async function bringRepository(context: ImportContext, place: Place, repository: Item): Promise<void> {
  const { source, target, state } = context
  const id = requireNumber(repository, 'id')
  const path = requireText(repository, 'path')
  const root = place.path.toLowerCase()
  if (path !== root && !(path.startsWith(`${root}/`) && imageName.test(path)))
    throw new NotBrought('its name is not below the project')
  const from = new RegistryClient({
    server: source,
    registry: registryOf(source, requireText(repository, 'location')),
    name: path,
    actions: 'pull',
  })
  const to = new RegistryClient({
    server: target,
    registry: await registryHere(context, place),
    name: path,
    actions: 'pull,push',
  })
  const tell = rateOf(context, `${place.path}: images`)
  for await (const tag of source.list(`${place.from}/registry/repositories/${id}/tags`)) {
    const name = requireText(tag, 'name')
    if (!tagName.test(name)) throw new NotBrought('it has a tag with a name that is none')
    const key = `image ${place.from} ${path}:${name}`
    await attempt(context, { key: `item ${key}`, place: place.path, what: `image ${path}:${name}` }, async () => {
      // Tokens of registries last for minutes.
      await from.signIn()
      await to.signIn()
      const manifest = await from.manifest(name)
      if (state.value(key) === manifest.digest) return
      await bringManifest({ from, to }, manifest, name, 0)
      state.finish(key, manifest.digest)
    })
    tell()
  }
}

/** The registry of this server. */
async function registryHere({ target }: ImportContext, place: Place): Promise<string> {
  const prefix = textOf(await target.get(place.to), 'container_registry_image_prefix')
  if (prefix === undefined) throw new NotBrought('this server has no container registry')
  return registryOf(target, prefix)
}

const imageName = /^[a-z0-9]+([._-]+[a-z0-9]+)*(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/
const tagName = /^\w[\w.-]{0,127}$/

type Way = { from: RegistryClient; to: RegistryClient }

/** Brings what a manifest names, then the manifest. */
async function bringManifest(way: Way, manifest: Manifest, reference: string, depth: number): Promise<void> {
  if (depth > deepest) throw new NotBrought('its manifests are nested too deeply')
  const content = contentOf(manifest)
  for (const child of itemsOf(content, 'manifests')) {
    const digest = digestOf(child)
    await bringManifest(way, await way.from.manifest(digest), digest, depth + 1)
  }
  const config = itemOf(content, 'config')
  for (const blob of [...(config ? [config] : []), ...itemsOf(content, 'layers')]) await bringBlob(way, blob)
  await way.to.putManifest(reference, manifest)
}

function contentOf({ bytes }: Manifest): Item {
  try {
    const content: unknown = JSON.parse(bytes.toString('utf8'))
    if (isObject(content)) return content
  } catch {
    // It is said below.
  }
  throw new NotBrought('its manifest is not JSON')
}

function digestOf(item: Item): string {
  const digest = textOf(item, 'digest') ?? ''
  if (!isDigest(digest)) throw new NotBrought('its manifest names a part without a SHA-256 digest')
  return digest
}

async function bringBlob({ from, to }: Way, blob: Item): Promise<void> {
  const digest = digestOf(blob)
  const size = numberOf(blob, 'size')
  if (size === undefined) throw new NotBrought('its manifest names a part without a size')
  if (await to.has(`blobs/${digest}`)) return
  await to.putBlob(digest, verified(await from.blob(digest), { sha256: digest.slice('sha256:'.length), size }), size)
}
