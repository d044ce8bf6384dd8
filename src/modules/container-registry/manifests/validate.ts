import { isObject, type JsonObject } from '../../../infra/json/index.ts'
import { manifestInvalid } from '../http/problems.ts'
import {
  type Descriptor,
  type Layer,
  readAnnotations,
  readDescriptor,
  readEach,
  readLayer,
  readMediaType,
} from './descriptors.ts'
import { isIndexType, isManifestType, isOciType, type ManifestType, ociIndex, ociManifest } from './media-types.ts'

/** A manifest that was read completely. */
export type ParsedManifest = {
  mediaType: ManifestType
  /** Null for an index. */
  config: Descriptor | null
  /** Empty for an index. */
  layers: readonly Layer[]
  /** What an index lists: manifests, or blobs of build caches. */
  children: readonly Descriptor[]
  subject: Descriptor | null
  annotations: Record<string, string> | null
  /** Its own, else the media type of the config; null for an index without one, and for Docker types. */
  artifactType: string | null
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a manifest, whose UTF-8 form is exactly the bytes. @throws RegistryProblem 400 */
export function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw manifestInvalid(undefined, 'not UTF-8')
  }
}

function objectOf(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw manifestInvalid(undefined, 'not JSON')
  }
  if (!isObject(value)) throw manifestInvalid(undefined, 'not a JSON object')
  return value
}

/** The type by the header, else by the body, else by what it lists. */
function typeOf(body: JsonObject, contentType: string | undefined): ManifestType {
  const sent = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  const written = body.mediaType ?? undefined
  const type = sent || written || ('manifests' in body ? ociIndex : ociManifest)
  if (typeof type !== 'string' || !isManifestType(type)) throw manifestInvalid('mediaType', 'not supported')
  if (written !== undefined && written !== type) throw manifestInvalid('mediaType', 'differs from Content-Type')
  return type
}

/** A document that is an image and an index at once would have two meanings. */
function refuseMembers(body: JsonObject, type: ManifestType): void {
  const others = isIndexType(type) ? ['config', 'layers'] : ['manifests']
  const found = others.find((name) => body[name] !== undefined && body[name] !== null)
  if (found !== undefined) throw manifestInvalid(found, `not allowed in ${type}`)
}

/** What a manifest refers to. Docker requires `layers`, OCI does not. */
function contentsOf(body: JsonObject, type: ManifestType): Pick<ParsedManifest, 'config' | 'layers' | 'children'> {
  if (isIndexType(type)) {
    return { config: null, layers: [], children: readEach(body.manifests, 'manifests', readDescriptor) }
  }
  const config = readDescriptor(body.config, 'config')
  const isWithoutLayers = isOciType(type) && body.layers === undefined
  return { config, layers: isWithoutLayers ? [] : readEach(body.layers, 'layers', readLayer), children: [] }
}

/** What only OCI manifests have; members of the same names in Docker manifests have no meaning. */
function descriptionOf(body: JsonObject, config: Descriptor | null) {
  const { subject, artifactType } = body
  const isTyped = artifactType !== undefined && artifactType !== null && artifactType !== ''
  return {
    subject: subject === undefined || subject === null ? null : readDescriptor(subject, 'subject'),
    annotations: readAnnotations(body.annotations),
    artifactType: isTyped ? readMediaType(artifactType, 'artifactType') : (config?.mediaType ?? null),
  }
}

/**
 * Reads and checks a manifest (contract 02, x.v2_manifest_put). Unknown members are ignored; the last of duplicate members
 * counts.
 * @param contentType the header, possibly with parameters
 * @throws RegistryProblem 400 MANIFEST_INVALID with the place and the reason as `detail`
 */
export function parseManifest(text: string, contentType: string | undefined): ParsedManifest {
  const body = objectOf(text)
  const mediaType = typeOf(body, contentType)
  if (body.schemaVersion !== 2) throw manifestInvalid('schemaVersion', 'must be 2')
  refuseMembers(body, mediaType)
  const contents = contentsOf(body, mediaType)
  const none = { subject: null, annotations: null, artifactType: null }
  return { mediaType, ...contents, ...(isOciType(mediaType) ? descriptionOf(body, contents.config) : none) }
}
