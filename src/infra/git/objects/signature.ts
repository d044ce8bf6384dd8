/** Reads the signature in a commit's header. */

import { GitError } from '../model/errors.ts'
import type { Oid } from '../model/names.ts'
import type { RepositoryContext } from './context.ts'

/** The signature headers of the two object formats. */
const SIGNATURE_HEADER = 'gpgsig'
/** Larger commits are refused, in bytes: the payload is held in memory. */
const SIGNED_COMMIT_BYTES = 16 * 1024 * 1024
const SHA1_DIGITS = 40
const NEWLINE = 0x0a
const SPACE = 0x20

/**
 * Reads the raw signature of a commit and the bytes that it signs. @returns null when it has none or is not a commit
 * @throws GitError `too_large` for a commit of more than 16 MiB
 */
export async function commitSignature(
  { pool, directory }: RepositoryContext,
  commit: Oid,
): Promise<{ signature: string; payload: Buffer } | null> {
  const answer = await pool.reader(directory).contents(commit, SIGNED_COMMIT_BYTES)
  if (answer?.type !== 'commit') return null
  if (answer.sizeBytes > answer.content.length) {
    throw new GitError('too_large', `commit of ${answer.sizeBytes} bytes, ${SIGNED_COMMIT_BYTES} allowed`)
  }
  return splitSignature(answer.content, headerOf(commit))
}

/** The name of the signature header, by the format of the id. */
function headerOf(commit: Oid): string {
  return commit.length === SHA1_DIGITS ? SIGNATURE_HEADER : `${SIGNATURE_HEADER}-sha256`
}

/** Whether a commit carries a signature. @param content the commit's raw content, from its beginning */
export function hasSignature(content: Buffer, commit: Oid): boolean {
  return splitSignature(content, headerOf(commit)) !== null
}

/**
 * Splits a commit as git does for verification: the value of the header, without the space that begins continuation lines, and
 * the commit without any signature header (a commit may be signed in both formats; no signature covers the other).
 * @param content the commit's raw content
 * @param header `gpgsig` or `gpgsig-sha256`
 */
export function splitSignature(content: Buffer, header: string): { signature: string; payload: Buffer } | null {
  const signature: Buffer[] = []
  const payload: Buffer[] = []
  let inside: 'signature' | 'other' | null = null
  let offset = 0
  while (offset < content.length) {
    const end = content.indexOf(NEWLINE, offset)
    const next = end < 0 ? content.length : end + 1
    const isContinuation = content[offset] === SPACE
    const name = content.toString('latin1', offset, Math.min(next, offset + header.length + 1))
    if (!isContinuation)
      inside = name === `${header} ` ? 'signature' : name.startsWith(SIGNATURE_HEADER) ? 'other' : null
    if (inside === 'signature') signature.push(content.subarray(offset + (isContinuation ? 1 : name.length), next))
    // The message begins after the first empty line.
    const stop = content[offset] === NEWLINE ? content.length : next
    if (inside === null) payload.push(content.subarray(offset, stop))
    offset = stop
  }
  return signature.length === 0
    ? null
    : { signature: Buffer.concat(signature).toString('utf8'), payload: Buffer.concat(payload) }
}
