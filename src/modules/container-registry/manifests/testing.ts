import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { blobOf, type Registry, registryOf } from '../http/testing.ts'

export const ociManifest = 'application/vnd.oci.image.manifest.v1+json'
export const ociIndex = 'application/vnd.oci.image.index.v1+json'
export const dockerManifest = 'application/vnd.docker.distribution.manifest.v2+json'
export const dockerList = 'application/vnd.docker.distribution.manifest.list.v2+json'

type Blob = ReturnType<typeof blobOf>
type Body = Record<string, unknown>

export const descriptorOf = ({ digest, size }: Pick<Blob, 'digest' | 'size'>, mediaType: string) => ({
  mediaType,
  digest,
  size,
})

const layerType = 'application/vnd.oci.image.layer.v1.tar+gzip'
const configType = 'application/vnd.oci.image.config.v1+json'

/** The text of an OCI image manifest. */
export const imageOf = (config: Blob, layers: readonly Blob[], more: Body = {}): string =>
  JSON.stringify({
    schemaVersion: 2,
    mediaType: ociManifest,
    config: descriptorOf(config, configType),
    layers: layers.map((layer) => descriptorOf(layer, layerType)),
    ...more,
  })

/** The text of an OCI index. */
export const indexOf = (manifests: readonly string[], more: Body = {}): string =>
  JSON.stringify({
    schemaVersion: 2,
    mediaType: ociIndex,
    manifests: manifests.map((text) => descriptorOf(blobOf(text), JSON.parse(text).mediaType ?? ociManifest)),
    ...more,
  })

export type Images = {
  server: TestServer
  registry: Registry
  owner: Person
  /** A new project of the owner. @returns the name of its root repository */
  project(path: string): Promise<string>
  blob(name: string, content?: Buffer | string): Promise<Blob>
  /** Pushes a manifest. @param reference its tag; by default its digest */
  put(
    name: string,
    text: string | Buffer,
    options?: { reference?: string; type?: string | null },
  ): ReturnType<Registry['send']>
  get(name: string, reference: string, headers?: Record<string, string>): ReturnType<Registry['send']>
  remove(name: string, reference: string): ReturnType<Registry['send']>
  /** Pushes an image with a config and layers. @returns the text of its manifest */
  image(name: string, tag: string | undefined, layers: readonly string[], config?: Body, more?: Body): Promise<string>
}

/** Starts a server with a user and a client that pushes and pulls their images. */
export async function startImages(options?: Parameters<typeof startTestServer>[0]): Promise<Images> {
  const server = await startTestServer(options)
  const owner = await server.user('owner')
  const registry = registryOf(server)

  const put: Images['put'] = (name, text, { reference = blobOf(text).digest, type = ociManifest } = {}) => {
    const headers: Record<string, string> = type === null ? {} : { 'Content-Type': type }
    // Not a string: `fetch` would add a content type.
    const body = Buffer.from(text as string)
    return registry.send('PUT', `${name}/manifests/${reference}`, { scope: `${name}:pull,push`, body, headers })
  }

  const blob: Images['blob'] = async (name, content = blobOf().content) => {
    const made = blobOf(content)
    const path = `${name}/blobs/uploads/?digest=${made.digest}`
    const { status } = await registry.send('POST', path, { scope: `${name}:pull,push`, body: made.content })
    if (status !== 201) throw new Error(`upload answered ${status}`)
    return made
  }

  return {
    server,
    registry,
    owner,
    blob,
    put,
    project: async (path) => (await server.make.project(path, owner)).full_path,
    get: (name, reference, headers = {}) =>
      registry.send('GET', `${name}/manifests/${reference}`, { scope: `${name}:pull`, headers }),
    remove: (name, reference) => registry.send('DELETE', `${name}/manifests/${reference}`, { scope: `${name}:delete` }),
    async image(name, tag, layers, config = {}, more = {}) {
      const stored = []
      for (const content of layers) stored.push(await blob(name, content))
      const text = imageOf(await blob(name, JSON.stringify(config)), stored, more)
      const { status } = await put(name, text, tag === undefined ? {} : { reference: tag })
      if (status !== 201) throw new Error(`push answered ${status}`)
      return text
    },
  }
}
