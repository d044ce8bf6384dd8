import { hash } from 'node:crypto'

/** What a text is found by that may be too long for an index: its SHA-256, in hex. */
export function textDigest(text: string): string {
  return hash('sha256', text)
}
