const dockerManifest = 'application/vnd.docker.distribution.manifest.v2+json'
const dockerList = 'application/vnd.docker.distribution.manifest.list.v2+json'
export const ociManifest = 'application/vnd.oci.image.manifest.v1+json'
export const ociIndex = 'application/vnd.oci.image.index.v1+json'

/** The media types of manifests that can be pushed (contract 02, x.v2_manifest_put). */
const manifestTypes = [dockerManifest, dockerList, ociManifest, ociIndex] as const
export type ManifestType = (typeof manifestTypes)[number]

export const isManifestType = (text: string): text is ManifestType =>
  (manifestTypes as readonly string[]).includes(text)

/** Whether manifests of the type list other manifests instead of a config and layers. */
export const isIndexType = (type: ManifestType) => type === dockerList || type === ociIndex

/** Whether manifests of the type may have a subject, an artifact type and annotations. */
export const isOciType = (type: ManifestType) => type === ociManifest || type === ociIndex

/** Layers that the registry need not have when they come with addresses. */
const foreignLayer =
  /^application\/vnd\.(docker\.image\.rootfs\.foreign\.diff\.tar|oci\.image\.layer\.nondistributable\.v1\.tar)(\.gzip|\+gzip|\+zstd)?$/

export const isForeignLayerType = (mediaType: string) => foreignLayer.test(mediaType)
