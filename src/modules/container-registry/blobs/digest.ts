import { type StorageKey, storageKey } from '../../../infra/objects/index.ts'

declare const checked: unique symbol

/** `sha256:` and 64, or `sha512:` and 128 lower-case hexadecimal digits (contract 02 R6). */
export type Digest = string & { readonly [checked]: true }

export const digestAlgorithms = ['sha256', 'sha512'] as const
export type DigestAlgorithm = (typeof digestAlgorithms)[number]

const form = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/

/** Reads a digest; null when it is malformed or its algorithm is not supported. */
export function parseDigest(text: string): Digest | null {
  return form.test(text) ? (text as Digest) : null
}

function partsOf(digest: Digest): [algorithm: DigestAlgorithm, hex: string] {
  const [algorithm, hex = ''] = digest.split(':') as [DigestAlgorithm, string]
  return [algorithm, hex]
}

/** Where the object store has the content of a blob (contract 02 R10). */
export function blobKey(digest: Digest): StorageKey {
  const [algorithm, hex] = partsOf(digest)
  return storageKey('blobs', algorithm, hex.slice(0, 2), hex)
}

/** The digest as the object store checks it. */
export function expectedDigest(digest: Digest): { [A in DigestAlgorithm]?: string } {
  const [algorithm, hex] = partsOf(digest)
  return { [algorithm]: hex }
}
