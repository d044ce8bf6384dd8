import { randomInt } from 'node:crypto'

/** Letters that are not mistaken for others, and that make no words (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** A code that people copy from a device, such as `BCDF-GHJK`. */
export function newUserCode(): string {
  const code = Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`
}

/** A code as it was typed, in its one form. */
export const plainUserCode = (typed: string) => typed.toUpperCase().replace(/[^A-Z]/g, '')
