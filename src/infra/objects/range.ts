import { ObjectError } from './object-error.ts'
import type { ByteRange } from './object-store.ts'

/** @throws RangeError when a position is not a whole number */
export function requirePositions({ firstByte, lastByte = 0 }: ByteRange): void {
  if (!isPosition(firstByte) || !isPosition(lastByte)) throw new RangeError('positions in an object are whole numbers')
}

function isPosition(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/** The error for a range that begins after the end of the object. */
export function rangeNotSatisfiable(sizeBytes: number): ObjectError {
  return new ObjectError('range_not_satisfiable', `the object has ${sizeBytes} bytes`, sizeBytes)
}
