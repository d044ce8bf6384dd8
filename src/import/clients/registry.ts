import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { isObject } from '../../infra/json/index.ts'
import { NotBrought } from './errors.ts'
import { bytesOf, jsonOf, refusalOf } from './sending.ts'
import type { ApiServer } from './server.ts'
import { textOf } from './values.ts'

/** One repository of the container registry of a server. */
export type ImageRepository = {
  server: ApiServer
  /** Address of the registry, without a slash at its end. */
  registry: string
  /** `<project path>/<name>`. */
  name: string
  actions: string
}

export type Manifest = { bytes: Buffer; type: string; digest: string }

const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]
const mostManifestBytes = 4 * 1024 * 1024

/** The digest of an algorithm that every registry knows. */
export const isDigest = (text: string) => /^sha256:[0-9a-f]{64}$/.test(text)

/** A client of the distribution protocol. It asks for a token where the registry wants one. */
export class RegistryClient {
  readonly #at: ImageRepository
  #authorization: string | undefined

  constructor(at: ImageRepository) {
    this.#at = at
  }

  address(path: string): URL {
    return new URL(`${this.#at.registry}/v2/${this.#at.name}/${path}`)
  }

  #headers(more: Record<string, string> = {}): Record<string, string> {
    return this.#authorization === undefined ? more : { ...more, Authorization: this.#authorization }
  }

  /** Gets a token, which is for this repository only. @throws NotBrought, Refused */
  async signIn(): Promise<void> {
    const { server, registry, name, actions } = this.#at
    const answer = await server.sendPlain(new URL(`${registry}/v2/`))
    await answer.body?.cancel()
    if (answer.status !== 401) return
    const challenge = answer.headers.get('www-authenticate') ?? ''
    const [, realm = ''] = /realm="([^"]+)"/i.exec(challenge) ?? []
    const [, service = ''] = /service="([^"]+)"/i.exec(challenge) ?? []
    if (!/^bearer /i.test(challenge) || !URL.canParse(realm)) throw new NotBrought('the registry asks for no token')
    const url = server.named(new URL(realm))
    if (!server.isOwn(url))
      throw new NotBrought(`the registry asks for a token of ${url.origin}, where the token is not sent`)
    url.searchParams.set('service', service)
    url.searchParams.set('scope', `repository:${name}:${actions}`)
    const granted = await server.sendPlain(url, { headers: { Authorization: server.basic } })
    if (!granted.ok) throw await refusalOf(server.side, granted)
    const answered = await jsonOf(granted)
    const token = isObject(answered) ? (textOf(answered, 'token') ?? textOf(answered, 'access_token')) : undefined
    if (token === undefined || !/^[\x21-\x7e]+$/.test(token))
      throw new NotBrought('the answer has no token of the registry')
    this.#authorization = `Bearer ${token}`
  }

  /** Reads a manifest and checks its digest. @throws NotBrought, Refused */
  async manifest(reference: string): Promise<Manifest> {
    const url = this.address(`manifests/${reference}`)
    const response = await this.#at.server.download(url, this.#headers({ Accept: manifestTypes.join(', ') }))
    const bytes = await bytesOf(response, mostManifestBytes)
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    if (isDigest(reference) && digest !== reference)
      throw new NotBrought('the manifest has another digest than its name')
    return { bytes, digest, type: response.headers.get('content-type') ?? 'application/octet-stream' }
  }

  /** A blob as a stream. @throws NotBrought, Refused */
  blob(digest: string): Promise<Response> {
    return this.#at.server.download(this.address(`blobs/${digest}`), this.#headers())
  }

  /** The digest of a tag or manifest, or the presence of a blob. */
  async has(path: string): Promise<{ digest: string | null } | null> {
    const headers = this.#headers({ Accept: manifestTypes.join(', ') })
    const answer = await this.#at.server.sendPlain(this.address(path), { method: 'HEAD', headers })
    if (answer.status === 404) return null
    if (!answer.ok) throw await refusalOf(this.#at.server.side, answer)
    return { digest: answer.headers.get('docker-content-digest') }
  }

  /** Stores a blob; the registry checks its digest. @throws NotBrought, Refused */
  async putBlob(digest: string, body: Readable, size: number): Promise<void> {
    const { server } = this.#at
    const begun = await server.sendPlain(this.address('blobs/uploads/'), { method: 'POST', headers: this.#headers() })
    await begun.body?.cancel()
    const location = begun.headers.get('location')
    if (begun.status !== 202 || location === null) throw await refusalOf(server.side, begun)
    const url = new URL(location, this.address(''))
    url.searchParams.set('digest', digest)
    const headers = this.#headers({ 'Content-Type': 'application/octet-stream', 'Content-Length': String(size) })
    await this.#stored(await server.sendPlain(url, { method: 'PUT', headers, body }))
  }

  async putManifest(reference: string, { bytes, type }: Manifest): Promise<void> {
    const headers = this.#headers({ 'Content-Type': type })
    const body = new Uint8Array(bytes)
    await this.#stored(
      await this.#at.server.sendPlain(this.address(`manifests/${reference}`), {
        method: 'PUT',
        headers,
        body,
        repeatable: true,
      }),
    )
  }

  async #stored(response: Response): Promise<void> {
    if (response.status !== 201) throw await refusalOf(this.#at.server.side, response)
    await response.body?.cancel()
  }
}
