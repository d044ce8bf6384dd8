import { hash } from 'node:crypto'

/** SHA-256 of a text in hex, for indexes over texts that may exceed the size limit of an index entry. */
export function textDigest(text: string): string {
  return hash('sha256', text)
}
