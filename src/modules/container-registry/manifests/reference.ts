import { createHash } from 'node:crypto'
import { type Digest, parseDigest } from '../blobs/digest.ts'
import { registryProblem } from '../http/problems.ts'

/** What the last part of a manifest's path names. */
export type Reference = { kind: 'tag'; name: string } | { kind: 'digest'; digest: Digest }

const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/

/** Whether a text can be the name of a tag (contract 02, x.v2_manifest_put). */
export const isTagName = (text: string) => tagPattern.test(text)

/**
 * Reads a reference: a digest when it has a colon, otherwise the name of a tag, which may be malformed.
 * @throws RegistryProblem 400 DIGEST_INVALID
 */
export function parseReference(text: string): Reference {
  if (!text.includes(':')) return { kind: 'tag', name: text }
  const digest = parseDigest(text)
  if (!digest) throw registryProblem('DIGEST_INVALID', { detail: { digest: text } })
  return { kind: 'digest', digest }
}

/** 404: no manifest has the reference. */
export const manifestUnknown = (reference: string) => registryProblem('MANIFEST_UNKNOWN', { detail: { reference } })

/** The digest of bytes by an algorithm. */
export function digestOf(bytes: Uint8Array, algorithm: 'sha256' | 'sha512'): Digest {
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}` as Digest
}
